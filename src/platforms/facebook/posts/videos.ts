import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../../call.ts';
import type { OpenedMedia } from '../../media.ts';
import type { PublishCall } from '../../posts.ts';
import { PlatformError } from '../../errors.ts';
import { Id, Success } from '../../graph/api.ts';
import { Rejected, discard, switchOn } from './drafts.ts';
import { failedLater, isRefused, unlessRefused } from '../../shared/errors.ts';
import { pending } from '../../shared/pending.ts';
import type { Fields } from '../../shared/rest.ts';
import { assertTaken, inParts } from '../../shared/upload.ts';
import { rules } from './rules.ts';
import { asPage } from '../api.ts';
import { defineStep } from '../../shared/steps.ts';
import { anything, text } from '../../shared/fields.ts';
import { failureOf } from '../errors.ts';

/** A video and its page; the video id exists from the start of the upload. */
export const Video = z.object({ video: z.string(), page: z.string() });
export type Video = Readonly<z.output<typeof Video>>;
/** An uploaded video that needs one more request to finish the upload. */
const Session = Video.extend({ session: z.string() });
type Session = Readonly<z.output<typeof Session>>;
/** An upload in progress: the file size, and where the next part starts and must end. */
type Upload = Session & Readonly<{ size: number; at: number; to: number }>;
export const VideoView = z.object({ post_id: text, permalink: text });
export type VideoView = Readonly<z.output<typeof VideoView>>;

export const VIDEO_MS = 2 * HOUR;

export const UPLOAD = defineStep({ name: 'upload', kind: 'invisible', redo: [], result: Video, run: uploadVideo });
const READY = defineStep({
  name: 'ready',
  kind: 'invisible',
  maxWaitMs: VIDEO_MS,
  redo: [UPLOAD],
  result: anything,
  run: awaitVideo,
});
export const PUBLISH = defineStep({
  name: 'publish',
  kind: 'idempotent',
  result: z.union([Rejected, VideoView]),
  run: publishVideo,
});
/** Uploads the video again; the result is null if the first upload is public. */
export const AGAIN = defineStep({
  name: 'again',
  kind: 'invisible',
  result: Session.nullable(),
  run: prepareDirectVideo,
});
export const DIRECT = defineStep({
  name: 'direct',
  kind: 'visible',
  result: Video.extend(VideoView.shape).nullable(),
  run: publishVideoDirectly,
  settle: settleDirectVideo,
});
export const SHOWN = defineStep({
  name: 'shown',
  kind: 'idempotent',
  optional: 'address',
  result: VideoView,
  run: awaitPost,
});

export const steps = Object.freeze({ always: [UPLOAD, READY, PUBLISH], detour: [AGAIN, DIRECT], last: [SHOWN] });

const PART_BYTES = 8 * 1024 * 1024;

const count = z.coerce.number().int().nonnegative().optional().catch(undefined);
/** Facebook's documentation spells the byte count in two ways. */
const Phase = z.object({
  status: text,
  bytes_transfered: count,
  bytes_transferred: count,
  error: anything,
  errors: z.array(z.unknown()).catch([]),
});
const Status = z.object({
  video_status: text,
  uploading_phase: Phase.optional().catch(undefined),
  processing_phase: Phase.optional().catch(undefined),
  publishing_phase: Phase.optional().catch(undefined),
});
export type Status = z.output<typeof Status>;

const offset = z.coerce.number().int().nonnegative();
const Started = z.object({ video_id: Id, upload_session_id: Id, start_offset: offset, end_offset: offset });
const Transferred = z.object({ start_offset: offset, end_offset: offset });
const Looked = z.object({
  published: z.boolean().optional(),
  status: Status.optional(),
  post_id: Id.optional().catch(undefined),
  permalink_url: text,
});

async function uploadVideo(call: PublishCall): Promise<Video> {
  const { video, page, session } = await transferVideo(call);
  try {
    await finishVideo(call, { session }, false);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const status = await statusOf(call, video);
    // An earlier try whose response was lost may have finished the upload.
    const isWorkedOn = ['processing', 'ready'].includes(status?.video_status ?? '');
    if (call.kept === undefined || !isWorkedOn) throw failureIn(status) ?? error;
  }
  return { video, page };
}

/** The status of a video; undefined if Facebook does not show the video, which happens with new ones. */
export async function statusOf(call: PublishCall, video: string): Promise<Status | undefined> {
  return (await unlessRefused(lookAtVideo(call, video), 'not_found'))?.status;
}

async function awaitVideo(call: PublishCall): Promise<null> {
  const { video } = UPLOAD.resultIn(call.done);
  const { status } = await lookAtVideo(call, video);
  if (status?.video_status === 'ready') return null;
  throw failureIn(status) ?? pending('Facebook is still working on the video.');
}

async function publishVideo(call: PublishCall): Promise<Rejected | VideoView> {
  const { video } = UPLOAD.resultIn(call.done);
  const request = { path: '/{video}', ids: { video }, form: { published: true } };
  const rejected = await switchOn(call, request, async () => (await lookAtVideo(call, video)).published === true);
  return rejected ?? showing(call, video);
}

async function showing(call: PublishCall, video: string): Promise<VideoView> {
  try {
    const { post_id, permalink_url: permalink } = await lookAtVideo(call, video);
    return { post_id, permalink };
  } catch (error) {
    // The video is public already, so later errors must not fail it.
    if (error instanceof PlatformError) return {};
    throw error;
  }
}

/** If the video could not be published, uploads it again, up to the request that finishes the upload. */
async function prepareDirectVideo(call: PublishCall): Promise<Session | null> {
  if (!('direct' in PUBLISH.resultIn(call.done))) return null;
  const { video } = UPLOAD.resultIn(call.done);
  await discard(call, video);
  const { size: _, at: __, to: ___, ...begun } = await transferVideo(call);
  return begun;
}

/** Publishes the second upload with the request that finishes it. */
async function publishVideoDirectly(call: PublishCall): Promise<(Video & VideoView) | null> {
  const begun = AGAIN.resultIn(call.done);
  if (!begun) return null;
  await finishVideo(call, begun, true);
  return { video: begun.video, page: begun.page, ...(await showing(call, begun.video)) };
}

/** Waits for the post of a public video, because comments refer to the post. */
async function awaitPost(call: PublishCall): Promise<VideoView> {
  const direct = DIRECT.findIn(call.done);
  const { post_id, permalink } = direct ?? VideoView.parse(PUBLISH.resultIn(call.done));
  if (post_id !== undefined) return { post_id, permalink };
  const { video } = direct ?? UPLOAD.resultIn(call.done);
  return postOf(call, video);
}

export async function postOf(call: PublishCall, video: string): Promise<VideoView> {
  const { post_id, permalink_url: permalink } = await lookAtVideo(call, video);
  if (post_id === undefined) throw pending('Facebook has not made a post of the video yet.');
  return { post_id, permalink };
}

/** Looks for a directly published video by its id after a lost response. */
async function settleDirectVideo(call: PublishCall): Promise<Readonly<{ made: Video | null }> | 'unknown'> {
  const begun = AGAIN.resultIn(call.done);
  if (!begun) return { made: null };
  const { published } = await lookAtVideo(call, begun.video);
  return published === true ? { made: { video: begun.video, page: begun.page } } : 'unknown';
}

export function lookAtVideo(
  call: AccountCall & Pick<PublishCall, 'post'>,
  video: string,
): Promise<z.output<typeof Looked>> {
  const query = { fields: 'published,status,post_id,permalink_url' };
  return asPage(call, call.post.page_id, { method: 'GET', path: '/{video}', ids: { video }, query }, Looked);
}

/** Opens the file of the post's video and validates it again. */
export async function openVideo(call: PublishCall): Promise<OpenedMedia> {
  const opened = await call.open(call.post.media[0]!.ref);
  assertTaken('Facebook', 'video', opened, rules.media);
  return opened;
}

/** Why processing has failed for good; undefined while it may succeed. */
export function failureIn(status: Status | undefined): PlatformError | undefined {
  const { video_status: all, uploading_phase: up, processing_phase: work, publishing_phase: out } = status ?? {};
  if (all === 'expired')
    return failedLater('invalid_request', 'Facebook has dropped the video, because it was not published in time.');
  const phases = [up, work, out].filter((one) => one !== undefined);
  const failed = ['error', 'upload_failed'].includes(all ?? '') || phases.some((one) => one.status === 'error');
  const [why] = phases.flatMap(({ error, errors }) => [error, ...errors].filter(Boolean));
  return failed ? failureOf(why, ['invalid_request', 'Facebook cannot use this video; try another file.']) : undefined;
}

/** Uploads the video in parts; a retry resumes where Facebook says the upload stopped. */
async function transferVideo(call: PublishCall): Promise<Upload> {
  const media = await openVideo(call);
  const kept = call.kept as Upload | undefined;
  if (kept !== undefined && kept.size === media.size) {
    try {
      return await sendParts(call, media, { ...kept, at: await arrived(call, kept), to: media.size });
    } catch (error) {
      // Facebook has discarded the upload, so it starts again.
      if (!isRefused(error, 'invalid_request', 'not_found')) throw error;
    }
  }
  const start = { upload_phase: 'start', file_size: media.size };
  const begun = await asPage(call, call.post.page_id, uploadRequest(call, start), Started);
  const { video_id: video, upload_session_id: session, start_offset: at, end_offset: to } = begun;
  const upload = { video, session, page: call.post.page_id!, size: media.size, at, to };
  await call.keep(upload);
  return sendParts(call, media, upload);
}

function sendParts(call: PublishCall, media: OpenedMedia, from: Upload): Promise<Upload> {
  return inParts(call, media, {
    size: PART_BYTES,
    from,
    // Facebook returns the next range, and reports when the upload is complete.
    async put(bytes, upload) {
      const form = { upload_phase: 'transfer', upload_session_id: upload.session, start_offset: upload.at };
      const file = { name: 'video_file_chunk', filename: 'video', type: media.content_type, bytes };
      const next = await asPage(call, call.post.page_id, { ...uploadRequest(call, form), file }, Transferred);
      return { ...upload, at: next.start_offset, to: next.end_offset };
    },
  });
}

/** The number of bytes that arrived, if Facebook reports it. */
async function arrived(call: PublishCall, { video, at }: Upload): Promise<number> {
  const view = await unlessRefused(lookAtVideo(call, video), 'not_found');
  return transferredBytes(view?.status) ?? at;
}

export function transferredBytes(status: Status | undefined): number | undefined {
  const { bytes_transferred, bytes_transfered } = status?.uploading_phase ?? {};
  return bytes_transferred ?? bytes_transfered;
}

function uploadRequest({ post }: PublishCall, form: Fields) {
  return { method: 'POST', path: '/{page}/videos', ids: { page: post.page_id! }, host: 'video', form } as const;
}

async function finishVideo(
  call: PublishCall,
  { session }: Pick<Session, 'session'>,
  published: boolean,
): Promise<void> {
  const { post } = call;
  const form = {
    upload_phase: 'finish',
    upload_session_id: session,
    description: post.text.toWellFormed() || undefined,
    title: post.title?.toWellFormed() || undefined,
    published,
  };
  await asPage(call, post.page_id, uploadRequest(call, form), Success);
}
