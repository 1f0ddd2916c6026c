import { MINUTE } from '#kernel/clock.ts';
import { badParam, GraphError } from '../../graph/api/errors.ts';
import { WAITING, type Post } from '../docs.ts';
import type { Version } from '../../kit/people.ts';
import { newNumber } from '../../graph/ids.ts';
import type { Params } from '../../kit/api/params.ts';
import type { Feed } from '../updates.ts';
import type { World } from '../world.ts';

const UNPUBLISHED = Object.freeze([
  'ADS_POST',
  'DRAFT',
  'INLINE_CREATED',
  'PUBLISHED',
  'REVIEWABLE_BRANDED_CONTENT',
  'SCHEDULED',
  'SCHEDULED_RECURRING',
] as const);
export const LONGEST_TEXT = 63_206;

const EARLIEST = 10 * MINUTE;
const LATEST = 30 * 24 * 60 * MINUTE;

/** Whether something new is public, and if not, when it will be. */
export type Timing = Readonly<{ is_published: boolean; unpublished_content_type?: string; scheduled_at?: number }>;

type Draft = Timing &
  Pick<Post, 'page_id' | 'by_app' | 'status_type'> &
  Partial<Pick<Post, 'id' | 'author' | 'message' | 'link' | 'photos' | 'video' | 'story' | 'mention'>>;

export type Publication = Readonly<{
  /** Throws if the Page has just posted the same text or photos. */
  refuseRepeat(draft: Draft): void;
  create(draft: Draft): Post;
  publish(id: string): Post;
  edit(id: string, message: string): Post;
  remove(id: string): void;
  due(): void;
}>;

/** Reads `published`, `unpublished_content_type` and `scheduled_publish_time`, which depend on each other. */
export function readTiming(params: Params, now: number): Timing {
  const published = params.flag('published') ?? true;
  const type = params.oneOf('unpublished_content_type', UNPUBLISHED);
  const scheduled_at = params.time('scheduled_publish_time');
  if (published) {
    if (scheduled_at !== undefined)
      throw badParam('You cannot specify a scheduled publish time on a published post', { subcode: 1609013 });
    if (type !== undefined && type !== 'PUBLISHED')
      throw badParam('Param unpublished_content_type cannot be used with a published post');
    return { is_published: true };
  }
  if (scheduled_at === undefined) return { is_published: false, unpublished_content_type: type ?? 'ADS_POST' };
  if (scheduled_at < now + EARLIEST || scheduled_at > now + LATEST)
    throw badParam('The specified scheduled publish time is invalid.', { subcode: 1609014 });
  return { is_published: false, unpublished_content_type: 'SCHEDULED', scheduled_at };
}

function refuseRepeat(nodes: World['nodes'], { page_id, message, link, photos = [], author }: Draft): void {
  const own = nodes
    .list('post', { page: page_id })
    .filter((post) => post.author === undefined && post.deleted_at === undefined && post.story === undefined);
  const used = photos.find((photo) => own.some((post) => post.photos.includes(photo)));
  if (used !== undefined)
    throw badParam('These photos were already posted.', {
      subcode: 1366051,
      title: 'Photos already posted',
      says: 'These photos were already posted.',
    });
  const last = own.toSorted((a, b) => a.made_at - b.made_at).at(-1);
  const same =
    message !== undefined &&
    last?.message === message &&
    last.link === link &&
    last.photos.length === 0 &&
    photos.length === 0 &&
    last.video === undefined;
  if (author === undefined && same)
    throw new GraphError(506, '(#506) Duplicate status message', {
      title: 'Duplicate Status Update',
      says: 'This status update is identical to the last one you posted. Try posting something different, or delete your previous update.',
    });
}

export function makePublication({ store, nodes, clock, settings }: World, feed: Feed): Publication {
  const past = (post: Post, action: Version['action']): readonly Version[] => [
    ...post.versions,
    {
      action,
      at: clock.now(),
      record: { message: post.message, is_published: post.is_published, photos: post.photos, video: post.video },
    },
  ];
  const save = (post: Post, action: Version['action']): Post =>
    nodes.put('post', { ...post, versions: past(post, action) });

  function attach(post: Post): void {
    for (const photo of post.photos) nodes.change('photo', photo, { post_id: post.id, published: post.is_published });
    if (post.video !== undefined && post.is_published) nodes.change('video', post.video, { published: true });
  }

  function create({ photos = [], id, ...draft }: Draft): Post {
    const now = clock.now();
    const post = save(
      {
        ...draft,
        photos,
        ...(draft.scheduled_at !== undefined && { parent_id: WAITING }),
        id: id ?? `${draft.page_id}_${newNumber()}`,
        at: now,
        made_at: now,
        updated_at: now,
        seen_from: now + settings.get('read_lag_ms'),
        listed_from: now + settings.get('list_lag_ms'),
        views: 0,
        versions: [],
      },
      'create',
    );
    attach(post);
    if (post.is_published && post.mention !== true && post.story === undefined) feed.post(post, 'add');
    return post;
  }

  function publish(id: string): Post {
    const old = nodes.get('post', id);
    if (old === undefined) throw new Error(`There is no post ${id}.`);
    if (old.is_published) return old;
    const { unpublished_content_type: _type, scheduled_at: _at, parent_id: _waiting, ...kept } = old;
    const now = clock.now();
    const post = save(
      { ...kept, is_published: true, at: now, updated_at: now, listed_from: now + settings.get('list_lag_ms') },
      'update',
    );
    attach(post);
    feed.post(post, 'add');
    return post;
  }

  return Object.freeze({
    refuseRepeat: (draft: Draft) => refuseRepeat(nodes, draft),
    create,
    publish,
    edit(id: string, message: string) {
      const old = nodes.get('post', id);
      if (old === undefined) throw new Error(`There is no post ${id}.`);
      const post = save({ ...old, message, updated_at: clock.now() }, 'update');
      if (post.is_published) feed.post(post, 'edited');
      return post;
    },
    remove(id: string) {
      const old = nodes.get('post', id);
      if (old === undefined || old.deleted_at !== undefined) return;
      save({ ...old, deleted_at: clock.now() }, 'delete');
      for (const photo of old.photos) nodes.change('photo', photo, { deleted_at: clock.now() });
      if (old.video !== undefined) nodes.change('video', old.video, { deleted_at: clock.now() });
      if (old.is_published) feed.post(old, 'remove');
    },
    due() {
      const now = clock.now();
      const ready = nodes
        .list('post', { parent: WAITING })
        .filter((post) => post.scheduled_at !== undefined && post.scheduled_at <= now && post.deleted_at === undefined);
      if (ready.length > 0)
        store.write(() => {
          for (const { id } of ready) publish(id);
        });
    },
  });
}
