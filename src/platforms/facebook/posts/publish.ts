import type { AccountCall, Hosts } from '../../call.ts';
import type { Done, OutgoingPost, Publish, PublishCall, Published, Settled, Step } from '../../posts.ts';
import { Changed } from '../../graph/api.ts';
import {
  type Direct,
  type Draft,
  type Switched,
  makeDraft,
  prepareDirect,
  publishDirectly,
  publishDraft,
  settleDirect,
} from './drafts.ts';
import { asPage } from '../api.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { firstComment, firstCommentIn } from '../../shared/first-comment.ts';
import { writing } from '../inbox/comments.ts';
import { photoStep, uploadPhoto } from './photos.ts';
import { awaitReel, awaitReelPost, awaitUpload, finishReel, sendReel, startReel } from './reels.ts';
import { type Kind, assertFits, kindOf } from './rules.ts';
import { pageOwning, sessionOf } from '../accounts/session.ts';
import { type Story, publishPhotoStory, settlePhotoStory } from './stories.ts';
import {
  type Shown,
  type Video,
  awaitPost,
  awaitVideo,
  prepareDirectVideo,
  publishVideo,
  publishVideoDirectly,
  settleDirectVideo,
  uploadVideo,
} from './videos.ts';

type PublishAction = Omit<Step, 'secret'> &
  Readonly<{
    /** Needed only if the draft cannot be published. */
    detour?: true;
    run(call: PublishCall): Promise<unknown>;
    settle?(call: PublishCall): Promise<Settled>;
  }>;

/**
 * Drafts are published by id, and one id makes at most one post, so publishing is idempotent. Steps are visible only if
 * Facebook offers no such way; each of those can be looked up.
 */
export const publish = Object.freeze<Publish>({
  steps(post, done = {}) {
    const switched = done['publish'] as Switched | undefined;
    const isPublic = switched !== undefined && !('direct' in switched);
    return actionsOf(post)
      .filter(({ detour }) => !(detour && isPublic))
      .map((action): Step => {
        const { run: _, settle: __, detour: ___, ...step } = action;
        return step;
      });
  },

  async run(call, step) {
    if (Object.keys(call.done).length === 0) assertFits(call.post);
    return actionNamed(call.post, step).run(call);
  },

  async settle(call, step) {
    return (await actionNamed(call.post, step).settle?.(call)) ?? 'unknown';
  },

  finish,
});

/** How long Facebook may work on a video. */
const VIDEO_MS = 2 * 3_600_000;

const DRAFT: readonly PublishAction[] = [
  { name: 'draft', kind: 'invisible', run: makeDraft },
  { name: 'publish', kind: 'idempotent', run: publishDraft },
  { name: 'again', kind: 'invisible', detour: true, run: prepareDirect },
  { name: 'direct', kind: 'visible', detour: true, run: publishDirectly, settle: settleDirect },
];
const REEL: readonly PublishAction[] = [
  { name: 'start', kind: 'invisible', run: startReel },
  { name: 'bytes', kind: 'invisible', run: sendReel },
];
const LIVE: readonly PublishAction[] = [
  { name: 'finish', kind: 'idempotent', redo: ['start', 'bytes', 'there'], run: finishReel },
  {
    name: 'live',
    kind: 'idempotent',
    maxWaitMs: VIDEO_MS,
    redo: ['start', 'bytes', 'there', 'finish'],
    run: awaitReel,
  },
];

const ACTIONS: Readonly<Record<Kind, readonly PublishAction[]>> = Object.freeze({
  text: DRAFT,
  photos: DRAFT,
  video: [
    { name: 'upload', kind: 'invisible', redo: [], run: uploadVideo },
    { name: 'ready', kind: 'invisible', maxWaitMs: VIDEO_MS, redo: ['upload'], run: awaitVideo },
    { name: 'publish', kind: 'idempotent', run: publishVideo },
    { name: 'again', kind: 'invisible', detour: true, run: prepareDirectVideo },
    { name: 'direct', kind: 'visible', detour: true, run: publishVideoDirectly, settle: settleDirectVideo },
    { name: 'shown', kind: 'idempotent', optional: 'address', run: awaitPost },
  ],
  reel: [...REEL, ...LIVE, { name: 'shown', kind: 'idempotent', optional: 'address', run: awaitReelPost }],
  video_story: [
    ...REEL,
    { name: 'there', kind: 'invisible', maxWaitMs: VIDEO_MS, redo: ['start', 'bytes'], run: awaitUpload },
    ...LIVE,
  ],
  photo_story: [{ name: 'story', kind: 'visible', run: publishPhotoStory, settle: settlePhotoStory }],
});

const asItsPage = writing((call) => (call as PublishCall).post.page_id!);
const comment = firstComment({ write: asItsPage.send, find: asItsPage.settle });
const COMMENT: PublishAction = {
  name: 'comment',
  kind: 'visible',
  optional: 'first_comment',
  run: (call) => comment.run(call, finish(call.done, call.hosts).platform_post_id),
  settle: (call) => comment.settle(call, finish(call.done, call.hosts).platform_post_id),
};

function actionsOf(post: OutgoingPost): readonly PublishAction[] {
  const kind = kindOf(post);
  const photos = kind === 'photos' || kind === 'photo_story' ? [...post.media.keys()] : [];
  const uploads = photos.map((index): PublishAction => {
    return { name: photoStep(index), kind: 'invisible', run: (call) => uploadPhoto(call, index) };
  });
  const isStory = kind === 'photo_story' || kind === 'video_story';
  return [...uploads, ...ACTIONS[kind], ...(post.first_comment === undefined || isStory ? [] : [COMMENT])];
}

function actionNamed(post: OutgoingPost, name: string): PublishAction {
  const action = actionsOf(post).find((one) => one.name === name);
  if (!action) throw new Error(`no step ${name}`);
  return action;
}

/** The published post; of an unfinished one the known fields, so that its remains can be deleted. */
function finish(done: Done, hosts: Hosts): Published {
  const { story, draft, start, upload, again, direct } = done as Readonly<{
    story?: Story;
    draft?: Draft;
    start?: Video;
    upload?: Video;
    again?: object | null;
    direct?: (Direct | Video) | null;
  }>;
  const events = metadataOf(done);
  if (story) {
    const { post_id, page } = story;
    return {
      platform_post_id: postIdOf(page, post_id),
      metadata: { platform_page_id: page, media_type: 'stories', ...events },
    };
  }
  const video = (again && 'video' in again ? (again as Video) : undefined) ?? upload ?? start;
  if (video) {
    const steps = ['publish', 'direct', 'live', 'shown'].map((name) => done[name] as Shown | null | undefined);
    const shown = Object.assign({}, ...steps) as Shown;
    return videoFields(hosts, video, shown, { media_type: mediaTypeOf(done), ...events });
  }
  const made = direct && 'id' in direct ? direct : undefined;
  if (again && !made) throw new Error('nobody knows the id of a direct post that was not answered');
  const switched = done['publish'] as Switched | undefined;
  const permalink = made ? made.permalink : switched && 'permalink' in switched ? switched.permalink : undefined;
  const id = made?.id ?? draft!.id;
  return {
    platform_post_id: id,
    permalink: permalink ?? `${hosts['web']!}/${id}`,
    metadata: { platform_page_id: draft!.page, media_type: mediaTypeOf(done), ...events },
  };
}

/** Metadata about deviations, and the first comment. */
function metadataOf(done: Done): Readonly<Record<string, unknown>> {
  const switched = done['publish'] as Switched | undefined;
  return {
    ...(switched && 'direct' in switched && { two_phase: false, two_phase_error: switched.refused }),
    ...firstCommentIn(done['comment']),
  };
}

function videoFields(
  hosts: Hosts,
  { video, page }: Video,
  { post_id: post, permalink }: Shown,
  metadata: Readonly<Record<string, unknown>>,
): Published {
  const id = post === undefined ? video : postIdOf(page, post);
  return {
    platform_post_id: id,
    permalink: metadata['media_type'] === 'stories' ? undefined : addressOf(hosts, permalink, `/reel/${video}`),
    metadata: { platform_page_id: page, video_id: video, ...metadata },
  };
}

/** Comments and lists name a post by page id and post id. */
function postIdOf(page: string, post: string): string {
  return post.includes('_') ? post : `${page}_${post}`;
}

/** Graph returns some URLs without their host. */
function addressOf(hosts: Hosts, permalink: string | undefined, otherwise: string): string {
  const address = permalink ?? otherwise;
  return address.startsWith('/') ? `${hosts['web']!}${address}` : address;
}

function mediaTypeOf(done: Done): string {
  if (Object.hasOwn(done, 'start')) return Object.hasOwn(done, 'there') ? 'stories' : 'reel';
  return Object.hasOwn(done, photoStep(1)) ? 'carousel' : 'feed';
}

/** Why a post cannot be deleted: stories expire after a day and not before. */
export function irremovable({ media_type: type }: Readonly<Record<string, unknown>>): string | undefined {
  return type === 'stories'
    ? 'Facebook lets nobody delete a story by its API; it ends by itself after a day.'
    : undefined;
}

/** Deletes a post; a post that does not exist is no error. */
export async function remove(
  call: AccountCall,
  platformPostId: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { platform_page_id: page, video_id: video } = metadata;
  const owner = typeof page === 'string' ? page : pageOwning(sessionOf(call.session), platformPostId);
  const id = typeof video === 'string' ? video : platformPostId;
  await unlessRefused(
    asPage(call, owner, { method: 'DELETE', path: '/{post}', ids: { post: id } }, Changed),
    'not_found',
  );
}
