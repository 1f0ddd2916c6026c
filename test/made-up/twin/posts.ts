import { digits } from '../../../src/sandbox/kit/ids.ts';
import { profilesOf, stallsOf } from './docs.ts';
import { makeThings, type Methods } from './calls.ts';
import { Refusal } from './refusals.ts';
import type { Plaza } from './world.ts';

const PART_BYTES = 64 * 1024;

/** The post of an id, or of the ticket it is public under at first. */
const idOf = (ticket = '') => ticket.replace('t-', '');

/** Profiles and stalls, media and posts. */
export function postMethods(plaza: Plaza): Methods {
  const { docs, pushing, settings, options } = plaza;
  const { make, isOn, alive, stall, page } = makeThings(plaza);
  const now = () => options.clock.now();

  return Object.freeze({
    'GET profiles': ({ caller: { person, profiles } }) => ({
      items: profilesOf(person).filter(({ id }) => profiles.includes(id)),
    }),
    'GET stalls': ({ caller }) => ({
      items: stallsOf(caller.profile).filter(({ id }) => !isOn('stalls_given_away', id)),
    }),
    'GET limits': () => ({ posts_left: 40 - (docs.list('post').length % 40) }),
    'GET creator': ({ caller }) => ({
      nickname: caller.person,
      longest_video_s: 600,
      audiences: ['everyone', 'friends'],
    }),

    // Media come in parts, are worked on for a while, and their addresses are secrets.
    'POST uploads': ({ body: { size, type } }) => {
      const { id, upload_token } = make('upload', { size: Number(size), type, parts: {}, upload_token: digits(30) });
      return { id, part_bytes: PART_BYTES, upload_token };
    },
    'PUT uploads/*/parts/*': ({ ids: [id, at = ''], query, bytes }) => {
      const upload = alive('upload', id);
      if (query.get('upload_token') !== upload['upload_token']) throw new Refusal('forbidden');
      docs.change('upload', upload.id, { parts: { ...(upload['parts'] as object), [at]: bytes.length } });
      return { etag: `${at}-${bytes.length}` };
    },
    'POST uploads/*/finish': ({ ids: [id], body }) => {
      const upload = alive('upload', id);
      const parts = upload['parts'] as Readonly<Record<string, number>>;
      const whole = Object.values(parts).reduce((sum, length) => sum + length, 0);
      const etags = Object.entries(parts).map(([at, length]) => `${at}-${length}`);
      if (whole !== upload['size'] || String(body.etags) !== String(etags)) throw new Refusal('bad_request');
      docs.change('upload', upload.id, { ready_at: upload['ready_at'] ?? now() + settings.get('work_ms') });
      return {};
    },
    'GET uploads/*': ({ ids: [id] }) => {
      const { ready_at: ready } = alive('upload', id);
      if (typeof ready !== 'number') return { state: 'open' };
      return ready > now() ? { state: 'working', seconds: 60 } : { state: 'ready' };
    },

    'POST drafts': (call) => {
      const { text, title, media = [], parent, audience } = call.body;
      if (parent !== undefined) alive('post', parent);
      for (const { upload } of media) if (upload !== undefined) alive('upload', upload);
      return { id: make('draft', { page_id: stall(call, call.body.stall), text, title, media, parent, audience }).id };
    },
    'POST drafts/*/publish': ({ ids: [id], caller: { profile } }) => {
      const { page_id, text, media, post: before } = alive('draft', id);
      if (before !== undefined) throw new Refusal('posted_already');
      const post = make('post', { page_id, profile, text, media });
      // What has a video is public under a ticket first; its id follows.
      const hasVideo = (media as readonly { video?: boolean }[]).some(({ video }) => video);
      if (hasVideo) pushing.push(profile, { type: 'named', ticket: `t-${post.id}`, post: post.id });
      const shown = hasVideo ? `t-${post.id}` : post.id;
      docs.change('draft', id!, { post: shown });
      return { id: shown };
    },
    'GET drafts/*': ({ ids: [id] }) => ({ post: alive('draft', id)['post'] }),
    'GET posts': (call) => {
      const posts = docs.list('post', { page: stall(call, call.query.get('stall')) });
      const there = posts.filter(({ gone }) => gone !== true);
      return page(there, call, ({ id, text, at, page_id }) => ({ id, text, at, stall: page_id }));
    },
    'DELETE posts/*': ({ ids: [id] }) => {
      docs.change('post', alive('post', idOf(id)).id, { gone: true });
      return {};
    },
    'GET metrics': ({ query }) => ({
      items: query.getAll('post').flatMap((id) => {
        const post = docs.get('post', idOf(id));
        const comments = docs.list('comment', { parent: idOf(id) }).length;
        return post ? [{ post: id, likes: 3, comments, shares: 1, saves: 0 }] : [];
      }),
    }),
  } satisfies Methods);
}
