/** How the app publishes: containers, what becomes of them, and the limits of a day. */
import { badParam, GraphError } from '../graph/api/errors.ts';
import type { Look } from '../graph/api/render.ts';
import type { Container, Containers } from '../graph/media/containers.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { containerMethod, makeSources, partsOf } from '../graph/media/methods.ts';
import type { SeenContainer, SourceTerms } from '../graph/media/methods.ts';
import { drawOne, live } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import { newId } from '../graph/ids.ts';
import { AUDIENCES, isReply } from './docs.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { Draft, Post } from './docs.ts';
import type { Posts } from './posts.ts';
import { readable } from './reading.ts';
import { hasTooManyLinks, isTooLong } from './text.ts';
import type { World } from './world.ts';

const DAY = 86_400_000;
const MOST_CHILDREN = 20;
const LONGEST_ALT = 1000;
const PUBLISH = ['threads_basic', 'threads_content_publish'] as const;
const TYPES = Object.freeze(['TEXT', 'IMAGE', 'VIDEO', 'CAROUSEL'] as const);
type Type = (typeof TYPES)[number];

/** What a post can have besides; the twin keeps it and does nothing with it. */
const EXTRAS = Object.freeze([
  'allowlisted_country_codes',
  'location_id',
  'poll_attachment',
  'text_entities',
  'is_spoiler_media',
  'text_attachment',
  'gif_attachment',
  'is_ghost_post',
  'enable_reply_approvals',
]);
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
      new GraphError(1, 'An unknown error occurred', {
        subcode: 2_207_052,
        title: 'Media download has failed',
        says: `The media could not be fetched from this URI: ${url}`,
      }),
    format: () => badParam('The image format is not supported: JPEG and PNG are', { subcode: 2_207_005 }),
  },
  failures: { missing: 'FAILED_DOWNLOADING_VIDEO', format: 'FAILED_PROCESSING_VIDEO' },
});

const CONTAINER: Look<SeenContainer<Draft>> = Object.freeze({
  name: 'ThreadsContainer',
  id: ({ id }: { id: string }) => id,
  shown: ['status'],
  fields: {
    status: ({ found }: SeenContainer<Draft>) => found,
    error_message: ({ found, failure }: SeenContainer<Draft>) => (found === 'ERROR' ? failure : undefined),
  },
});

/** What publishing answers where the container cannot be published: not yet, not again, or not at all. */
const mediaNotFound = (id: string) =>
  new GraphError(24, 'The requested resource does not exist', {
    subcode: 4_279_009,
    is_transient: false,
    title: 'Media Not Found',
    says: `The media with id ${id} cannot be found.`,
  });

const overQuota = (what: string) =>
  new GraphError(9, `(#9) The app user has made too many ${what} within the last 24 hours`, { subcode: 2_207_042 });

/** What was said within the last day, against the limits. */
function makeQuotas({ nodes, clock, settings }: World) {
  const recent = ({ at }: { at: number }) => at > clock.now() - DAY;
  const said = (person: string, replies: boolean) =>
    nodes.list('post', { page: person }).filter((post) => post.by_app && recent(post) && isReply(post) === replies)
      .length;
  const used = Object.freeze({
    post: (person: string) => said(person, false),
    reply: (person: string) => said(person, true),
    delete: (person: string) => nodes.list('deletion', { page: person }).filter(recent).length,
  });
  type Kind = keyof typeof used;
  const WORDS: Readonly<Record<Kind, string>> = { post: 'posts', reply: 'replies', delete: 'deletions' };
  const config = (kind: Kind) => ({ quota_total: settings.get(`${kind}_quota`), quota_duration: DAY / 1000 });

  const look: Look<string> = {
    name: 'ThreadsPublishingLimit',
    shown: ['quota_usage'],
    fields: {
      quota_usage: used.post,
      config: () => config('post'),
      reply_quota_usage: used.reply,
      reply_config: () => config('reply'),
      delete_quota_usage: used.delete,
      delete_config: () => config('delete'),
    },
  };
  return Object.freeze({
    look,
    /** Refuses what would go beyond the limit. */
    require(kind: Kind, person: string): void {
      if (used[kind](person) >= settings.get(`${kind}_quota`)) throw overQuota(WORDS[kind]);
    },
  });
}

/** Reads the parameters of a container as what the post will be. */
function draftOf({ params }: Call, type: Type): Draft {
  const text = params.text('text') ?? '';
  const link = params.text('link_attachment');
  const [reply_to, quoted] = [params.text('reply_to_id'), params.text('quote_post_id')];
  const topic_tag = params.text('topic_tag');
  const audience = params.oneOf('reply_control', AUDIENCES);
  if (isTooLong(text)) throw badParam('Param text must be at most 500 characters long.');
  if (hasTooManyLinks(text, link))
    throw badParam('THREADS_API__LINK_LIMIT_EXCEEDED: a post can have at most 5 links', {
      title: 'THREADS_API__LINK_LIMIT_EXCEEDED',
    });
  if (type === 'TEXT' && text === '' && link === undefined && !EXTRAS.some((name) => params.text(name) !== undefined))
    throw badParam('The parameter text is required');
  if (link !== undefined && (type !== 'TEXT' || !URL.canParse(link)))
    throw badParam('The parameter link_attachment must be a URL, and only text posts have one');
  if (topic_tag !== undefined && !/^[^.&]{1,50}$/u.test(topic_tag))
    throw badParam('The parameter topic_tag must have 1 to 50 characters other than . and &');
  const extra = Object.fromEntries(
    EXTRAS.flatMap((name) => {
      const value = params.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { text, reply_to, quoted, link, topic_tag, audience, ...(Object.keys(extra).length > 0 && { extra }) };
}

/** Makes containers of what the app sends. */
function containerMethods(world: World, containers: Containers<Draft>, publish: Publish): Methods {
  const { nodes, store } = world;
  const sources = makeSources(world, SOURCES);

  async function open(call: Call, id: string): Promise<object> {
    const { params } = call;
    const person = selfWith(call, id, ...PUBLISH);
    const type = params.oneOf('media_type', TYPES);
    if (type === undefined) throw badParam('The parameter media_type is required');
    const draft = draftOf(call, type);
    for (const other of [draft.quoted, draft.reply_to]) if (other !== undefined) live(nodes.get('post', other), other);
    if (draft.reply_to !== undefined && nodes.get('post', draft.reply_to)?.page_id !== person)
      callerWith(call, 'threads_manage_replies');
    const alt = params.text('alt_text');
    if (alt !== undefined && alt.length > LONGEST_ALT)
      throw badParam(`Param alt_text must be at most ${LONGEST_ALT} characters long.`);
    const children = type === 'CAROUSEL' ? partsOf(call, world, containers, MOST_CHILDREN) : [];
    const file =
      type === 'IMAGE'
        ? await sources.image(params.required('image_url'))
        : type === 'VIDEO'
          ? await sources.video(params.required('video_url'))
          : undefined;
    const media: readonly Medium[] =
      file === undefined ? [] : [{ id: newId(), type: type === 'VIDEO' ? 'VIDEO' : 'IMAGE', blob: file.blob, alt }];
    const isInstant = type === 'TEXT' && params.flag('auto_publish_text') === true;
    return store.write(() => {
      const container = containers.open({
        page_id: person,
        draft: { ...draft, media },
        children,
        is_child: params.flag('is_carousel_item') === true && file !== undefined,
        slow: type === 'VIDEO' || type === 'CAROUSEL',
        ...(file?.failure !== undefined && { failure: file.failure }),
      });
      return { id: isInstant ? publish(container).id : container.id };
    });
  }

  return {
    'POST person/threads': { params: CONTAINER_PARAMS, run: open },
    'GET container': containerMethod(world, containers, CONTAINER),
  };
}

type Publish = (container: Container<Draft>) => Post;

/** Everything the app writes: posts and answers, and what it does with them afterwards. */
export function publishingMethods(world: World, posts: Posts, containers: Containers<Draft>): Methods {
  const { nodes, store, clock, settings } = world;
  const quotas = makeQuotas(world);

  function publish({ id, page_id, draft, children }: Container<Draft>): Post {
    quotas.require(draft.reply_to === undefined ? 'post' : 'reply', page_id);
    const parts = children.flatMap((child) => nodes.get('container', child)?.draft.media ?? []);
    const post = posts.create(page_id, children.length === 0 ? draft : { ...draft, media: parts }, true);
    containers.published(id, post.id);
    return post;
  }
  const own = (call: Call, id: string, scope: string): Post => {
    const person = callerWith(call, 'threads_basic', scope);
    return readable(world, person, id, call.verb.toLowerCase());
  };

  return Object.freeze({
    ...containerMethods(world, containers, publish),
    'POST person/threads_publish': {
      params: ['creation_id'],
      run(call: Call, id: string) {
        const person = selfWith(call, id, ...PUBLISH);
        const creation = call.params.required('creation_id');
        return store.write(() => {
          const container = nodes.get('container', creation);
          const isFresh = container !== undefined && container.at + settings.get('publish_lag_ms') > clock.now();
          if (container?.page_id !== person || isFresh || !containers.publishable(container))
            throw mediaNotFound(creation);
          return { id: publish(container).id };
        });
      },
    },
    'GET person/threads_publishing_limit': {
      params: [],
      run: (call: Call, id: string) => ({ data: [drawOne(call, quotas.look, selfWith(call, id, ...PUBLISH))] }),
    },
    'DELETE post': {
      params: [],
      run(call: Call, id: string) {
        const { page_id } = own(call, id, 'threads_delete');
        if (page_id !== callerWith(call)) throw badParam('Only posts of the app user can be deleted');
        return store.write(() => {
          quotas.require('delete', page_id);
          nodes.put('deletion', { id, at: clock.now(), page_id });
          posts.remove(id);
          return { success: true, deleted_id: id };
        });
      },
    },
    'POST post/manage_reply': {
      params: ['hide'],
      run(call: Call, id: string) {
        const reply = own(call, id, 'threads_manage_replies');
        const hide = call.params.flag('hide');
        if (hide === undefined) throw badParam('The parameter hide is required');
        if (reply.parent_id !== reply.root || nodes.get('post', reply.root)?.page_id !== callerWith(call))
          throw badParam('Only replies to the posts of the app user can be hidden, and no replies to replies');
        store.write(() => posts.hide(id, hide));
        return { success: true };
      },
    },
  });
}
