import type { AccountCall, Hosts } from '../call.ts';
import type { Done, OutgoingPost, Publish, PublishCall, Published, Settled, Step } from '../posts.ts';
import { errorTable, failedLater, isRefused, unlessRefused } from '../shared/errors.ts';
import { firstComment, firstCommentIn } from '../shared/first-comment.ts';
import { pending } from '../shared/pending.ts';
import { assertFile } from '../shared/upload.ts';
import { answerTo, change, CHANGE_UNITS } from './api.ts';
import { findOwn, insertThread } from './comments.ts';
import { readProcessing, watchUrl } from './reads.ts';
import { assertFits, optionsOf, THUMBNAIL } from './rules.ts';
import { begin, openVideo, UploadSession, uploadVideo } from './upload.ts';

/** How long YouTube may work on a video. */
const PROCESSING_MS = 2 * 3_600_000;

const SESSION: Step = { name: 'session', kind: 'invisible', secret: true };
const UPLOAD: Step = { name: 'upload', kind: 'idempotent', maxWaitMs: PROCESSING_MS };
const THUMB: Step = { name: 'thumbnail', kind: 'idempotent' };
const PROCESSED: Step = {
  name: 'processed',
  kind: 'idempotent',
  maxWaitMs: PROCESSING_MS,
  redo: [SESSION, UPLOAD].map(({ name }) => name),
};
const COMMENT: Step = { name: 'comment', kind: 'visible', optional: 'first_comment' };

const comment = firstComment({
  write: (call, { post, text }) => insertThread(call, post, text),
  find: findOwn,
});

const UNREADABLE = 'YouTube cannot read the video; try another file.';

/** Why YouTube gives a video up: it could not work on it, or is not to show it. */
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
    'YouTube says that the video is the property of somebody else.',
  ],
  [
    { name: ['inappropriate', 'legal', 'termsOfUse'] },
    'refused',
    'blocked',
    'YouTube says that the video is against its rules.',
  ],
  [
    { name: ['uploaderAccountClosed', 'uploaderAccountSuspended'] },
    'refused',
    'blocked',
    'YouTube has closed or suspended this channel.',
  ],
]);

/** A video exists once its last byte has arrived; sending bytes again to the same session makes no second one. */
export const publish: Publish = { steps, run, finish, settle };

function steps(post: OutgoingPost): readonly Step[] {
  const { thumbnail } = optionsOf(post);
  return [
    SESSION,
    UPLOAD,
    PROCESSED,
    // Earlier ones may not be applied to Shorts.
    ...(thumbnail === undefined ? [] : [THUMB]),
    ...(post.first_comment === undefined ? [] : [COMMENT]),
  ];
}

const idIn = (done: Done): string => (done[UPLOAD.name] as Readonly<{ id: string }>).id;

async function run(call: PublishCall, step: string): Promise<unknown> {
  const { done, post } = call;
  if (Object.keys(done).length === 0) assertFits(post);
  switch (step) {
    case SESSION.name:
      return begin(call, await openVideo(call));
    case UPLOAD.name:
      return uploadVideo(call, UploadSession.parse(done[SESSION.name]));
    case THUMB.name:
      return setThumbnail(call, idIn(done));
    case PROCESSED.name:
      return awaitProcessed(call, idIn(done));
    default:
      return comment.run(call, idIn(done));
  }
}

/** The video is there already: a thumbnail that YouTube refuses does not fail the post. */
async function setThumbnail(call: PublishCall, videoId: string): Promise<object> {
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

async function awaitProcessed(call: PublishCall, id: string): Promise<object> {
  const found = await readProcessing(call, id);
  if (found === undefined) throw failedLater('not_found', 'The video was deleted before YouTube had processed it.');
  const { uploadStatus: status, failureReason, rejectionReason } = found.status;
  if (status === 'processed') return {};
  if (status === 'uploaded') throw pending(`YouTube is processing the video (${watchUrl(call.hosts, id)}).`);
  throw OUTCOMES.failureOf({ name: failureReason ?? rejectionReason ?? status, text: '' }, [
    rejectionReason === undefined ? 'invalid_request' : 'blocked',
    'YouTube did not take the video.',
  ]);
}

async function settle(call: PublishCall, step: string): Promise<Settled> {
  return step === COMMENT.name ? comment.settle(call, idIn(call.done)) : 'unknown';
}

function finish(done: Done, hosts: Hosts): Published {
  const id = idIn(done);
  const { refused: thumbnail_error } = (done[THUMB.name] ?? {}) as Readonly<{ refused?: string }>;
  return {
    platform_post_id: id,
    permalink: watchUrl(hosts, id),
    metadata: { ...firstCommentIn(done[COMMENT.name]), ...(thumbnail_error !== undefined && { thumbnail_error }) },
  };
}

/** Deletes a video; one that does not exist is no error. */
export async function remove(call: AccountCall, id: string): Promise<void> {
  await unlessRefused(change(call, { method: 'DELETE', path: '/youtube/v3/videos', query: { id } }), 'not_found');
}
