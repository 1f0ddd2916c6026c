import type { AccountCall, Hosts } from '../../call.ts';
import type { Done, Published } from '../../posts.ts';
import { Changed } from '../../graph/api.ts';
import { asPage } from '../api.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { commentOf, firstComment, firstCommentIn } from '../../shared/first-comment.ts';
import { type DefinedStep, defineSteps } from '../../shared/steps.ts';
import { writing } from '../inbox/comments.ts';
import * as drafts from './drafts.ts';
import { photoStep } from './photos.ts';
import { LIVE, SHOWN, START, THERE, reelSteps, storySteps } from './reels.ts';
import { type Kind, assertFits, kindOf } from './rules.ts';
import { pageOwning, sessionOf } from '../accounts/session.ts';
import { STORY } from './stories.ts';
import * as videos from './videos.ts';

/** `detour` steps run only if the post cannot be published by its id. */
type KindSteps = Readonly<Record<'always' | 'detour' | 'last', readonly DefinedStep[]>>;

const STEPS: Readonly<Record<Kind, KindSteps>> = Object.freeze({
  text: drafts.steps,
  photos: drafts.steps,
  video: videos.steps,
  reel: reelSteps,
  video_story: storySteps,
  photo_story: { always: [STORY], detour: [], last: [] },
});

const asItsPage = writing((_call, { page }) => page!);
const COMMENT = firstComment(
  { write: asItsPage.send, find: asItsPage.settle },
  ({ done, hosts }) => finish(done, hosts).platform_post_id,
);

/** Each draft id makes at most one post, so most steps are idempotent; the visible ones can be looked up. */
export const publish = defineSteps({
  assertFits,
  steps(post, done) {
    const kind = kindOf(post);
    const { always, detour, last } = STEPS[kind];
    const photos = kind === 'photos' || kind === 'photo_story' ? [...post.media.keys()] : [];
    const isStory = kind === 'photo_story' || kind === 'video_story';
    const switched = drafts.PUBLISH.findIn(done);
    const isPublic = switched !== undefined && !('direct' in switched);
    return [
      ...photos.map((index) => photoStep(index)),
      ...always,
      ...(isPublic ? [] : detour),
      ...last,
      ...(isStory ? [] : commentOf(post, COMMENT)),
    ];
  },
  finish,
});

/** Builds the published post; for an unfinished one, whatever is known, so that its parts can be deleted. */
function finish(done: Done, hosts: Hosts): Published {
  const events = metadataOf(done);
  const story = STORY.findIn(done);
  if (story) {
    const { post_id, page } = story;
    return {
      platform_post_id: postIdOf(page, post_id),
      metadata: { platform_page_id: page, media_type: 'stories', ...events },
    };
  }
  const uploaded = videos.UPLOAD.findIn(done);
  const video = (uploaded && videos.AGAIN.findIn(done)) ?? uploaded ?? START.findIn(done);
  if (video) {
    const steps = [videos.PUBLISH, videos.DIRECT, LIVE, videos.SHOWN, SHOWN];
    const views = steps.map(({ name }) => videos.VideoView.parse(done[name] ?? {}));
    return videoFields(hosts, video, Object.assign({}, ...views) as videos.VideoView, {
      media_type: mediaTypeOf(done),
      ...events,
    });
  }
  return draftFields(done, hosts, { media_type: mediaTypeOf(done), ...events });
}

function draftFields(done: Done, hosts: Hosts, metadata: Readonly<Record<string, unknown>>): Published {
  const { id: draft, page } = drafts.DRAFT.resultIn(done);
  const direct = drafts.DIRECT.findIn(done);
  if (!direct && drafts.AGAIN.findIn(done)) throw new Error('the id of a direct post whose answer was lost is unknown');
  const switched = drafts.PUBLISH.findIn(done);
  const { id, permalink } = direct ?? { id: draft, permalink: undefined, ...switched };
  return {
    platform_post_id: id,
    permalink: permalink ?? `${hosts['web']!}/${id}`,
    metadata: { platform_page_id: page, ...metadata },
  };
}

function metadataOf(done: Done): Readonly<Record<string, unknown>> {
  const switched = drafts.PUBLISH.findIn(done);
  return {
    ...(switched && 'direct' in switched && { two_phase: false, two_phase_error: switched.refused }),
    ...firstCommentIn(done),
  };
}

function videoFields(
  hosts: Hosts,
  { video, page }: videos.Video,
  { post_id: post, permalink }: videos.VideoView,
  metadata: Readonly<Record<string, unknown>>,
): Published {
  const id = post === undefined ? video : postIdOf(page, post);
  return {
    platform_post_id: id,
    permalink: metadata['media_type'] === 'stories' ? undefined : addressOf(hosts, permalink, `/reel/${video}`),
    metadata: { platform_page_id: page, video_id: video, ...metadata },
  };
}

/** The post id with the page id, as comments and lists use it. */
function postIdOf(page: string, post: string): string {
  return post.includes('_') ? post : `${page}_${post}`;
}

/** Completes a URL that Graph returned without its host. */
function addressOf(hosts: Hosts, permalink: string | undefined, otherwise: string): string {
  const address = permalink ?? otherwise;
  return address.startsWith('/') ? `${hosts['web']!}${address}` : address;
}

function mediaTypeOf(done: Done): string {
  if (Object.hasOwn(done, START.name)) return Object.hasOwn(done, THERE.name) ? 'stories' : 'reel';
  return Object.hasOwn(done, photoStep(1).name) ? 'carousel' : 'feed';
}

/** Why a story cannot be removed: the API cannot delete stories, which expire after a day. */
export function irremovable({ media_type: type }: Readonly<Record<string, unknown>>): string | undefined {
  return type === 'stories' ? "Facebook's API cannot delete a story. It disappears after a day." : undefined;
}

/** Deletes a post; a missing post counts as success. */
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
