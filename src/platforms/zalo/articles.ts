import { MINUTE } from '#kernel/clock.ts';
import { cut } from '#kernel/text/length.ts';
import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { Done, OutgoingPost, PublishCall } from '../posts.ts';
import { failedLater, isRefused, unlessRefused } from '../shared/errors.ts';
import { anything, LongId, text } from '../shared/fields.ts';
import { pending } from '../shared/pending.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { assertTaken, filePart } from '../shared/upload.ts';
import { callApi, sessionOf } from './api.ts';
import { linkOf, readArticle } from './reads.ts';
import { assertFits, descriptionOf, isVideo, LONGEST_AUTHOR, optionsOf, rules } from './rules.ts';

/** How long a picture's URL works, from which Zalo fetches it. */
const FETCH_MINUTES = 60;

const Token = z.object({ token: z.string().min(1) });
const Article = z.object({ id: z.string() });
const Verified = z.object({ id: LongId.optional() }).nullish();
const Converted = z.object({
  status: z.coerce.number().int(),
  video_id: LongId.optional().catch(undefined),
  convert_percent: z.coerce.number().optional().catch(undefined),
  convert_error_code: z
    .union([
      z.int(),
      z
        .string()
        .regex(/^-?\d{1,9}$/)
        .transform(Number),
    ])
    .optional()
    .catch(undefined),
});

/** A video is uploaded and converted before its article is created. */
const UPLOAD = defineStep({ name: 'upload', kind: 'invisible', secret: true, result: Token, run: upload });
const CONVERT = defineStep({
  name: 'convert',
  kind: 'invisible',
  maxWaitMs: 60 * MINUTE,
  redo: [UPLOAD],
  result: z.object({ video_id: z.string() }),
  run: (call) => convert(call, UPLOAD.resultIn(call.done)),
});

/** An article is created hidden, which returns a token to poll; only `show`, which can be repeated, publishes it. */
const CREATE = defineStep({
  name: 'create',
  kind: 'invisible',
  secret: true,
  result: Token,
  run: (call) => write(call, '/v2.0/article/create', 'hide'),
});
const VERIFY = defineStep({
  name: 'verify',
  kind: 'invisible',
  maxWaitMs: 30 * MINUTE,
  result: Article,
  run: (call) => verify(call, CREATE.resultIn(call.done)),
});
const SHOW = defineStep({
  name: 'show',
  kind: 'idempotent',
  secret: true,
  result: Token,
  run: (call) => write(call, '/v2.0/article/update', 'show', idIn(call.done)),
});
const SHOWN = defineStep({
  name: 'shown',
  kind: 'idempotent',
  maxWaitMs: 30 * MINUTE,
  result: Article,
  run: (call) => verify(call, SHOW.resultIn(call.done)),
});
const LINK = defineStep({
  name: 'link',
  kind: 'idempotent',
  optional: 'address',
  result: z.object({ url: text }),
  run: async (call) => ({ url: await linkOf(call, idIn(call.done), isVideo(call.post) ? 'video' : 'normal') }),
});

const idIn = (done: Done): string => VERIFY.resultIn(done).id;

export const publish = defineSteps({
  assertFits,
  steps: (post) => [...(isVideo(post) ? [UPLOAD, CONVERT] : []), CREATE, VERIFY, SHOW, SHOWN, LINK],
  finish: (done) => ({ platform_post_id: idIn(done), permalink: LINK.findIn(done)?.url }),
});

async function upload(call: PublishCall): Promise<z.output<typeof Token>> {
  const media = await call.open(call.post.media[0]!.ref);
  assertTaken('Zalo', 'video', media, rules.media);
  const path = '/v2.0/article/upload_video/preparevideo';
  return callApi(call, { method: 'POST', path, file: filePart('file', media) }, Token);
}

/** States of a video that can never be shown: locked, cannot be converted, or removed. */
const FAILED: ReadonlySet<number> = new Set([2, 4, 5]);

async function convert(call: PublishCall, { token }: z.output<typeof Token>): Promise<{ video_id: string }> {
  const request = { method: 'GET', path: '/v2.0/article/upload_video/verify', headers: { token } } as const;
  const {
    status,
    video_id,
    convert_percent: percent = 0,
    convert_error_code: code,
  } = await callApi(call, request, Converted);
  if (status === 1 && video_id !== undefined) return { video_id };
  if (FAILED.has(status)) {
    throw failedLater('invalid_request', 'Zalo cannot convert this video, or has locked it.', { code });
  }
  throw pending(`Zalo is converting the video (${percent} %).`);
}

async function write(call: PublishCall, path: string, status: 'show' | 'hide', id?: string) {
  const json = { ...(id !== undefined && { id }), ...(await articleOf(call)), status };
  return callApi(call, { method: 'POST', path, json }, Token);
}

async function articleOf(call: PublishCall): Promise<object> {
  const { post } = call;
  const { author, description: _, cover, ...options } = optionsOf(post);
  const common = { title: post.title!.trim(), description: descriptionOf(post), comment: 'show', ...options };
  const fetched = (ref: string) => call.link(ref, { minutes: FETCH_MINUTES });
  if (isVideo(post)) {
    const { video_id } = CONVERT.resultIn(call.done);
    return { type: 'video', ...common, video_id, avatar: await fetched(cover!.source) };
  }
  const photo_url = await fetched(post.media[0]!.ref);
  return {
    type: 'normal',
    ...common,
    author: author ?? cut(sessionOf(call.session).name, LONGEST_AUTHOR),
    cover: { cover_type: 'photo', photo_url, status: 'show' },
    body: bodyOf(post),
  };
}

/** The body of an article, with one part for each paragraph of the text. */
function bodyOf({ text: words }: OutgoingPost) {
  const paragraphs = words
    .toWellFormed()
    .split(/\n\s*\n/)
    .map((one) => one.trim());
  return paragraphs.filter(Boolean).map((content) => ({ type: 'text', content }));
}

async function verify(call: AccountCall, { token }: z.output<typeof Token>): Promise<{ id: string }> {
  const path = '/v2.0/article/verify';
  const { id } = (await callApi(call, { method: 'POST', path, json: { token } }, Verified)) ?? {};
  if (id === undefined) throw pending('Zalo is still making the article.');
  return { id };
}

/** Deletes an article; Zalo has no special error for a missing one, so the article is looked up. */
export async function remove(call: AccountCall, id: string): Promise<void> {
  try {
    await callApi(call, { method: 'POST', path: '/v2.0/article/remove', json: { id } }, anything);
  } catch (error) {
    const isThere = async () => (await unlessRefused(readArticle(call, id), 'invalid_request')) !== undefined;
    if (!isRefused(error, 'invalid_request') || (await isThere())) throw error;
  }
}
