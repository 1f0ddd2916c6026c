import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { Done, PublishCall } from '../posts.ts';
import { errorTable, failedLater, isRefused, unlessRefused } from '../shared/errors.ts';
import { anything, text } from '../shared/fields.ts';
import { commentOf, firstComment, firstCommentIn } from '../shared/first-comment.ts';
import { pending } from '../shared/pending.ts';
import { defineStep, defineSteps } from '../shared/steps.ts';
import { assertFile } from '../shared/upload.ts';
import { answerTo, change, CHANGE_UNITS } from './api.ts';
import { findOwn, insertThread } from './comments.ts';
import { readProcessing, watchUrl } from './reads.ts';
import { assertFits, optionsOf, THUMBNAIL } from './rules.ts';
import { begin, LISTED_MS, openVideo, UploadSession, uploadVideo, Video } from './upload.ts';

/** How long YouTube may take to process a video. */
const PROCESSING_MS = 2 * HOUR;

const UNREADABLE = 'YouTube cannot read the video; try another file.';

/** The reasons why YouTube rejects a video after the upload. */
export const OUTCOMES = errorTable([
  [{ name: ['codec', 'conversion', 'invalidFile'] }, 'refused', 'invalid_request', UNREADABLE],
  [{ name: ['emptyFile', 'tooSmall'] }, 'refused', 'invalid_request', 'The file of the video is empty or too small.'],
  [{ name: 'uploadAborted' }, 'refused', 'api_error', 'YouTube says that the upload of the video was ended early.'],
  [{ name: 'length' }, 'refused', 'invalid_request', 'The video is longer than this channel may publish.'],
  [{ name: 'duplicate' }, 'refused', 'duplicate', 'YouTube says that the channel has this video already.'],
  [
    { name: ['claim', 'copyright', 'trademark'] },
    'refused',
    'blocked',
    'YouTube says that the video belongs to somebody else.',
  ],
  [
    { name: ['inappropriate', 'legal', 'termsOfUse'] },
    'refused',
    'blocked',
    'YouTube says that the video breaks its rules.',
  ],
  [
    { name: ['uploaderAccountClosed', 'uploaderAccountSuspended'] },
    'refused',
    'blocked',
    'YouTube has closed or suspended this channel.',
  ],
]);

const SESSION = defineStep({
  name: 'session',
  kind: 'invisible',
  secret: true,
  result: UploadSession,
  run: async (call) => begin(call, await openVideo(call)),
});
/** The video exists once its last byte has arrived; sending bytes again does not create a second one. */
const UPLOAD = defineStep({
  name: 'upload',
  kind: 'idempotent',
  maxWaitMs: PROCESSING_MS,
  result: Video,
  run: (call) => uploadVideo(call, SESSION.resultIn(call.done)),
});
const PROCESSED = defineStep({
  name: 'processed',
  kind: 'idempotent',
  maxWaitMs: PROCESSING_MS,
  redo: [SESSION, UPLOAD],
  result: anything,
  run: (call) => awaitProcessed(call, idIn(call.done)),
});
const THUMB = defineStep({
  name: 'thumbnail',
  kind: 'idempotent',
  result: z.object({ refused: text }),
  run: (call) => setThumbnail(call, idIn(call.done)),
});
const COMMENT = firstComment(
  { write: (call, { post, text: words }) => insertThread(call, post, words), find: findOwn },
  ({ done }) => idIn(done),
);

const idIn = (done: Done): string => UPLOAD.resultIn(done).id;

export const publish = defineSteps({
  assertFits,
  steps: (post) => [
    SESSION,
    UPLOAD,
    PROCESSED,
    // A thumbnail set before the video is processed may not be applied to Shorts.
    ...(optionsOf(post).thumbnail === undefined ? [] : [THUMB]),
    ...commentOf(post, COMMENT),
  ],
  finish(done, hosts) {
    const id = idIn(done);
    const { refused: thumbnail_error } = THUMB.findIn(done) ?? {};
    return {
      platform_post_id: id,
      permalink: watchUrl(hosts, id),
      metadata: { ...firstCommentIn(done), ...(thumbnail_error !== undefined && { thumbnail_error }) },
    };
  },
});

/** Sets the thumbnail; as the video already exists, a refused thumbnail does not fail the post. */
async function setThumbnail(call: PublishCall, videoId: string): Promise<{ refused?: string }> {
  try {
    const media = await call.open(optionsOf(call.post).thumbnail!.source);
    assertFile('YouTube', 'thumbnails', media, THUMBNAIL);
    const body = { type: media.content_type, content: { length: media.size, open: () => media.stream() } };
    const query = { uploadType: 'media', videoId };
    const path = '/upload/youtube/v3/thumbnails/set';
    await answerTo(call, { method: 'POST', path, query, body, units: CHANGE_UNITS });
    return {};
  } catch (error) {
    if (!isRefused(error) || error.reason === 'auth') throw error;
    return { refused: error.message };
  }
}

/** Waits until the video is processed; one that is not listed may be too new, or it was deleted. */
async function awaitProcessed(call: PublishCall, id: string): Promise<object> {
  const found = await readProcessing(call, id);
  if (found === undefined) {
    const { missing = call.now() } = (call.kept ?? {}) as Readonly<{ missing?: number }>;
    await call.keep({ missing });
    if (call.now() - missing < LISTED_MS) throw pending('YouTube does not list the video yet.', 30);
    throw failedLater('not_found', 'The video was deleted before YouTube had processed it.');
  }
  const { uploadStatus: status, failureReason, rejectionReason } = found;
  if (status === 'processed') return {};
  if (status === 'uploaded') throw pending(`YouTube is processing the video (${watchUrl(call.hosts, id)}).`);
  throw OUTCOMES.failureOf({ name: failureReason ?? rejectionReason ?? status, text: '' }, [
    rejectionReason === undefined ? 'invalid_request' : 'blocked',
    'YouTube did not accept the video.',
  ]);
}

/** Deletes a video; a missing video counts as success. */
export async function remove(call: AccountCall, id: string): Promise<void> {
  await unlessRefused(change(call, { method: 'DELETE', path: '/youtube/v3/videos', query: { id } }), 'not_found');
}
