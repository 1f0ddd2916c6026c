import { facebook } from '#platforms/facebook/index.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { OpenedMedia } from '#platforms/media.ts';
import type { Done, OutgoingPost, LookupCall } from '#platforms/posts.ts';
import { answer, ok, scripted, type Script } from './script.ts';
import { opened, bareCall } from '../opened.ts';
import { postOf as anyPostOf, stepsOf } from './steps.ts';

export const PAGE = '101';
export const SESSION = {
  user_token: 'USER',
  user_id: '7',
  app_id: '42',
  pages: { '101': 'PAGE-101', '202': 'PAGE-202' },
};

export const refusal = (code: number, subcode?: number, more: Record<string, unknown> = {}, status = 400) =>
  answer(status, {
    error: { message: `(#${code}) no`, type: 'OAuthException', code, error_subcode: subcode, ...more },
  });

/** The time that all tests take place at, as Graph writes it. */
export const TIME = '2026-11-21T12:00:00+0000';

/** The same login with one page alone. */
export const withOnePage = <C extends AccountCall>(acting: C): C => ({
  ...acting,
  session: { ...acting.session, pages: { [PAGE]: SESSION.pages[PAGE] } },
});

/** A stretch of a list, with the cursor of the next one where there is more. */
export const listed = (data: readonly object[], after?: string) =>
  ok({ data, paging: { cursors: { after: after ?? 'end' }, ...(after !== undefined && { next: 'https://x' }) } });

/** A Graph that answers by `METHOD host /path`. */
export const graphOf = (script: Script, clock?: { now: number }) =>
  scripted(script, {
    hosts: facebook.hosts.real,
    session: SESSION,
    nameOf({ method, url }) {
      const { host, pathname } = new URL(url);
      const below = host === 'graph.facebook.com' ? '' : `${host.split('.')[0]} `;
      return `${method} ${below}${pathname.replace('/v25.0', '')}`;
    },
    ...(clock && { clock }),
  });

/** A post of the page with nothing but what is said. */
export const postOf = (post: Partial<OutgoingPost>) => anyPostOf({ page_id: PAGE, ...post });

const IMAGE: OpenedMedia = opened(Buffer.from('image'), 'image/png');
const VIDEO: OpenedMedia = opened(Buffer.from('0123456789'), 'video/mp4');

/** A step's call, with the results so far passed through JSON as the engine does. */
export function publishing(acting: AccountCall, post: OutgoingPost, done: Done = {}): LookupCall {
  return {
    ...acting,
    post,
    done: JSON.parse(JSON.stringify(done)) as Done,
    ...bareCall,
    open: async (ref) => (ref.startsWith('video') ? VIDEO : IMAGE),
  };
}

export const goOn = stepsOf(facebook.posts!, publishing);
