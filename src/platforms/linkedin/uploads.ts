import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { OpenedMedia } from '../media.ts';
import type { PublishCall } from '../posts.ts';
import { failedLater, isRefused, unclear, unlessRefused } from '../shared/errors.ts';
import { pending } from '../shared/pending.ts';
import { path } from '../shared/rest.ts';
import { assertFile, inParts } from '../shared/upload.ts';
import { actorOf, answerTo, callApi, kindOfUrn, Urn } from './api.ts';
import { UNUSABLE_FILE } from './errors.ts';
import { rules } from './rules.ts';

/** Upload URLs are no longer used when less than this is left until they expire. */
const MARGIN_MS = 2 * MINUTE;
/** How long to wait for a file whose state the login is not allowed to read. */
const UNSEEN_MS = 15_000;

const { media: limits } = rules;
/** LinkedIn's name and limits for each kind of media. */
const FILES = {
  image: { name: 'image', types: limits.supported_image_types, max: limits.max_image_size_bytes },
  video: { name: 'video', types: limits.supported_video_types, max: limits.max_video_size_bytes },
  file: { name: 'document', types: limits.documents!, max: limits.max_document_size_bytes! },
} as const;
type Kind = keyof typeof FILES;

const File = z.object({ value: z.object({ uploadUrl: z.url(), image: Urn.optional(), document: Urn.optional() }) });
const Part = z.object({ uploadUrl: z.url(), lastByte: z.number().int() });
/** The state of a video upload: its parts, the ETags of those uploaded, and where the next part begins. */
const Video = z.object({
  video: Urn,
  uploadToken: z.string().default(''),
  uploadUrlsExpireAt: z.number().optional().catch(undefined),
  uploadInstructions: z.tuple([Part], Part),
  etags: z.array(z.string()).default([]),
  at: z.number().default(0),
  to: z.number().optional(),
});
type Video = z.output<typeof Video>;

/** Uploads a file for a page's post; nobody sees it until the post exists. */
export async function upload(call: PublishCall, kind: Kind, ref: string): Promise<Readonly<{ urn: string }>> {
  const media = await call.open(ref);
  const { name } = FILES[kind];
  assertFile('LinkedIn', `${name}s`, media, FILES[kind]);
  if (kind === 'video') return { urn: await sendVideo(call, media) };
  const { value } = await begin(call, name, {}, File);
  const content = { length: media.size, open: () => media.stream() };
  await answerTo(call, { method: 'PUT', to: value.uploadUrl, path: '', body: { type: media.content_type, content } });
  return { urn: value.image ?? value.document ?? unnamed() };
}

/** LinkedIn accepted the request but returned no name for what it made. */
function unnamed(): never {
  throw unclear();
}

function begin<T extends z.ZodType>(call: PublishCall, name: string, more: object, schema: T): Promise<z.output<T>> {
  const json = { initializeUploadRequest: { owner: actorOf(call.post.page_id), ...more } };
  return callApi(call, { method: 'POST', path: `/rest/${name}s?action=initializeUpload`, json }, schema);
}

/** Uploads a video in the parts that LinkedIn specifies; a retry resumes where the upload stopped. */
async function sendVideo(call: PublishCall, media: OpenedMedia): Promise<string> {
  const { data: kept } = Video.safeParse(call.kept);
  const isUsable = (kept?.uploadUrlsExpireAt ?? Infinity) - MARGIN_MS > call.now() || kept?.at === media.size;
  const from = kept && isUsable ? kept : await beginVideo(call, media);
  const done = await inParts<Video>(call, media, {
    size: from.uploadInstructions[0].lastByte + 1,
    from,
    async put(content, sent) {
      const { uploadInstructions: parts, etags, at } = sent;
      const body = { type: 'application/octet-stream', content };
      const { headers } = await answerTo(call, { method: 'PUT', to: parts[etags.length]!.uploadUrl, path: '', body });
      const [etag, next] = [headers['etag'] ?? unnamed(), parts[etags.length + 1]];
      return { ...sent, etags: [...etags, etag], at: at + content.byteLength, to: next && next.lastByte + 1 };
    },
  });
  await finalize(call, done);
  return done.video;
}

async function beginVideo(call: PublishCall, { size }: OpenedMedia): Promise<Video> {
  const more = { fileSizeBytes: size, uploadCaptions: false, uploadThumbnail: false };
  const { value } = await begin(call, 'video', more, z.object({ value: Video }));
  // Other parts would not make up the file.
  if (value.uploadInstructions.at(-1)!.lastByte !== size - 1) throw unclear();
  await call.keep(value);
  return value;
}

/** Joins the parts in order; if an earlier try already did, LinkedIn's refusal is ignored. */
async function finalize(call: PublishCall, { video, uploadToken, etags: uploadedPartIds }: Video): Promise<void> {
  const json = { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } };
  try {
    await callApi(call, { method: 'POST', path: '/rest/videos?action=finalizeUpload', json }, z.unknown());
  } catch (error) {
    if (!isRefused(error, 'invalid_request') || (await stateOf(call, video)) === 'WAITING_UPLOAD') throw error;
  }
}

/** The state of a file; undefined if the login may not read it. */
async function stateOf(call: AccountCall, urn: string): Promise<string | undefined> {
  const where = path`/rest/${{ files: `${kindOfUrn(urn)}s` }}/${{ urn }}`;
  const requested = callApi(call, { method: 'GET', ...where }, z.object({ status: z.string() }));
  return (await unlessRefused(requested, 'permission_denied'))?.status;
}

/** Waits until LinkedIn has processed the uploaded files. */
export async function awaitFiles(call: PublishCall, urns: readonly string[]): Promise<object> {
  const states = await Promise.all(urns.map((urn) => stateOf(call, urn)));
  if (states.includes('PROCESSING_FAILED')) throw failedLater('invalid_request', UNUSABLE_FILE);
  if (states.includes('PROCESSING') || states.includes('WAITING_UPLOAD'))
    throw pending('LinkedIn is processing the file.');
  if (!states.includes(undefined)) return {};
  // A login that may not read the state of files waits a moment and then continues.
  const { since } = (call.kept ?? {}) as Readonly<{ since?: number }>;
  if (since === undefined) await call.keep({ since: call.now() });
  if (call.now() < (since ?? call.now()) + UNSEEN_MS)
    throw pending('Waiting a moment for LinkedIn to process the file.', 5);
  return {};
}
