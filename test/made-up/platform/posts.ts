import { HOUR } from '#kernel/clock.ts';
import * as z from 'zod';
import type { AccountCall, Hosts, StreamedBody } from '#platforms/call.ts';
import type { OutgoingPost, Posts, PublishCall } from '#platforms/posts.ts';
import type { MediaRef } from '#platforms/media.ts';
import { isMissing } from '#platforms/shared/errors.ts';
import { anything } from '#platforms/shared/fields.ts';
import { pending } from '#platforms/shared/pending.ts';
import { path } from '#platforms/shared/rest.ts';
import { defineStep, defineSteps } from '#platforms/shared/steps.ts';
import { inParts } from '#platforms/shared/upload.ts';
import { Id, Made, Nothing, readPage, request, Time } from './api.ts';

const Upload = z.object({ id: Id, part_bytes: z.number().int().positive(), upload_token: z.string() });
const State = z.object({ state: z.enum(['open', 'working', 'ready']), seconds: z.number().optional() });
const Draft = z.object({ post: Id.optional() });
const Listed = z.object({ id: Id, text: z.string(), at: Time, stall: Id });
const Counted = z.object({
  post: Id,
  likes: z.number(),
  comments: z.number(),
  shares: z.number(),
  saves: z.number(),
});

type Progress = Readonly<{ at: number; etags: readonly string[] }>;

/** The texts of a post, one for each part of a thread. */
const partsOf = ({ text, segments }: OutgoingPost) => [text, ...segments.map((segment) => segment.text)];

/** The picture that stands for a post in lists. */
const coverOf = ({ cover }: OutgoingPost['options']): readonly MediaRef[] =>
  cover === undefined ? [] : [{ ...(cover as MediaRef), type: 'image' }];

/** A photo alone is fetched by Plaza. */
const isPulled = ({ media }: OutgoingPost) => media.length === 1 && media[0]!.kind === 'image';

const openStep = (at: number) =>
  defineStep({
    name: `open.${at}`,
    kind: 'invisible',
    secret: true,
    result: Upload,
    run: (call) => openUpload(call, at),
  });
const sendStep = (at: number) =>
  defineStep({ name: `send.${at}`, kind: 'idempotent', result: anything, run: (call) => sendParts(call, at) });
const readyStep = (at: number) =>
  defineStep({
    name: `ready.${at}`,
    kind: 'idempotent',
    maxWaitMs: 2 * HOUR,
    result: anything,
    run: (call) => waitFor(call, at),
  });
const draftStep = (at: number) =>
  defineStep({ name: `draft.${at}`, kind: 'invisible', result: Made, run: (call) => draft(call, at) });
const publishStep = (at: number) =>
  defineStep({
    name: `publish.${at}`,
    kind: 'visible',
    result: Made,
    run(call) {
      const { id } = draftStep(at).resultIn(call.done);
      return request(call, { method: 'POST', ...path`/drafts/${{ draft: id }}/publish` }, Made);
    },
    /** A draft knows its post. */
    async settle(call) {
      const { id } = draftStep(at).resultIn(call.done);
      const { post } = await request(call, { method: 'GET', ...path`/drafts/${{ draft: id }}` }, Draft);
      return post === undefined ? 'absent' : { made: { id: post } };
    },
  });

/** The mark by which a first comment is found again. */
const markOf = ({ done }: Pick<PublishCall, 'done'>) => `first-${draftStep(0).resultIn(done).id}`;

const COMMENT = defineStep({
  name: 'comment',
  kind: 'visible',
  optional: 'first_comment',
  result: Made.partial().extend({ refused: z.string().optional() }),
  run(call) {
    const json = { post: publishStep(0).resultIn(call.done).id, text: call.post.first_comment, mark: markOf(call) };
    return request(call, { method: 'POST', path: '/comments', json }, Made);
  },
  settle: (call) => findMark(call, markOf(call)),
});

async function openUpload(call: PublishCall, at: number): Promise<z.output<typeof Upload>> {
  const media = await call.open(call.post.media[at]!.ref);
  const json = { size: media.size, type: media.content_type };
  return request(call, { method: 'POST', path: '/uploads', json }, Upload);
}

async function sendParts(call: PublishCall, at: number): Promise<unknown> {
  const { id, part_bytes: size, upload_token } = openStep(at).resultIn(call.done);
  const media = await call.open(call.post.media[at]!.ref);
  const from = (call.kept as Progress | undefined) ?? { at: 0, etags: [] };
  async function put(content: Uint8Array | StreamedBody, { at: start, etags: known }: Progress): Promise<Progress> {
    const body = { type: 'application/octet-stream', content };
    const part = path`/uploads/${{ upload: id }}/parts/${{ part: String(known.length) }}`;
    const ask = { method: 'PUT', ...part, query: { upload_token }, body } as const;
    const { etag } = await request(call, ask, z.object({ etag: z.string() }));
    return { at: start + content.length, etags: [...known, etag] };
  }
  // A video goes as one stream.
  const whole = { length: media.size, open: () => media.stream() };
  const isVideo = call.post.media[at]!.kind === 'video';
  const { etags } = isVideo ? await put(whole, from) : await inParts<Progress>(call, media, { size, from, put });
  await request(call, { method: 'POST', ...path`/uploads/${{ upload: id }}/finish`, json: { etags } }, Nothing);
  return {};
}

async function waitFor(call: PublishCall, at: number): Promise<unknown> {
  const { id } = openStep(at).resultIn(call.done);
  const { state, seconds } = await request(call, { method: 'GET', ...path`/uploads/${{ upload: id }}` }, State);
  if (state !== 'ready') throw pending('Plaza still works on the media.', seconds);
  return {};
}

async function draft(call: PublishCall, at: number): Promise<z.output<typeof Made>> {
  const { post } = call;
  const own = at > 0 ? [] : post.media;
  const media = isPulled(post)
    ? await Promise.all(own.map(async ({ ref }) => ({ photo: await call.link(ref, { minutes: 60 }) })))
    : own.map(({ kind }, n) => ({ upload: openStep(n).resultIn(call.done).id, video: kind === 'video' }));
  const json = {
    stall: post.page_id,
    text: partsOf(post)[at],
    title: post.title,
    board: post.board_id,
    media,
    audience: post.options['audience'],
    // Plaza asks no other hosts for covers.
    cover: await Promise.all(
      coverOf(post.options).map(({ source }) => call.link(source, { minutes: 60, rehost: true })),
    ),
    ...(at > 0 && {
      parent: publishStep(at - 1)
        .resultIn(call.done)
        .id.replace('t-', ''),
    }),
  };
  return request(call, { method: 'POST', path: '/drafts', json }, Made);
}

/** What a mark was given to; `absent` where nothing has it. */
export async function findMark(
  call: AccountCall,
  mark: string,
): Promise<Readonly<{ made: { id: string } }> | 'absent'> {
  try {
    return { made: await request(call, { method: 'GET', ...path`/marks/${{ mark }}` }, Made) };
  } catch (error) {
    if (isMissing(error)) return 'absent';
    throw error;
  }
}

export const permalinkOf = (hosts: Hosts, id: string) => `${hosts['web']!}/${id}`;

const IMAGES = ['image/png', 'image/jpeg'];
const LARGEST = 8 * 1024 * 1024;

export const posts: Posts = {
  rules: {
    text: {
      max_length: 500,
      counting_mode: 'graphemes',
      max_bytes: 2000,
      max_hashtags: 3,
      max_mentions: 2,
      max_links: 2,
    },
    title: { max: 40, counting: 'chars', required: false },
    media: {
      max_image_size_bytes: LARGEST,
      max_video_size_bytes: LARGEST,
      supported_image_types: IMAGES,
      supported_video_types: ['video/mp4'],
      documents: ['application/pdf'],
      max_document_size_bytes: LARGEST,
      pulls: 'any_address',
      sources: ['media_id', 'url'],
    },
    carousel: { supported: true, min_items: 2, max_items: 4, allow_video: false, images_only: true },
    text_only: true,
    threads: { supported: true, max_segments: 3 },
    first_comment: { max: 500, counting: 'chars' },
    visibilities: ['public'],
  },
  check: ({ options: { audience = 'everyone' } }) =>
    audience === 'everyone' || audience === 'friends'
      ? []
      : [{ field: 'platform_data', message: 'The audience is everyone or friends.' }],
  attached: (options) => coverOf(options),
  publish: defineSteps({
    /** Media are opened, sent in parts and waited for; then each part of the thread is drafted and published. */
    steps(post) {
      const uploads = isPulled(post) ? [] : post.media;
      return [
        ...uploads.flatMap((_, at) => [openStep(at), sendStep(at), readyStep(at)]),
        ...partsOf(post).flatMap((_, at) => [draftStep(at), publishStep(at)]),
        ...(post.first_comment === undefined ? [] : [COMMENT]),
      ];
    },
    finish(done, hosts) {
      const { id } = publishStep(0).resultIn(done);
      const { refused: why } = COMMENT.findIn(done) ?? {};
      const metadata = {
        draft: draftStep(0).resultIn(done).id,
        ...(why !== undefined && { first_comment_error: why }),
      };
      return { platform_post_id: id, permalink: permalinkOf(hosts, id), metadata };
    },
  }),
  remove: async (call, post) => void (await request(call, { method: 'DELETE', ...path`/posts/${{ post }}` }, Nothing)),
  async list(call, { cursor, pageId }) {
    const { items, cursor: next } = await readPage(call, { path: '/posts' }, { stall: pageId, from: cursor }, Listed);
    return {
      posts: items.map(({ id, text, at, stall }) => ({
        platform_post_id: id,
        permalink: permalinkOf(call.hosts, id),
        text,
        created_at: at,
        media: [],
        page_id: stall,
      })),
      cursor: next,
    };
  },
  isSame: (published, { platform_post_id }) => published === `t-${platform_post_id}`,
  syncDepth: 50,
  async metrics(call, measured) {
    const { items } = await readPage(call, { path: '/metrics' }, { post: measured.map(({ id }) => id) }, Counted);
    return new Map(items.map(({ post, ...counts }) => [post, counts]));
  },
};
