/** How the app publishes: containers of pictures, films and sets, their limits, and what becomes of them. */
import { imageSize } from 'image-size';
import { badParam, GraphError } from '../graph/api/errors.ts';
import type { Look } from '../graph/api/render.ts';
import { newId } from '../graph/ids.ts';
import type { Container, Containers } from '../graph/media/containers.ts';
import { containerMethod, makeSources, partsOf } from '../graph/media/methods.ts';
import type { SeenContainer, Source, SourceTerms } from '../graph/media/methods.ts';
import { pageAt } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Params } from '../kit/api/params.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { Draft } from './docs.ts';
import type { Posts } from './posts.ts';
import { mayRead, mayWrite } from './world.ts';
import type { Login, World } from './world.ts';

const MB = 1024 * 1024;
const DAY = 86_400;
const LARGEST_STORY = 100 * MB;
const MOST_PARTS = 10;
const LONGEST_CAPTION = 2200;
const MOST_TAGS = 30;
const MOST_MENTIONS = 20;
const LONGEST_ALT = 1000;
const MOST_COLLABORATORS = 3;
const TYPES = Object.freeze(['IMAGE', 'VIDEO', 'REELS', 'STORIES', 'CAROUSEL'] as const);
type Type = (typeof TYPES)[number];
/** What a post can have besides; the twin keeps it and shows it. */
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

const unfit = (code: number, subcode: number, title: string, says: string): GraphError =>
  new GraphError(code, title, { subcode, is_transient: false, title, says });

const SOURCES: SourceTerms = Object.freeze({
  images: ['image/jpeg'],
  largestImage: 8 * MB,
  largestVideo: 300 * MB,
  refuse: {
    missing: (url: string) =>
      unfit(
        9004,
        2_207_052,
        'Only photo or video can be accepted as media type.',
        `The media could not be fetched from this URI: ${url}`,
      ),
    format: () => unfit(36_001, 2_207_005, 'The image format is not supported.', 'Supported formats are: JPEG.'),
  },
  failures: {
    missing: 'Error: Media upload has failed with error code 2207052',
    format: 'Error: Media upload has failed with error code 2207026',
  },
});

/** What an uploaded file fails with that is no film. */
export const uploadFailure = (mime: string): string | undefined =>
  mime.startsWith('video/') ? undefined : SOURCES.failures.format;

const STATUS: Readonly<Record<string, string>> = {
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
  PUBLISHED: 'Published: Media has been successfully published.',
  EXPIRED: 'Expired: The container was not published within 24 hours and has expired.',
};

/** A bare subcode, as the console orders it, is said in the platform's sentence. */
const saysFailure = (failure = '') =>
  /^\d+$/.test(failure) ? `Error: Media upload has failed with error code ${failure}` : failure;

const CONTAINER: Look<SeenContainer<Draft>> = Object.freeze({
  name: 'IGContainer',
  id: ({ id }: { id: string }) => id,
  shown: [],
  fields: {
    status_code: ({ found }: SeenContainer<Draft>) => found,
    status: ({ found, failure }: SeenContainer<Draft>) => STATUS[found] ?? saysFailure(failure),
    copyright_check_status: () => undefined,
  },
});

/** What publishing answers where the container cannot be published. */
function unpublishable(containers: Containers<Draft>, container: Container<Draft> | undefined): GraphError {
  const found = container === undefined ? undefined : containers.status(container);
  if (found === 'IN_PROGRESS')
    return unfit(9007, 2_207_027, 'Media ID is not available', 'The media is not ready for publishing, please wait.');
  if (found === 'EXPIRED') return unfit(24, 2_207_008, 'The requested resource does not exist', 'Media expired.');
  if (found === 'ERROR') return unfit(-1, 2_207_032, 'Create media fail', 'Please try to re-create the media.');
  return unfit(24, 2_207_006, 'The requested resource does not exist', 'The media cannot be found.');
}

const overQuota = () =>
  unfit(
    9,
    2_207_042,
    'Application request limit reached',
    'You reached the maximum number of posts that is allowed to be published by the Content Publishing API.',
  );

/** What people read beside a post, checked. */
function captionOf(params: Params, isPlain: boolean): string | undefined {
  const caption = params.text('caption');
  if (caption === undefined || isPlain) return undefined;
  const tooMany = (mark: RegExp, most: number) => (caption.match(mark)?.length ?? 0) > most;
  if (caption.length > LONGEST_CAPTION || tooMany(/#[\p{L}\p{N}_]+/gu, MOST_TAGS) || tooMany(/@[\w.]+/g, MOST_MENTIONS))
    throw unfit(36_004, 2_207_010, 'The caption is too long.', 'At most 2200 characters, 30 hashtags and 20 mentions.');
  return caption;
}

/** The options of a post, of which some are lists. */
function optionsOf(params: Params): Readonly<Record<string, unknown>> | undefined {
  if (params.text('thumb_offset')?.startsWith('-') === true)
    throw unfit(1, 2_207_057, 'Thumbnail offset is out of range', 'It must be greater than or equal to 0.');
  const collaborators = params.text('collaborators')?.startsWith('[') ? params.list('collaborators') : undefined;
  if ((collaborators?.length ?? 0) > MOST_COLLABORATORS) throw badParam('At most 3 collaborators can be invited');
  params.list('user_tags')?.forEach((tag, at) => {
    if (typeof (tag as { username?: unknown } | null)?.username !== 'string')
      throw badParam(`Param user_tags[${at}] must have a username`);
  });
  const given = OPTIONS.flatMap((name) => {
    const value = params.values[name];
    return value === undefined ? [] : [[name, name === 'collaborators' ? (collaborators ?? value) : value] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Reads the file of a container, which the platform fetches or which comes through the upload host. */
function makeReading(world: World) {
  const { files } = world;
  const sources = makeSources(world, SOURCES);

  function checkRatio({ blob }: Source, isStory: boolean): void {
    const size = (() => {
      try {
        return imageSize(files.head(blob));
      } catch {
        throw SOURCES.refuse.format();
      }
    })();
    const ratio = size.width / size.height;
    if (!isStory && (ratio < 0.8 - 0.01 || ratio > 1.91 + 0.01))
      throw unfit(36_003, 2_207_009, 'The image aspect ratio is not supported.', 'It must be between 4:5 and 1.91:1.');
  }

  return async function read({ params }: Call, type: Type): Promise<Medium & { failure?: string; cover?: string }> {
    const [image, video] = [params.text('image_url'), params.text('video_url')];
    const alt = params.text('alt_text');
    if ((alt ?? '').length > LONGEST_ALT) throw badParam(`Param alt_text must be at most ${LONGEST_ALT} characters`);
    const isFilm = type === 'REELS' || type === 'VIDEO' || (type === 'STORIES' && image === undefined);
    if (isFilm ? video === undefined : image === undefined)
      throw badParam(`The parameter ${isFilm ? 'video_url' : 'image_url'} is required`);
    const source = await (isFilm ? sources.video(video ?? '') : sources.image(image ?? ''));
    if (!isFilm) checkRatio(source, type === 'STORIES');
    const isLarge = type === 'STORIES' && isFilm && files.size(source.blob) > LARGEST_STORY;
    const cover = params.text('cover_url');
    const fetched = cover === undefined || !isFilm ? undefined : await sources.image(cover);
    return {
      id: newId(),
      type: isFilm ? 'VIDEO' : 'IMAGE',
      blob: source.blob,
      alt,
      user_tags: params.values['user_tags'],
      ...(isLarge && { failure: SOURCES.failures.format }),
      ...(source.failure !== undefined && { failure: source.failure }),
      ...(fetched !== undefined && { cover: fetched.blob }),
    };
  };
}

/** Makes containers of what the app sends. */
function makeOpening(world: World, login: Login, containers: Containers<Draft>) {
  const { nodes, store, files, settings } = world;
  const read = makeReading(world);

  function typeOf({ params }: Call): Type {
    const type = params.oneOf('media_type', TYPES) ?? 'IMAGE';
    const isPart = params.flag('is_carousel_item') === true;
    if (type === 'VIDEO' && !isPart && params.text('upload_type') === undefined)
      throw unfit(100, 2_207_023, 'The media type VIDEO is no longer supported.', 'Use REELS to publish a film.');
    if (isPart && type !== 'IMAGE' && type !== 'VIDEO') throw badParam('Only pictures and films can be carousel items');
    return type;
  }

  return async function open(call: Call, id: string): Promise<object> {
    const { params } = call;
    mayWrite(world, login, call, pageAt(world, id).id, 'publish');
    if (containers.quota(id).made >= settings.get('container_quota')) throw overQuota();
    const type = typeOf(call);
    const isPart = params.flag('is_carousel_item') === true;
    const product = type === 'STORIES' ? 'STORY' : type === 'REELS' || type === 'VIDEO' ? 'REELS' : 'FEED';
    const draft: Draft = {
      product,
      caption: captionOf(params, isPart || type === 'STORIES'),
      share_to_feed: params.flag('share_to_feed'),
      options: optionsOf(params),
      media: [],
    };
    const children = type === 'CAROUSEL' ? partsOf(call, { nodes }, containers, MOST_PARTS) : [];
    if (children.some((part) => containers.look(part) !== 'FINISHED'))
      throw unfit(9007, 2_207_027, 'Media ID is not available', 'The children are not ready, please wait.');
    const isResumable = login.isFacebook && params.text('upload_type') === 'resumable';
    if (isResumable) return openUpload(call, id, draft);
    const file = type === 'CAROUSEL' ? undefined : await read(call, type);
    const { failure, cover, ...medium } = file ?? {};
    const container = store.write(() =>
      containers.open({
        page_id: id,
        draft: { ...draft, cover, media: file === undefined ? [] : [medium as Medium] },
        children,
        is_child: isPart,
        slow: type !== 'IMAGE',
        ...(failure !== undefined && { failure }),
      }),
    );
    return { id: container.id };
  };

  function openUpload(call: Call, id: string, draft: Draft): object {
    const { id: blob } = files.open('video');
    const medium: Medium = { id: newId(), type: 'VIDEO', blob };
    const is_child = call.params.flag('is_carousel_item') === true;
    const made = store.write(() =>
      containers.open({
        page_id: id,
        draft: { ...draft, media: [medium] },
        is_child,
        blob,
        uploaded: false,
        slow: true,
      }),
    );
    return { id: made.id, uri: `${world.hosts.rupload()}/ig-api-upload/${call.version}/${made.id}` };
  }
}

/** Everything about publishing. */
export function publishingMethods(
  world: World,
  login: Login,
  { posts, containers }: Readonly<{ posts: Posts; containers: Containers<Draft> }>,
): Methods {
  const { nodes, store, settings } = world;

  function publish(container: Container<Draft>): object {
    const { id, page_id, draft, children, blob } = container;
    const parts = children.flatMap((child) => nodes.get('container', child)?.draft.media ?? []);
    const single = draft.media.map((one) => ({ ...one, blob: blob ?? one.blob }));
    const media = posts.create(page_id, { ...draft, media: children.length === 0 ? single : parts }, { by_app: true });
    containers.published(id, media.id);
    return { id: media.id };
  }

  return Object.freeze({
    'POST page/media': { params: PARAMS, run: makeOpening(world, login, containers) },
    'GET container': containerMethod(world, containers, CONTAINER),
    'POST page/media_publish': {
      params: ['creation_id'],
      run(call: Call, id: string) {
        mayWrite(world, login, call, pageAt(world, id).id, 'publish');
        const creation = call.params.required('creation_id');
        return store.write(() => {
          const found = nodes.get('container', creation);
          const container = found?.page_id === id && !found.is_child ? found : undefined;
          if (container === undefined || !containers.publishable(container)) throw unpublishable(containers, container);
          if (containers.quota(id).published >= settings.get('publish_quota')) throw overQuota();
          return publish(container);
        });
      },
    },
    'GET page/content_publishing_limit': {
      params: [],
      run(call: Call, id: string) {
        mayRead(world, login, call, pageAt(world, id).id, 'basic');
        const config = { quota_total: settings.get('publish_quota'), quota_duration: DAY };
        const all = { quota_usage: containers.quota(id).published, config };
        const wanted = call.params.text('fields')?.split(',') ?? ['quota_usage'];
        return { data: [Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name)))] };
      },
    },
  });
}
