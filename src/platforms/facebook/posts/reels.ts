import * as z from 'zod';
import type { PublishCall } from '../../posts.ts';
import { PlatformError } from '../../errors.ts';
import { Id, Success } from '../../graph/api.ts';
import { asPage, sendBytes } from '../api.ts';
import { unclear, unlessRefused } from '../../shared/errors.ts';
import { anything, text } from '../../shared/fields.ts';
import { pending } from '../../shared/pending.ts';
import { defineStep } from '../../shared/steps.ts';
import { kindOf } from './rules.ts';
import {
  VideoView,
  type Status,
  VIDEO_MS,
  Video,
  failureIn,
  lookAtVideo,
  openVideo,
  postOf,
  statusOf,
  transferredBytes,
} from './videos.ts';

const Finished = z.object({ post_id: text });
type Finished = z.output<typeof Finished>;

/** How long a video's reported state may be out of date after our requests. */
const LAG_MS = 90_000;

const Started = z.object({ video_id: Id });
const Published = Success.extend({ post_id: Id.optional().catch(undefined) });

export const START = defineStep({ name: 'start', kind: 'invisible', result: Video, run: startReel });
const BYTES = defineStep({ name: 'bytes', kind: 'invisible', result: z.object({ at: z.number() }), run: sendReel });
export const THERE = defineStep({
  name: 'there',
  kind: 'invisible',
  maxWaitMs: VIDEO_MS,
  redo: [START, BYTES],
  result: anything,
  run: awaitUpload,
});
const FINISH = defineStep({
  name: 'finish',
  kind: 'idempotent',
  redo: [START, BYTES, THERE],
  result: Finished,
  run: finishReel,
});
export const LIVE = defineStep({
  name: 'live',
  kind: 'idempotent',
  maxWaitMs: VIDEO_MS,
  redo: [START, BYTES, THERE, FINISH],
  result: VideoView,
  run: awaitReel,
});
export const SHOWN = defineStep({
  name: 'shown',
  kind: 'idempotent',
  optional: 'address',
  result: VideoView,
  run: awaitReelPost,
});

export const reelSteps = Object.freeze({ always: [START, BYTES, FINISH, LIVE], detour: [], last: [SHOWN] });
/** A story, unlike a reel, must be uploaded completely before it is published. */
export const storySteps = Object.freeze({ always: [START, BYTES, THERE, FINISH, LIVE], detour: [], last: [] });

/** Requests an id for the upload of a reel's or story's video. */
async function startReel(call: PublishCall): Promise<Video> {
  const { video_id: video } = await asPage(call, call.post.page_id, edge(call, { upload_phase: 'start' }), Started);
  return { video, page: call.post.page_id! };
}

async function sendReel(call: PublishCall): Promise<Readonly<{ at: number }>> {
  const { video } = START.resultIn(call.done);
  const media = await openVideo(call);
  for (let upload = await uploadOf(call, video); upload.status !== 'complete';) {
    const { offset } = upload;
    try {
      await sendBytes(call, call.post.page_id, { video, media, offset });
      break;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'unknown') throw error;
      upload = await uploadOf(call, video);
      // A long upload may exceed the deadline of a request; the bytes that arrived are kept.
      if (upload.offset <= offset && upload.status !== 'complete') throw error;
    }
  }
  return { at: call.now() };
}

async function uploadOf(
  call: PublishCall,
  video: string,
): Promise<Readonly<{ status?: string | undefined; offset: number }>> {
  const status = await statusOf(call, video);
  return { status: status?.uploading_phase?.status, offset: transferredBytes(status) ?? 0 };
}

async function awaitUpload(call: PublishCall): Promise<null> {
  const status = await statusOf(call, START.resultIn(call.done).video);
  const isThere = status?.uploading_phase?.status === 'complete';
  if (isThere || status?.video_status === 'ready' || status?.video_status === 'upload_complete') return null;
  throw failureIn(status) ?? pending('Facebook is still reading the video.');
}

/** Publishes the video; idempotent, because one video id makes at most one post. */
async function finishReel(call: PublishCall): Promise<Finished> {
  const { video } = START.resultIn(call.done);
  const before = await begunPost(call, video);
  if (before) return before;
  const { post } = call;
  const story = kindOf(post) === 'video_story';
  const form = {
    upload_phase: 'finish',
    video_id: video,
    ...(!story && {
      video_state: 'PUBLISHED',
      description: post.text.toWellFormed() || undefined,
      title: post.title?.toWellFormed() || undefined,
    }),
  };
  try {
    const { post_id } = await asPage(call, post.page_id, edge(call, form), Published);
    return { post_id };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'refused') throw error;
    // If the response to an earlier try was lost, Facebook refuses this one while publishing is in progress.
    const after = await begunPost(call, video);
    if (after) return after;
    const { at } = BYTES.resultIn(call.done);
    const isOld = call.now() - at > LAG_MS;
    if (isOld || !['invalid_request', 'duplicate', 'not_found'].includes(error.reason)) throw error;
    throw unclear(error.message, error);
  }
}

async function awaitReel(call: PublishCall): Promise<VideoView> {
  const { video } = START.resultIn(call.done);
  const finished = FINISH.resultIn(call.done);
  const { status, post_id, permalink_url: permalink } = await lookAtVideo(call, video);
  if (phaseOf(status) !== 'complete') throw failureIn(status) ?? pending('Facebook is still working on the video.');
  return { post_id: finished.post_id ?? post_id, permalink };
}

/** Waits for the post of a reel if its id is not known yet. */
async function awaitReelPost(call: PublishCall): Promise<VideoView> {
  const live = LIVE.resultIn(call.done);
  if (live.post_id !== undefined) return live;
  const { post_id, permalink = live.permalink } = await postOf(call, START.resultIn(call.done).video);
  return { post_id, permalink };
}

function edge(call: PublishCall, form: Readonly<Record<string, string | undefined>>) {
  const path = kindOf(call.post) === 'video_story' ? '/{page}/video_stories' : '/{page}/video_reels';
  return { method: 'POST', path, ids: { page: call.post.page_id! }, form } as const;
}

/** The post of a video that is public or being published; throws if Facebook cannot use the video. */
async function begunPost(call: PublishCall, video: string): Promise<Finished | undefined> {
  const { status, post_id } = (await unlessRefused(lookAtVideo(call, video), 'not_found')) ?? {};
  if (['complete', 'in_progress'].includes(phaseOf(status) ?? '')) return { post_id };
  const failure = failureIn(status);
  if (failure) throw failure;
  return undefined;
}

function phaseOf(status: Status | undefined): string | undefined {
  return status?.publishing_phase?.status;
}
