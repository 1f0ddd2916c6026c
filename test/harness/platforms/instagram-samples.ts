import { instagram } from '#platforms/instagram/index.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Done, OutgoingPost, LookupCall } from '#platforms/posts.ts';
import { bareCall } from '../opened.ts';
import { NOW, scripted, type Script } from './script.ts';
import { stepsOf } from './steps.ts';

export const USER = '17841400000000001';
/** By Instagram login, and by Facebook login with the Page 101. */
export const SESSION = { token: 'IG', issued_at: NOW, user_id: USER, login_id: '7' };
export const PAGE_SESSION = { token: 'PAGE', user_token: 'USER', user_id: USER, login_id: '9', page_id: '101' };

/** Graph APIs that answer by `METHOD /path`; those of other hosts than Instagram's own with the name of the host before it. */
export const graphOf = (script: Script, session: object = SESSION, clock?: { now: number }) =>
  scripted(script, {
    hosts: instagram.hosts.real,
    session: { ...session },
    nameOf({ method, url }) {
      const { host, pathname } = new URL(url);
      const below = host === 'graph.instagram.com' ? '' : `${host} `;
      return `${method} ${below}${pathname.replace('/v25.0', '')}`;
    },
    ...(clock && { clock }),
  });

/** A step's call, with the results so far passed through JSON as the engine does. */
function publishing(acting: AccountCall, post: OutgoingPost, done: Done): LookupCall {
  return {
    ...acting,
    post,
    done: JSON.parse(JSON.stringify(done)) as Done,
    ...bareCall,
    open: () => Promise.reject(new Error('nothing is uploaded')),
    link: async (ref) => `https://us.test/media/${ref}`,
  };
}

export const goOn = stepsOf(instagram.posts!, publishing);

export const settle = (acting: AccountCall, post: OutgoingPost, step: string, done: Done) =>
  instagram.posts!.publish.settle!(publishing(acting, post, done), step);
