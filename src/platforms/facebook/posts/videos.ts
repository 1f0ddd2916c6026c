import * as z from 'zod';
import { PLATFORM_REASONS } from '../../../kernel/errors.ts';
import type { AccountCall } from '../../call.ts';
import type { OpenedMedia } from '../../media.ts';
import type { PublishCall, Settled } from '../../posts.ts';
import { PlatformError } from '../../errors.ts';
import { Id, Success } from '../../graph/api.ts';
import { type Switched, discard, switchOn } from './drafts.ts';
import { pending } from '../../shared/pending.ts';
import { rules } from './rules.ts';
import { asPage } from '../api.ts';
import { unfit } from '../../shared/errors.ts';

/** A video by its id, which exists from the start of the upload. */
export type Video = Readonly<{ video: string; page: string }>;
/** An uploaded video that waits for its finishing request. */
export type Session = Video & Readonly<{ session: string }>;
/** The post and permalink of a video. */
export type Shown = Readonly<{ post_id?: string | undefined; permalink?: string | undefined }>;

const PART_BYTES = 8 * 1024 * 1024;

const text = z.string().optional().catch(undefined);
const count = z.coerce.number().int().nonnegative().optional().catch(undefined);
/** Facebook's examples spell the byte count in two ways. */
const Phase = z.object({ status: text, bytes_transfered: count, bytes_transferred: count });
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

/** Uploads the video of the post without publishing it. */
export async function uploadVideo(call: PublishCall): Promise<Video> {
  const begun = await transferVideo(call);
  await finishVideo(call, begun, false);
  return { video: begun.video, page: begun.page };
}

/** Waits until Facebook has processed the video. */
export async function awaitVideo(call: PublishCall): Promise<null> {
  const { video } = call.done['upload'] as Video;
  const { status } = await lookAtVideo(call, video);
  if (status?.video_status === 'ready') return null;
  throw failureIn(status) ?? pending('Facebook is still working on the video.');
}

/** Publishes the uploaded video; idempotent. */
export async function publishVideo(call: PublishCall): Promise<Switched | Shown> {
  const { video } = call.done['upload'] as Video;
  const ask = { path: '/{video}', ids: { video }, form: { published: true } };
  const rejected = await switchOn(call, ask, async () => (await lookAtVideo(call, video)).published === true);
  return rejected ?? showing(call, video);
}

/** The post and permalink of a public video, as far as known. */
async function showing(call: PublishCall, video: string): Promise<Shown> {
  try {
    const { post_id, permalink_url: permalink } = await lookAtVideo(call, video);
    return { post_id, permalink };
  } catch (error) {
    // Published already: later errors must not fail it.
    if (error instanceof PlatformError) return {};
    throw error;
  }
}

/** Uploads the video again if it could not be published; it waits for its finishing request. */
export async function prepareDirectVideo(call: PublishCall): Promise<Session | null> {
  if (!('direct' in (call.done['publish'] as Switched))) return null;
  const { video } = call.done['upload'] as Video;
  await discard(call, video);
  return transferVideo(call);
}

/** Sends the finishing request of such a video and publishes it. */
export async function publishVideoDirectly(call: PublishCall): Promise<(Video & Shown) | null> {
  const begun = call.done['again'] as Session | null;
  if (!begun) return null;
  await finishVideo(call, begun, true);
  return { video: begun.video, page: begun.page, ...(await showing(call, begun.video)) };
}

/** Waits for the post of a public video; its comments are named by it. */
export async function awaitPost(call: PublishCall): Promise<Shown> {
  const { post_id, permalink } = (call.done['direct'] ?? call.done['publish']) as Shown;
  if (post_id !== undefined) return { post_id, permalink };
  const { video } = (call.done['direct'] ?? call.done['upload']) as Video;
  return postOf(call, video);
}

/** The post of a public video; throws while there is none. */
export async function postOf(call: PublishCall, video: string): Promise<Shown> {
  const { post_id, permalink_url: permalink } = await lookAtVideo(call, video);
  if (post_id === undefined) throw pending('Facebook has not made a post of the video yet.');
  return { post_id, permalink };
}

/** Looks for a directly published video by its id after a lost answer. */
export async function settleDirectVideo(call: PublishCall): Promise<Settled> {
  const begun = call.done['again'] as Session | null;
  if (!begun) return { made: null };
  const { published } = await lookAtVideo(call, begun.video);
  return published === true ? { made: { video: begun.video, page: begun.page } satisfies Video } : 'unknown';
}

/** Reads the state of a video. */
export function lookAtVideo(
  call: AccountCall & Pick<PublishCall, 'post'>,
  video: string,
): Promise<z.output<typeof Looked>> {
  const query = { fields: 'published,status,post_id,permalink_url' };
  return asPage(call, call.post.page_id, { method: 'GET', path: '/{video}', ids: { video }, query }, Looked);
}

/** The file of the post's video, validated again. */
export async function openVideo(call: PublishCall): Promise<OpenedMedia> {
  const opened = await call.open(call.post.media[0]!.ref);
  const { supported_video_types: types, max_video_size_bytes: most } = rules.media;
  if (!types.includes(opened.content_type)) {
    throw unfit(`Facebook takes no ${opened.content_type} (${types.join(', ')}).`);
  }
  if (opened.size > most) throw unfit(`Videos of at most ${most} bytes are taken.`);
  return opened;
}

/** Why processing has failed for good; undefined while it may succeed. */
export function failureIn(status: Status | undefined): PlatformError | undefined {
  const { video_status: all, uploading_phase: up, processing_phase: work, publishing_phase: out } = status ?? {};
  if (all === 'expired') return unfit('Facebook has dropped the video, because it was not published in time.');
  const failed =
    ['error', 'upload_failed'].includes(all ?? '') || [up, work, out].some((one) => one?.status === 'error');
  return failed ? unfit('Facebook cannot use this video; try another file.') : undefined;
}

async function transferVideo(call: PublishCall): Promise<Session> {
  const media = await openVideo(call);
  const ask = { method: 'POST', path: '/{page}/videos', ids: { page: call.post.page_id! }, host: 'video' } as const;
  const start = { upload_phase: 'start', file_size: media.size };
  const {
    video_id: video,
    upload_session_id: session,
    ...first
  } = await asPage(call, call.post.page_id, { ...ask, form: start }, Started);
  // Facebook reports the next offset, and when the upload is complete.
  let { start_offset: from, end_offset: to } = first;
  while (from < to) {
    const form = { upload_phase: 'transfer', upload_session_id: session, start_offset: from };
    const bytes = await media.read(from, Math.min(to - from, PART_BYTES));
    const file = { name: 'video_file_chunk', filename: 'video', type: media.content_type, bytes };
    const next = await asPage(call, call.post.page_id, { ...ask, form, file }, Transferred);
    if (next.start_offset <= from) throw new PlatformError('unknown', 'api_error', PLATFORM_REASONS.api_error[1]);
    ({ start_offset: from, end_offset: to } = next);
  }
  return { video, session, page: call.post.page_id! };
}

async function finishVideo(call: PublishCall, { session }: Session, published: boolean): Promise<void> {
  const { post } = call;
  const form = {
    upload_phase: 'finish',
    upload_session_id: session,
    description: post.text.toWellFormed() || undefined,
    title: post.title?.toWellFormed() || undefined,
    published,
  };
  const ask = { method: 'POST', path: '/{page}/videos', ids: { page: post.page_id! }, host: 'video', form } as const;
  await asPage(call, post.page_id, ask, Success);
}
