/** Publishing by the app: containers of pictures, videos and carousels, and their limits. */
import { tableOf } from '#kernel/text/table.ts';
import { badParam, mediaError, type GraphError } from '../graph/api/errors.ts';
import { lookOf, always } from '../graph/api/render.ts';
import type { Containers } from '../graph/media/containers.ts';
import {
  makeLimits,
  publishingMethods,
  type Plan,
  type PublishingTerms,
  type SeenContainer,
  type SourceTerms,
} from '../graph/media/publishing.ts';
import type { Call, Methods } from '../graph/world.ts';
import { givenOf, type Params } from '../kit/api/params.ts';
import { pixelsOf } from '../kit/pixels.ts';
import type { Draft } from './docs.ts';
import type { Posts } from './posts.ts';
import { accessOf, methodsOf, type Login, type World } from './world.ts';

const MB = 1024 * 1024;
const LARGEST_STORY = 100 * MB;
const LONGEST_CAPTION = 2200;
const MOST_TAGS = 30;
const MOST_MENTIONS = 20;
const MOST_COLLABORATORS = 3;
const TYPES = Object.freeze(['IMAGE', 'VIDEO', 'REELS', 'STORIES', 'CAROUSEL'] as const);
type Type = (typeof TYPES)[number];
/** Other options of posts, which are stored and shown. */
const OPTIONS = Object.freeze(
  'location_id user_tags collaborators audio_name thumb_offset trial_params audio_configuration is_ai_generated'.split(
    ' ',
  ),
);
const PARAMS = Object.freeze([
  ...'image_url video_url media_type caption alt_text is_carousel_item children cover_url'.split(' '),
  ...'share_to_feed upload_type product_tags'.split(' '),
  ...OPTIONS,
]);

const SOURCES: SourceTerms = Object.freeze({
  images: ['image/jpeg'],
  largestImage: 8 * MB,
  largestVideo: 300 * MB,
  refuse: {
    missing: (url: string) =>
      mediaError(
        9004,
        2_207_052,
        'Only photo or video can be accepted as media type.',
        `The media could not be fetched from this URI: ${url}`,
      ),
    format: () => mediaError(36_001, 2_207_005, 'The image format is not supported.', 'Supported formats are: JPEG.'),
  },
  failures: {
    missing: 'Error: Media upload has failed with error code 2207052',
    format: 'Error: Media upload has failed with error code 2207026',
  },
});

/** The error for an uploaded file that is not a video. */
export const uploadFailure = (mime: string): string | undefined =>
  mime.startsWith('video/') ? undefined : SOURCES.failures.format;

const STATUS: ReadonlyMap<string, string> = tableOf({
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
  PUBLISHED: 'Published: Media has been successfully published.',
  EXPIRED: 'Expired: The container was not published within 24 hours and has expired.',
});

/** What the platform says about an error subcode that was set in the console. */
const saysFailure = (failure = '') =>
  /^\d+$/.test(failure) ? `Error: Media upload has failed with error code ${failure}` : failure;

const CONTAINER = lookOf<SeenContainer<Draft>>('IGContainer', {
  status_code: ({ found }) => found,
  status: ({ found, failure }) => STATUS.get(found) ?? saysFailure(failure),
  ...always({ copyright_check_status: undefined }),
});

const notReady = (says: string) => mediaError(9007, 2_207_027, 'Media ID is not available', says);
const gone = (subcode: number, says: string) => mediaError(24, subcode, 'The requested resource does not exist', says);
const WAIT = 'The media is not ready for publishing, please wait.';
/** The error for a container that cannot be published, by its status. */
const UNPUBLISHABLE: ReadonlyMap<string, () => GraphError> = tableOf({
  IN_PROGRESS: () => notReady(WAIT),
  /** Finished, but publishing does not find it. */
  FINISHED: () => gone(2_207_008, 'The media builder does not exist or has been expired.'),
  EXPIRED: () => gone(2_207_008, 'Media expired.'),
  ERROR: () => mediaError(-1, 2_207_032, 'Create media fail', 'Please try to re-create the media.'),
});

const overQuota = () =>
  mediaError(
    9,
    2_207_042,
    'Application request limit reached',
    'You reached the maximum number of posts that is allowed to be published by the Content Publishing API.',
  );

function captionOf(params: Params, isPlain: boolean): string | undefined {
  const caption = params.text('caption');
  if (caption === undefined || isPlain) return undefined;
  const tooMany = (mark: RegExp, most: number) => (caption.match(mark)?.length ?? 0) > most;
  if (caption.length > LONGEST_CAPTION || tooMany(/#[\p{L}\p{N}_]+/gu, MOST_TAGS) || tooMany(/@[\w.]+/g, MOST_MENTIONS))
    throw mediaError(
      36_004,
      2_207_010,
      'The caption is too long.',
      'At most 2200 characters, 30 hashtags and 20 mentions.',
    );
  return caption;
}

/** The options of a post; some of them are lists. */
function optionsOf(params: Params): Readonly<Record<string, unknown>> | undefined {
  if (params.text('thumb_offset')?.startsWith('-') === true)
    throw mediaError(1, 2_207_057, 'Thumbnail offset is out of range', 'It must be greater than or equal to 0.');
  const collaborators = params.text('collaborators')?.startsWith('[') ? params.list('collaborators') : undefined;
  if ((collaborators?.length ?? 0) > MOST_COLLABORATORS) throw badParam('At most 3 collaborators can be invited');
  if (collaborators?.some((name) => String(name).startsWith('@')) === true)
    throw mediaError(110, 2_207_018, 'Invalid user id', 'A user who is named does not exist.');
  params.list('user_tags')?.forEach((tag, at) => {
    if (typeof (tag as { username?: unknown } | null)?.username !== 'string')
      throw badParam(`Param user_tags[${at}] must have a username`);
  });
  const given = givenOf(params, OPTIONS);
  return given && collaborators ? { ...given, collaborators } : given;
}

function checkItem(params: Params, type: Type): void {
  if (params.text('collaborators') !== undefined) throw badParam('param collaborators is not allowed');
  if (type !== 'IMAGE' && type !== 'VIDEO') throw badParam('Only pictures and films can be carousel items');
}

function planOf({ params }: Call, login: Login): Plan<Draft> {
  const type: Type = params.oneOf('media_type', TYPES) ?? 'IMAGE';
  const isPart = params.flag('is_carousel_item') === true;
  const isStory = type === 'STORIES';
  if (type === 'VIDEO' && !isPart && params.text('upload_type') === undefined)
    throw mediaError(100, 2_207_023, 'The media type VIDEO is no longer supported.', 'Use REELS to publish a film.');
  if (isPart) checkItem(params, type);
  const isFilm = type === 'REELS' || type === 'VIDEO' || (isStory && params.text('image_url') === undefined);
  const lasting = type === 'REELS' || type === 'VIDEO' ? 'REELS' : 'FEED';
  const draft: Omit<Draft, 'media'> = {
    product: isStory ? 'STORY' : lasting,
    caption: captionOf(params, isPart || isStory),
    share_to_feed: params.flag('share_to_feed'),
    options: optionsOf(params),
  };
  const single = isFilm ? 'video' : 'image';
  const kind = type === 'CAROUSEL' ? 'set' : single;
  const isUpload = login.isFacebook && params.text('upload_type') === 'resumable';
  return { draft, kind, isSlow: isUpload || type !== 'IMAGE', isUpload };
}

/** Checks the file of a container, and downloads the cover of a video. */
const finishing =
  ({ files }: World): NonNullable<PublishingTerms<Draft>['finish']> =>
  async ({ params }, kind, { blob }, sources) => {
    const isStory = params.text('media_type') === 'STORIES';
    const medium = { user_tags: params.values['user_tags'] };
    if (kind === 'image') {
      checkRatio(files.head(blob), isStory);
      return { medium };
    }
    const cover = params.text('cover_url');
    const isLarge = isStory && files.size(blob) > LARGEST_STORY;
    return {
      medium,
      draft: { cover: cover === undefined ? undefined : (await sources.image(cover)).blob },
      failure: isLarge ? SOURCES.failures.format : undefined,
    };
  };

function checkRatio(head: Buffer, isStory: boolean): void {
  const size = pixelsOf(head);
  if (size === undefined) throw SOURCES.refuse.format();
  const ratio = size.width / size.height;
  if (!isStory && (ratio < 0.8 - 0.01 || ratio > 1.91 + 0.01))
    throw mediaError(
      36_003,
      2_207_009,
      'The image aspect ratio is not supported.',
      'It must be between 4:5 and 1.91:1.',
    );
}

export function writingMethods(
  world: World,
  login: Login,
  { posts, containers }: Readonly<{ posts: Posts; containers: Containers<Draft> }>,
): Methods {
  const { settings } = world;
  const access = accessOf(world, login);
  const { readsOf } = methodsOf(world, login);
  const published = (account: string) => containers.quota(account).published;
  const ofPosts = [() => settings.get('publish_quota'), published] as const;
  const limits = makeLimits('IGContentPublishingLimit', { '': ofPosts }, overQuota);

  return {
    ...publishingMethods<Draft>(world, containers, {
      open: 'page/media',
      publish: 'page/media_publish',
      params: PARAMS,
      mostParts: 10,
      sources: SOURCES,
      container: CONTAINER,
      allow: (call, account) => access.write(call, account, 'publish', undefined),
      plan(call, account) {
        if (containers.quota(account).made >= settings.get('container_quota')) throw overQuota();
        return planOf(call, login);
      },
      checkParts(ids) {
        if (ids.some((part) => containers.look(part) !== 'FINISHED'))
          throw notReady('The children are not ready, please wait.');
      },
      finish: finishing(world),
      unpublishable: (_id, status) =>
        UNPUBLISHABLE.get(status ?? '')?.() ?? gone(2_207_006, 'The media cannot be found.'),
      checkLimit: (_draft, account) => limits.check('', account),
      make: (account, draft) => posts.create(account, draft, { by_app: true }),
    }),
    'GET page/content_publishing_limit': readsOf('basic', [], limits.shown),
  };
}
