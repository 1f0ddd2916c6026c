import { readBody } from '#sandbox/body.ts';
import { digits } from '#sandbox/kit/ids.ts';
import { profilesOf, stallsOf } from './docs.ts';
import { Refusal } from './refusals.ts';
import { makeThings, on, postId } from './things.ts';
import type { Plaza } from './world.ts';

const PART_BYTES = 64 * 1024;
const MOST_BYTES = 1024 * 1024;
const CREATOR = { longest_video_s: 600, audiences: ['everyone', 'friends'] };

/** What a post shows: something uploaded, or a photo that is fetched from its address. */
type Medium = Readonly<{ upload?: string; photo?: string; video?: boolean }>;

/** Media come in parts, are worked on for a while, and their addresses are secrets. */
function uploadRoutes(plaza: Plaza) {
  const { clock } = plaza.options;
  const { make, alive, change } = makeThings(plaza);
  return [
    on('POST', '/uploads', {}, ({ params }) => {
      const { size, type } = params.values;
      const { id, upload_token } = make('upload', { size: Number(size), type, parts: {}, upload_token: digits(30) });
      return { id, part_bytes: PART_BYTES, upload_token };
    }),
    on('PUT', '/uploads/{id}/parts/{at}', { isStream: true }, async ({ ctx, path: { id, at = '' }, params }) => {
      const { upload_token, parts } = alive('upload', id);
      if (params.query['upload_token'] !== upload_token) throw new Refusal('forbidden');
      const { length } = (await readBody(ctx, MOST_BYTES)) ?? [];
      change('upload', id, { parts: { ...(parts as object), [at]: length } });
      return { etag: `${at}-${length}` };
    }),
    on('POST', '/uploads/{id}/finish', {}, ({ path: { id }, params }) => {
      const { parts, size, ready_at } = alive('upload', id);
      const lengths = Object.entries(parts as Readonly<Record<string, number>>);
      const whole = lengths.reduce((sum, [, length]) => sum + length, 0);
      const etags = lengths.map(([at, length]) => `${at}-${length}`);
      if (whole !== size || String(params.list('etags')) !== String(etags)) throw new Refusal('bad_request');
      return change('upload', id, { ready_at: ready_at ?? clock.now() + plaza.settings.get('work_ms') });
    }),
    on('GET', '/uploads/{id}', {}, ({ path: { id } }) => {
      const { ready_at: ready } = alive('upload', id);
      if (typeof ready !== 'number') return { state: 'open' };
      return ready > clock.now() ? { state: 'working', seconds: 60 } : { state: 'ready' };
    }),
  ];
}

/** Profiles and stalls, media and posts. */
export function postRoutes(plaza: Plaza) {
  const { docs, pushing, fetching } = plaza;
  const { make, isOn, alive, change, stall, ofStall } = makeThings(plaza);
  return [
    on('GET', '/profiles', {}, ({ caller: { person, profiles } }) => ({
      items: profilesOf(person).filter(({ id }) => profiles.includes(id)),
    })),
    on('GET', '/stalls', {}, ({ caller }) => ({
      items: stallsOf(caller.profile).filter(({ id }) => !isOn('stalls_given_away', id)),
    })),
    on('GET', '/limits', {}, () => ({ posts_left: 40 - (docs.list('post').length % 40) })),
    on('GET', '/creator', {}, ({ caller: { person: nickname } }) => ({ nickname, ...CREATOR })),
    ...uploadRoutes(plaza),
    on('POST', '/drafts', {}, async (call) => {
      const { stall: where, parent, ...fields } = call.params.values;
      const page_id = stall(call, where);
      if (parent !== undefined) alive('post', parent);
      const media = (call.params.list('media') ?? []) as readonly Medium[];
      const covers = (call.params.list('cover') ?? []) as readonly string[];
      for (const { upload, photo } of [...media, ...covers.map((url): Medium => ({ photo: url }))]) {
        if (upload !== undefined) alive('upload', upload);
        const fetched = photo === undefined ? undefined : await fetching.media(photo, MOST_BYTES);
        if (photo !== undefined && fetched?.mime.startsWith('image/') !== true)
          throw new Refusal('bad_request', 'There is no photo at the address.');
      }
      // Each app names the partner it belongs to.
      return { id: make('draft', { ...fields, page_id, parent, partner: call.ctx.get('plaza-partner') }).id };
    }),
    on('POST', '/drafts/{id}/publish', {}, ({ path: { id }, caller: { profile } }) => {
      const { post: before, id: _, ...draft } = alive('draft', id);
      if (before !== undefined) throw new Refusal('posted_already');
      const post = make('post', { ...draft, profile });
      // What has a video is public under a ticket first; its id follows.
      const hasVideo = ((draft['media'] ?? []) as readonly Medium[]).some(({ video }) => video);
      if (hasVideo) pushing.push(profile, { type: 'named', ticket: `t-${post.id}`, post: post.id });
      const shownAs = hasVideo ? `t-${post.id}` : post.id;
      change('draft', id, { post: shownAs });
      return { id: shownAs };
    }),
    on('GET', '/drafts/{id}', {}, ({ path: { id } }) => ({ post: alive('draft', id)['post'] })),
    on('GET', '/posts', {}, ofStall('post')),
    on('DELETE', '/posts/{id}', {}, ({ path: { id } }) => change('post', postId(id), { gone: true })),
    on('GET', '/metrics', {}, ({ ctx }) => ({
      items: ctx.URL.searchParams.getAll('post').flatMap((id) => {
        const comments = docs.list('comment', { parent: postId(id) }).length;
        return docs.get('post', postId(id)) ? [{ post: id, likes: 3, comments, shares: 1, saves: 0 }] : [];
      }),
    })),
  ];
}
