import * as z from 'zod';
import { MINUTE } from '#kernel/clock.ts';
import type { AccountCall, PlatformAnswer } from '../call.ts';
import { googleCall } from '../googleapis/api.ts';
import type { OpenedMedia } from '../media.ts';
import type { PublishCall } from '../posts.ts';
import { refused, unclear } from '../shared/errors.ts';
import { pending } from '../shared/pending.ts';
import { jsonIn, send, UPLOAD_DEADLINE_MS } from '../shared/rest.ts';
import { isSameText, onlyMatch, SKEW_MS } from '../shared/settle.ts';
import { assertTaken, inParts } from '../shared/upload.ts';
import { answerTo, errorOf } from './api.ts';
import { newestUploads } from './reads.ts';
import { optionsOf, privacyOf, rules } from './rules.ts';

/** The size of a part, which must be a multiple of 256 KiB (except for the last part). */
const PART_BYTES = 8 * 1024 * 1024;
const PEOPLE_AND_BLOGS = '22';
/** How long YouTube may take to list a video that it has. */
export const LISTED_MS = 10 * MINUTE;

/** An upload session; its URL is as sensitive as a token. */
export const UploadSession = z.object({ url: z.string().min(1), began: z.number() });

/** `isWhole`: the last part was sent, so the video may exist. `gone`: when the session was first missing. */
const Upload = UploadSession.extend({
  at: z.number(),
  isWhole: z.boolean().optional(),
  gone: z.number().optional(),
  id: z.string().optional(),
});
type Upload = z.output<typeof Upload>;

export const Video = z.object({ id: z.string().min(1) });

/** Begins an upload; the video does not exist before its last byte has arrived. */
export async function begin(call: PublishCall, { size, content_type }: OpenedMedia) {
  const { post } = call;
  const options = optionsOf(post);
  const snippet = {
    title: post.title!.trim(),
    description: post.text.toWellFormed(),
    tags: options.tags,
    categoryId: options.category_id ?? PEOPLE_AND_BLOGS,
    defaultLanguage: options.default_language,
  };
  const status = {
    privacyStatus: privacyOf(post),
    selfDeclaredMadeForKids: options.made_for_kids ?? false,
    containsSyntheticMedia: options.contains_synthetic_media,
    embeddable: options.embeddable,
    license: options.license,
    publicStatsViewable: options.public_stats_viewable,
  };
  const { headers } = await answerTo(call, {
    method: 'POST',
    path: '/upload/youtube/v3/videos',
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      notifySubscribers: options.notify_subscribers ?? true,
    },
    headers: { 'x-upload-content-type': content_type, 'x-upload-content-length': String(size) },
    json: { snippet, status },
    cost: { bucket: 'uploads', units: 1 },
  });
  const url = headers['location'];
  if (url === undefined) throw unclear();
  return { url, began: call.now() };
}

export async function openVideo(call: PublishCall): Promise<OpenedMedia> {
  const media = await call.open(call.post.media[0]!.ref);
  assertTaken('YouTube', 'video', media, rules.media);
  return media;
}

/** Sends a video in parts; a lost session is restarted unless the video is among the newest uploads. */
export async function uploadVideo(call: PublishCall, session: z.output<typeof UploadSession>) {
  const media = await openVideo(call);
  const { data: kept } = Upload.safeParse(call.kept);
  let upload: Upload = { ...session, at: 0 };
  if (kept === undefined) await call.keep(upload);
  else upload = await resumed(call, media, kept);
  if (upload.id === undefined) {
    upload = await inParts<Upload>(call, media, {
      size: PART_BYTES,
      from: upload,
      put: (part, from) => put(call, media, part, from),
    });
  }
  if (upload.id === undefined) throw unclear();
  return { id: upload.id };
}

const request = (call: AccountCall, { url }: Upload, range: string, body: Uint8Array | string) =>
  send(call, {
    method: 'PUT',
    url,
    headers: { authorization: `Bearer ${googleCall(call).access}`, 'content-range': `bytes ${range}` },
    body,
    template: '/upload/{session}',
    deadlineMs: UPLOAD_DEADLINE_MS,
  });

/** Reads the progress from a response; undefined if the session is lost. */
function progressIn(call: AccountCall, upload: Upload, answer: PlatformAnswer, size: number): Upload | undefined {
  const { status, headers, body } = answer;
  if (status === 404 || status === 410) return undefined;
  if (status === 308) {
    const [, last] = /^bytes=0-(\d+)$/.exec(headers['range'] ?? '') ?? [];
    return { ...upload, at: last === undefined ? 0 : Number(last) + 1 };
  }
  const parsed = { status, headers, body: jsonIn(body) };
  const error = errorOf(parsed, call.now());
  if (error) throw error;
  const { data: video } = Video.safeParse(parsed.body);
  if (video === undefined) throw unclear();
  return { ...upload, at: size, id: video.id };
}

async function put(call: PublishCall, media: OpenedMedia, part: Uint8Array, from: Upload): Promise<Upload> {
  const end = from.at + part.byteLength;
  const isWhole = end === media.size;
  const upload = isWhole ? { ...from, isWhole } : from;
  // Stored before the last part is sent, because the video may exist from here on.
  if (isWhole) await call.keep(upload);
  const answer = await request(call, upload, `${from.at}-${end - 1}/${media.size}`, part);
  const progress = progressIn(call, upload, answer, media.size);
  // The retry finds out whether the video exists.
  if (progress === undefined) throw unclear();
  return progress;
}

/** Checks the progress of an earlier try; a lost session is restarted unless its video exists. */
async function resumed(call: PublishCall, media: OpenedMedia, kept: Upload): Promise<Upload> {
  if (kept.id !== undefined) return kept;
  const progress = progressIn(call, kept, await request(call, kept, `*/${media.size}`, ''), media.size);
  if (progress !== undefined) return progress;
  if (kept.isWhole === true) {
    const found = await findVideo(call, kept);
    if (found !== undefined) return { ...kept, at: media.size, id: found };
    const gone = kept.gone ?? call.now();
    await call.keep({ ...kept, gone });
    if (call.now() - gone < LISTED_MS)
      throw pending('YouTube no longer knows the upload; its video may still appear.', 60);
  }
  const upload = { ...(await begin(call, media)), at: 0 };
  await call.keep(upload);
  return upload;
}

async function findVideo(call: PublishCall, { began }: Upload): Promise<string | undefined> {
  const title = call.post.title!;
  const uploads = await newestUploads(call);
  const found = onlyMatch(
    uploads,
    (one) => isSameText(one.title, title) && one.published_at >= began - SKEW_MS,
    'absent',
  );
  if (found === 'unknown') throw refused('duplicate', 'The channel has several new videos of this title.');
  return found === 'absent' ? undefined : found.id;
}
