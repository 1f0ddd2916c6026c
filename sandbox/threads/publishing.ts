import { DAY } from '#kernel/clock.ts';
import { badParam, GraphError, mediaError } from '../graph/api/errors.ts';
import { lookOf } from '../graph/api/render.ts';
import type { Containers } from '../graph/media/containers.ts';
import {
  makeLimits,
  publishingMethods,
  type Plan,
  type SeenContainer,
  type SourceTerms,
} from '../graph/media/publishing.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { live, type Call, type Methods } from '../graph/world.ts';
import type { Posts } from './posts.ts';
import { methodsOf } from './reading.ts';
import { hasTooManyLinks, isTooLong } from './text.ts';
import { givenOf } from '../kit/api/params.ts';
import { AUDIENCES, isReply, type Draft, type World } from './world.ts';

const PUBLISH = ['threads_content_publish'] as const;
const KINDS = Object.freeze({ TEXT: 'text', IMAGE: 'image', VIDEO: 'video', CAROUSEL: 'set' } as const);
const TYPES = Object.freeze(['TEXT', 'IMAGE', 'VIDEO', 'CAROUSEL'] as const);

/** Other options, which are stored but have no effect. */
const EXTRAS = Object.freeze(
  `allowlisted_country_codes location_id poll_attachment text_entities is_spoiler_media text_attachment gif_attachment
  is_ghost_post enable_reply_approvals`.split(/\s+/),
);
const CONTAINER_PARAMS = Object.freeze([
  ...'media_type text image_url video_url is_carousel_item children reply_to_id quote_post_id'.split(' '),
  ...'reply_control link_attachment alt_text topic_tag auto_publish_text'.split(' '),
  ...EXTRAS,
]);

const SOURCES: SourceTerms = Object.freeze({
  images: ['image/jpeg', 'image/png'],
  largestImage: 8 * 1024 * 1024,
  largestVideo: 1024 * 1024 * 1024,
  refuse: {
    missing: (url: string) =>
      mediaError(1, 2_207_052, 'Media download has failed', `The media could not be fetched from this URI: ${url}`),
    format: () => badParam('The image format is not supported: JPEG and PNG are', { subcode: 2_207_005 }),
  },
  failures: { missing: 'FAILED_DOWNLOADING_VIDEO', format: 'FAILED_PROCESSING_VIDEO' },
});

const CONTAINER = lookOf<SeenContainer<Draft>>(
  'ThreadsContainer',
  {
    status: ({ found }) => found,
    error_message: ({ found, failure }) => (found === 'ERROR' ? failure : undefined),
  },
  ['status'],
);

const GONE = 'The requested resource does not exist';

/** The error for a container that cannot be published yet, again or at all. */
const mediaNotFound = (id: string) =>
  mediaError(24, 4_279_009, 'Media Not Found', `The media with id ${id} cannot be found.`, GONE);

function limitsOf({ nodes, clock, settings }: World) {
  const recent = ({ at }: { at: number }) => at > clock.now() - DAY;
  const content = (person: string, replies: boolean) =>
    nodes.list('post', { page: person }).filter((post) => post.by_app && recent(post) && isReply(post) === replies)
      .length;
  const deleted = (person: string) => nodes.list('deletion', { page: person }).filter(recent).length;
  const WORDS = { '': 'posts', reply_: 'replies', delete_: 'deletions' };
  const limits = {
    '': [() => settings.get('post_quota'), (person: string) => content(person, false)],
    reply_: [() => settings.get('reply_quota'), (person: string) => content(person, true)],
    delete_: [() => settings.get('delete_quota'), deleted],
  } as const;
  return makeLimits('ThreadsPublishingLimit', limits, (which) => {
    const message = `(#9) The app user has made too many ${WORDS[which]} within the last 24 hours`;
    return new GraphError(9, message, { subcode: 2_207_042 });
  });
}

function checkWords(text: string, link: string | undefined): void {
  if (isTooLong(text)) throw badParam('Param text must be at most 500 characters long.');
  if (hasTooManyLinks(text, link))
    throw badParam('THREADS_API__LINK_LIMIT_EXCEEDED: a post can have at most 5 links', {
      title: 'THREADS_API__LINK_LIMIT_EXCEEDED',
    });
}

function checkTopic(topic: string | undefined): void {
  if (topic !== undefined && !/^[^.&]{1,50}$/u.test(topic))
    throw badParam('The parameter topic_tag must have 1 to 50 characters other than . and &');
}

function planOf({ nodes }: World, call: Call, person: string): Plan<Draft> {
  const { params } = call;
  const type = params.oneOf('media_type', TYPES);
  if (type === undefined) throw badParam('The parameter media_type is required');
  const text = params.text('text') ?? '';
  const link = params.text('link_attachment');
  const [reply_to, quoted] = [params.text('reply_to_id'), params.text('quote_post_id')];
  const topic_tag = params.text('topic_tag');
  const audience = params.oneOf('reply_control', AUDIENCES);
  const extra = givenOf(params, EXTRAS);
  checkWords(text, link);
  if (type === 'TEXT' && text === '' && link === undefined && extra === undefined)
    throw badParam('The parameter text is required');
  if (link !== undefined && (type !== 'TEXT' || !URL.canParse(link)))
    throw badParam('The parameter link_attachment must be a URL, and only text posts have one');
  checkTopic(topic_tag);
  for (const other of [quoted, reply_to]) if (other !== undefined) live(nodes.get('post', other), other);
  if (reply_to !== undefined && nodes.get('post', reply_to)?.page_id !== person)
    callerWith(call, 'threads_manage_replies');
  const words = { text, reply_to, quoted, link, topic_tag, audience };
  return {
    draft: { ...words, extra },
    kind: KINDS[type],
    isSlow: type === 'VIDEO' || type === 'CAROUSEL',
    isInstant: type === 'TEXT' && params.flag('auto_publish_text') === true,
  };
}

export function writingMethods(world: World, posts: Posts, containers: Containers<Draft>): Methods {
  const { nodes, clock, settings } = world;
  const limits = limitsOf(world);
  const { changes, switches, readsOf } = methodsOf(world);

  return Object.freeze({
    ...publishingMethods<Draft>(world, containers, {
      open: 'person/threads',
      publish: 'person/threads_publish',
      params: CONTAINER_PARAMS,
      mostParts: 20,
      sources: SOURCES,
      container: CONTAINER,
      allow: (call, id) => selfWith(call, id, 'threads_basic', ...PUBLISH),
      plan: (call, person) => planOf(world, call, person),
      unpublishable: mediaNotFound,
      isHeld: ({ at }) => at + settings.get('publish_lag_ms') > clock.now(),
      checkLimit: ({ reply_to }, person) => limits.check(reply_to === undefined ? '' : 'reply_', person),
      make: (person, draft) => posts.create(person, draft, true),
    }),
    'GET person/threads_publishing_limit': readsOf(PUBLISH, [], limits.shown),
    'DELETE post': changes('post', ['threads_delete'], [], (call, { id, page_id }) => {
      if (page_id !== callerWith(call)) throw badParam('Only posts of the app user can be deleted');
      limits.check('delete_', page_id);
      nodes.put('deletion', { id, at: clock.now(), page_id });
      posts.remove(id);
      return { success: true, deleted_id: id };
    }),
    'POST post/manage_reply': switches('post', ['threads_manage_replies'], 'hide', (call, reply, hide) => {
      if (reply.parent_id !== reply.root || nodes.get('post', reply.root)?.page_id !== callerWith(call))
        throw badParam('Only replies to the posts of the app user can be hidden, and no replies to replies');
      posts.hide(reply.id, hide);
    }),
  });
}
