import { HOUR } from '#kernel/clock.ts';
import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { OpenedMedia } from '../media.ts';
import type { OutgoingPost, PublishCall } from '../posts.ts';
import { failedLater, refused, unclear, unlessRefused } from '../shared/errors.ts';
import { anything, maybeId } from '../shared/fields.ts';
import { pending } from '../shared/pending.ts';
import { path, send, UPLOAD_DEADLINE_MS } from '../shared/rest.ts';
import { isSameText, onlyMatch } from '../shared/settle.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { assertTaken, filePart, jsonWithFiles, multipart } from '../shared/upload.ts';
import { answerTo, request, pinUrl } from './api.ts';
import { pinsOfBoard } from './reads.ts';
import { assertFits, isVideo, optionsOf, rules } from './rules.ts';

/** The upload speed that the deadline allows for, because a video is sent in a single request. */
const SLOWEST_BYTES_PER_S = 512 * 1024;
/** Tolerated clock skew. */
const SKEW_MS = 5000;

const NOT_STORED = 'Pinterest does not accept the upload of the video any more.';

/** Checks the board, and stores the time in order to tell the pin from older ones. */
const BOARD = defineStep({
  name: 'board',
  kind: 'invisible',
  result: z.object({ asked_at: z.number() }),
  async run(call) {
    const { board_id } = call.post;
    await request(call, { method: 'GET', ...path`/boards/${{ board: board_id! }}` }, z.object({ id: z.string() }));
    return { asked_at: call.now() };
  },
});

const Registered = z.object({
  media_id: z.string().min(1),
  upload_url: z.string().min(1),
  upload_parameters: z.record(z.string(), z.string()),
});
const Media = z.object({
  status: z.string(),
  failure_code: maybeId,
});
const Pin = z.object({ id: z.string().min(1) });

/** A video is registered, uploaded and processed before its pin is created; nobody sees it until then. */
const REGISTER = defineStep({
  name: 'register',
  kind: 'invisible',
  secret: true,
  result: Registered,
  run: (call) => request(call, { method: 'POST', path: '/media', json: { media_type: 'video' } }, Registered),
});
const UPLOAD = defineStep({
  name: 'upload',
  kind: 'invisible',
  redo: [REGISTER],
  result: anything,
  run: (call) => upload(call, REGISTER.resultIn(call.done)),
});
const PROCESSED = defineStep({
  name: 'processed',
  kind: 'invisible',
  maxWaitMs: HOUR,
  redo: [REGISTER, UPLOAD],
  result: anything,
  run: (call) => processed(call, REGISTER.resultIn(call.done).media_id),
});

const PIN = defineStep({
  name: 'pin',
  kind: 'visible',
  result: Pin,
  run: async (call) => request(call, { method: 'POST', path: '/pins', body: await pinOf(call) }, Pin),
  settle,
});

export const publish = defineSteps({
  assertFits,
  steps: (post) => (isVideo(post) ? [BOARD, REGISTER, UPLOAD, PROCESSED, PIN] : [BOARD, PIN]),
  finish(done, hosts) {
    const { id } = PIN.resultIn(done);
    return { platform_post_id: id, permalink: pinUrl(hosts, id) };
  },
});

/** Uploads a video to Pinterest's storage as a form; repeating the upload has no further effect. */
async function upload(call: PublishCall, { upload_url, upload_parameters }: z.output<typeof Registered>) {
  const media = await opened(call, 'video', call.post.media[0]!.ref);
  const { type, content } = multipart(Object.entries(upload_parameters), filePart('file', media));
  const { status } = await send(call, {
    method: 'POST',
    url: upload_url,
    headers: { 'content-type': type },
    body: content,
    template: '/{upload}',
    deadlineMs: UPLOAD_DEADLINE_MS + (media.size / SLOWEST_BYTES_PER_S) * 1000,
  });
  if (status >= 200 && status <= 299) return {};
  const answered = { status, upstream: `HTTP ${status}` };
  // The registration expires, so a retry needs a new one.
  if (status === 403) throw refused('api_error', NOT_STORED, { ...answered, spent: true });
  throw unclear(undefined, answered);
}

async function processed(call: AccountCall, media: string): Promise<object> {
  const { status, failure_code: name } = await request(call, { method: 'GET', ...path`/media/${{ media }}` }, Media);
  if (status === 'succeeded') return {};
  if (status === 'failed') throw failedLater('invalid_request', 'Pinterest cannot use this video.', { name });
  throw pending('Pinterest is working on the video.');
}

async function opened({ open }: PublishCall, kind: 'image' | 'video', ref: string): Promise<OpenedMedia> {
  const media = await open(ref);
  assertTaken('Pinterest', kind, media, rules.media);
  return media;
}

/** Builds the body of a pin; images are included in it and read while it is sent. */
async function pinOf(call: PublishCall) {
  const { post } = call;
  const { link, alt_text, board_section_id, dominant_color, cover } = optionsOf(post);
  const covers = cover === undefined ? [] : [cover.source];
  const refs = isVideo(post) ? covers : post.media.map(({ ref }) => ref);
  const files = await Promise.all(refs.map((ref) => opened(call, 'image', ref)));
  return jsonWithFiles(files, (marks) => ({
    board_id: post.board_id!,
    board_section_id,
    ...(post.title?.trim() && { title: post.title.trim().toWellFormed() }),
    ...(post.text.trim() && { description: post.text.toWellFormed() }),
    link,
    alt_text,
    dominant_color,
    media_source: isVideo(post) ? videoSource(call, files, marks) : imageSource(post, files, marks),
  }));
}

/** The source of a video pin, which needs a cover: an image or a frame of the video. */
function videoSource({ post, done }: PublishCall, [file]: readonly OpenedMedia[], [data]: readonly string[]) {
  const { media_id } = REGISTER.resultIn(done);
  const { cover_time = 0 } = optionsOf(post);
  const image = file && { cover_image_content_type: file.content_type, cover_image_data: data };
  return { source_type: 'video_id', media_id, ...(image ?? { cover_image_key_frame_time: cover_time }) };
}

function imageSource(post: OutgoingPost, files: readonly OpenedMedia[], marks: readonly string[]) {
  const { titles, links } = optionsOf(post);
  const items = files.map(({ content_type }, at) => ({
    content_type,
    data: marks[at],
    ...(titles?.[at] && { title: titles[at].toWellFormed() }),
    ...(links?.[at] && { link: links[at] }),
  }));
  return items.length === 1
    ? { source_type: 'image_base64', ...items[0] }
    : { source_type: 'multiple_image_base64', items };
}

/** Searches the newest pins of the board for one whose response was lost. */
async function settle(call: PublishCall): Promise<Readonly<{ made: z.output<typeof Pin> }> | 'unknown'> {
  const { post, done } = call;
  const { asked_at } = BOARD.resultIn(done);
  const { link = '', alt_text = '' } = optionsOf(post);
  // A pin without any text cannot be told from other pins.
  if (`${post.title ?? ''}${post.text}${link}${alt_text}`.trim() === '') return 'unknown';
  const found = onlyMatch(
    await pinsOfBoard(call, post.board_id!),
    (pin) =>
      pin.created_at >= asked_at - SKEW_MS &&
      isSameText(pin.title, post.title ?? '') &&
      isSameText(pin.description, post.text) &&
      (link === '' || pin.link === link) &&
      (alt_text === '' || isSameText(pin.alt_text, alt_text)),
  );
  return found === 'unknown' ? found : { made: { id: found.id } };
}

/** Deletes a pin; a missing pin counts as success. */
export async function remove(call: AccountCall, pin: string): Promise<void> {
  await unlessRefused(answerTo(call, { method: 'DELETE', ...path`/pins/${{ pin }}` }), 'not_found');
}
