import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { notFound } from '../../googleapis/errors.ts';
import { merged, pathsIn } from '../../googleapis/masks.ts';
import { listed } from '../../googleapis/paging.ts';
import { digits } from '../../kit/ids.ts';
import type { Version } from '../../kit/people.ts';
import type { LocalPost, Location } from '../docs.ts';
import { on } from '../places/routes.ts';
import type { Places } from '../places/places.ts';
import { invalidField, notVerified } from '../refusals.ts';
import { fileUrl, googleTime, postUrl, type World } from '../world.ts';
import type { Media } from './media.ts';
import { checkPost } from './post-rules.ts';

const MOST_LISTED = 100;
const NORMAL_LISTED = 20;

const FIELDS = Object.freeze([
  'languageCode',
  'summary',
  'callToAction',
  'event',
  'media',
  'topicType',
  'alertType',
  'offer',
  'recurrenceInfo',
]);

type Fields = Readonly<Record<string, unknown>>;

export type Posts = ReturnType<typeof makePosts>;

/** Stores posts and applies the passing of time to them. */
export function makePosts(world: World, media: Media) {
  const { docs, options, settings } = world;
  const { store, clock } = options;
  const versionOf = (action: Version['action'], record: unknown): Version => ({ action, at: clock.now(), record });

  async function prepared(fields: Fields) {
    const kept = checkPost(fields);
    const sources = Array.isArray(kept['media']) ? (kept['media'] as readonly { sourceUrl: string }[]) : [];
    const blobs: string[] = [];
    for (const { sourceUrl } of sources) blobs.push((await media.fetched(sourceUrl, 'PHOTO', 'media.source_url')).id);
    return { fields: kept, media: blobs };
  }
  const judged = () =>
    ({
      verdict: settings.get('post_verdict') === 'REJECTED' ? 'REJECTED' : 'LIVE',
      decided_at: clock.now() + settings.get('post_review_ms'),
    }) as const;

  return Object.freeze({
    live: (location: string) => docs.listLive('post', { page: location }),
    async create(location: Location, account: string, fields: Fields, by_app: boolean): Promise<LocalPost> {
      const made = await prepared(fields);
      const [id, at] = [digits(19), clock.now()];
      const versions = [versionOf('create', made.fields)];
      const post = { ...made, ...judged(), id, at, updated_at: at, page_id: location.id, account, by_app, versions };
      return store.write(() => docs.put('post', post));
    },
    async edit({ id, versions }: LocalPost, fields: Fields): Promise<LocalPost> {
      const made = await prepared(fields);
      const change = { ...made, ...judged(), updated_at: clock.now() };
      return store.write(() =>
        docs.change('post', id, { ...change, versions: [...versions, versionOf('update', made.fields)] }),
      );
    },
    remove: ({ id, versions }: LocalPost): LocalPost =>
      store.write(() =>
        docs.change('post', id, { deleted_at: clock.now(), versions: [...versions, versionOf('delete', null)] }),
      ),
    judge: (id: string, verdict: LocalPost['verdict']): LocalPost =>
      store.write(() => docs.change('post', id, { verdict, decided_at: clock.now() })),
    stateOf: ({ verdict, decided_at }: LocalPost) => (decided_at > clock.now() ? 'PROCESSING' : verdict),
  });
}

export const summaryOf = ({ fields: { summary } }: LocalPost): string => (typeof summary === 'string' ? summary : '');

function viewOf(world: World, posts: Posts, account: string, post: LocalPost): object {
  const { id, page_id, fields, at, updated_at, media } = post;
  const { media: _sources, ...kept } = fields;
  const name = `accounts/${account}/locations/${page_id}/localPosts/${id}`;
  const photos = media.map((blob) => ({
    name: `accounts/${account}/locations/${page_id}/media/localPosts/${blob}`,
    mediaFormat: 'PHOTO',
    googleUrl: fileUrl(world, blob),
  }));
  return {
    name,
    languageCode: 'en',
    ...kept,
    createTime: googleTime(at),
    updateTime: googleTime(updated_at),
    state: posts.stateOf(post),
    ...(photos.length > 0 && { media: photos }),
    searchUrl: postUrl(world, page_id, id),
  };
}

function changeable(mask: string | undefined): readonly string[] {
  const paths = pathsIn(mask);
  const wrong = paths.find((path) => !FIELDS.includes(path.split('.')[0]!));
  if (paths.length === 0 || wrong !== undefined)
    throw invalidField('update_mask', 'The mask is missing or names what cannot be changed.', wrong?.slice(0, 80));
  return paths;
}

export function postRoutes(
  world: World,
  places: Places,
  posts: Posts,
  edit: (location: string) => void,
): readonly GoogleRoute[] {
  const { docs } = world;
  const whereFor = ({ caller, path }: GoogleCall) => places.locationFor(caller, path['location']!, path['account']);
  function postFor(call: GoogleCall): LocalPost {
    const { id } = whereFor(call);
    const found = docs.getLive('post', call.path['post']!);
    if (found?.page_id !== id) throw notFound();
    return found;
  }
  const given = ({ params: { values } }: GoogleCall): Fields =>
    Object.fromEntries(FIELDS.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])));
  const show = ({ path }: GoogleCall, post: LocalPost) => viewOf(world, posts, path['account']!, post);
  function mayPublish(call: GoogleCall): Location {
    const location = whereFor(call);
    if (!location.has_voice || location.no_posts === true) throw notVerified();
    edit(location.id);
    return location;
  }
  const base = '/v4/accounts/{account}/locations/{location}/localPosts';
  return [
    on('POST', base, [...FIELDS, 'name'], async (call) =>
      show(call, await posts.create(mayPublish(call), call.path['account']!, given(call), true)),
    ),
    on('GET', base, ['pageSize', 'pageToken'], (call) => {
      const all = posts.live(whereFor(call).id).toReversed();
      const { items, next } = listed(call, all, { most: MOST_LISTED, normal: NORMAL_LISTED });
      return { ...(items.length > 0 && { localPosts: items.map((post) => show(call, post)) }), ...next };
    }),
    on('GET', `${base}/{post}`, [], (call) => show(call, postFor(call))),
    on('PATCH', `${base}/{post}`, [...FIELDS, 'name', 'updateMask'], async (call) => {
      const post = postFor(call);
      mayPublish(call);
      const sources = post.media.length > 0 ? { media: post.fields['media'] } : {};
      const fields = merged({ ...post.fields, ...sources }, given(call), changeable(call.params.text('updateMask')));
      return show(call, await posts.edit(post, fields));
    }),
    on('DELETE', `${base}/{post}`, [], (call) => {
      const post = postFor(call);
      mayPublish(call);
      posts.remove(post);
      return {};
    }),
  ];
}
