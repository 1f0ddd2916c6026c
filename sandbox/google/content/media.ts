import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { notFound } from '../../googleapis/errors.ts';
import { pathsIn } from '../../googleapis/masks.ts';
import { listed } from '../../googleapis/paging.ts';
import { isObject } from '../../kit/api/checks.ts';
import { receiveFile, type Blob } from '../../kit/files.ts';
import { pixelsOf } from '../../kit/pixels.ts';
import { randomText } from '../../kit/ids.ts';
import type { Location, MediaItem } from '../docs.ts';
import { on } from '../places/routes.ts';
import type { Places } from '../places/places.ts';
import { invalidField } from '../refusals.ts';
import { fileUrl, googleTime, pictureOf, type World } from '../world.ts';

const CATEGORIES = Object.freeze(
  'COVER PROFILE LOGO EXTERIOR INTERIOR PRODUCT AT_WORK FOOD_AND_DRINK MENU COMMON_AREA ROOMS TEAMS ADDITIONAL'.split(
    ' ',
  ),
);
/** The categories of which a location has only one photo. */
const SINGLE = new Set(['COVER', 'PROFILE', 'LOGO']);
const LARGEST_PHOTO = 5 * 1024 * 1024;
const LARGEST_VIDEO = 75 * 1024 * 1024;
const MOST_LISTED = 2500;
const NORMAL_LISTED = 100;

export type Media = ReturnType<typeof makeMedia>;
type Draft = Omit<MediaItem, 'id' | 'at' | 'page_id' | 'width' | 'height'>;

export function makeMedia(world: World) {
  const { docs, files, fetching, settings, options } = world;

  /** Throws if a file does not fit its format. Returns the size of a photo. */
  function checked(blob: Blob, format: MediaItem['format'], field: string) {
    if (format === 'VIDEO') {
      if (!blob.mime.startsWith('video/')) throw invalidField(field, 'The file is not a video.', blob.mime);
      return {};
    }
    if (!['image/jpeg', 'image/png'].includes(blob.mime))
      throw invalidField(field, 'The photo must be a JPEG or PNG.', blob.mime);
    if (blob.size < settings.get('least_photo_bytes')) throw invalidField(field, 'The photo is too small in bytes.');
    if (blob.size > LARGEST_PHOTO) throw invalidField(field, 'The photo is too large in bytes.');
    const size = pixelsOf(files.head(blob.id));
    const side = Math.min(size?.width ?? 0, size?.height ?? 0);
    if (side < settings.get('least_photo_side')) throw invalidField(field, 'The photo has too few pixels.', `${side}`);
    return size;
  }
  const live = (location: string) => docs.listLive('media', { page: location });

  return Object.freeze({
    live,
    /** Downloads a file as Google does, and throws if it cannot be used. */
    async fetched(url: string, format: MediaItem['format'], field: string): Promise<Blob> {
      const blob = await fetching.media(url, format === 'VIDEO' ? LARGEST_VIDEO : 2 * LARGEST_PHOTO);
      if (blob === undefined)
        throw invalidField(field, 'Fetching the media from its address failed.', url.slice(0, 200));
      checked(blob, format, field);
      return blob;
    },
    checked,
    add(location: Location, draft: Draft): MediaItem {
      const { category, format, blob } = draft;
      const kept = docs.get('blob', blob)!;
      for (const one of SINGLE.has(category) ? live(location.id) : [])
        if (one.category === category) docs.change('media', one.id, { category: 'ADDITIONAL' });
      const id = `AF1Qip${randomText(24)}`;
      const size = format === 'PHOTO' ? pixelsOf(files.head(kept.id)) : {};
      return docs.put('media', { ...draft, ...size, id, at: options.clock.now(), page_id: location.id });
    },
  });
}

function viewOf(world: World, account: string, item: MediaItem): object {
  const { id, page_id, format, category, blob, at, width, height, description, author, source } = item;
  const url = fileUrl(world, blob);
  const way = `accounts/${account}/locations/${page_id}/media`;
  return {
    name: author === undefined ? `${way}/${id}` : `${way}/customers/${id}`,
    mediaFormat: format,
    ...(author === undefined ? { locationAssociation: { category } } : {}),
    googleUrl: url,
    thumbnailUrl: url,
    createTime: googleTime(at),
    ...(width !== undefined && height !== undefined && { dimensions: { widthPixels: width, heightPixels: height } }),
    ...(author !== undefined && {
      attribution: {
        profileName: world.people.byId(author)?.name,
        profilePhotoUrl: pictureOf(world, author),
        takedownUrl: `${world.hosts.maps()}/local/imagery/report?key=${id}`,
        profileUrl: `${world.hosts.maps()}/maps/contrib/${author}`,
      },
    }),
    ...(description !== undefined && { description }),
    ...(author === undefined && source),
  };
}

/** Routes for uploading bytes before their media item is created. */
function uploadRoutes(world: World, places: Places, base: string): readonly GoogleRoute[] {
  const { docs, files, options } = world;
  const { store, clock } = options;
  function startUpload({ caller, path }: GoogleCall): object {
    const { id } = places.locationFor(caller, path['location']!, path['account']);
    const resourceName = `upload-${randomText(18)}`;
    docs.put('upload', { id: resourceName, at: clock.now(), page_id: id });
    return { resourceName };
  }
  async function takeBytes({ ctx, params, path, caller }: GoogleCall): Promise<object> {
    const upload = docs.get('upload', path['resource']!);
    if (upload === undefined) throw notFound();
    places.locationFor(caller, upload.page_id);
    const type = params.text('upload_type') ?? params.text('uploadType');
    if (type !== 'media') throw invalidField('upload_type', 'The upload type must be media.', type?.slice(0, 80));
    const blob = await receiveFile(files, ctx.req, { name: 'upload', mostBytes: LARGEST_VIDEO });
    if (blob === undefined) throw invalidField('media', 'The file is too large in bytes.');
    store.write(() => docs.change('upload', upload.id, { blob: blob.id }));
    return {};
  }
  return [
    on('POST', `${base}:startUpload`, [], startUpload),
    on('POST', '/upload/v1/media/{resource}', ['upload_type', 'uploadType'], takeBytes, { isStream: true }),
  ];
}

type Edit = (location: string) => void;

function categoryOf(association: unknown): string {
  const { category, priceListItemId } = isObject(association) ? association : {};
  if (typeof priceListItemId === 'string') return 'PRODUCT';
  if (!CATEGORIES.includes(String(category)))
    throw invalidField('location_association.category', 'The category is missing or not known.', String(category));
  return String(category);
}

export function mediaRoutes(world: World, places: Places, media: Media, edit: Edit): readonly GoogleRoute[] {
  const { docs, options } = world;
  const { store, clock } = options;
  const whereFor = ({ caller, path }: GoogleCall) => places.locationFor(caller, path['location']!, path['account']);
  function itemFor(call: GoogleCall, isOfCustomer = false): MediaItem {
    const { id } = whereFor(call);
    const found = docs.getLive('media', call.path['key']!);
    if (found?.page_id !== id || (found.author !== undefined) !== isOfCustomer) throw notFound();
    return found;
  }
  /** The file of a new media item: downloaded from a URL, or uploaded before. */
  async function fileOf(
    { params }: GoogleCall,
    location: Location,
    format: MediaItem['format'],
  ): Promise<Readonly<{ blob: Blob; source: MediaItem['source'] }>> {
    const [url, ref] = [params.text('sourceUrl'), params.object('dataRef')];
    if ((url === undefined) === (ref === undefined))
      throw invalidField('data', 'Exactly one of source_url and data_ref must be given.');
    if (url !== undefined) return { blob: await media.fetched(url, format, 'source_url'), source: { sourceUrl: url } };
    const resourceName = String(ref?.['resourceName']);
    const upload = docs.get('upload', resourceName);
    if (upload?.blob === undefined || upload.is_used === true || upload.page_id !== location.id)
      throw invalidField(
        'data_ref.resource_name',
        'No bytes were uploaded under this name.',
        resourceName.slice(0, 80),
      );
    const blob = docs.get('blob', upload.blob)!;
    media.checked(blob, format, 'data_ref');
    return { blob, source: { dataRef: { resourceName } } };
  }
  async function create(call: GoogleCall): Promise<object> {
    const { params, path } = call;
    const location = whereFor(call);
    edit(location.id);
    const format: MediaItem['format'] = params.text('mediaFormat') === 'VIDEO' ? 'VIDEO' : 'PHOTO';
    if (params.text('mediaFormat') !== format)
      throw invalidField('media_format', 'The media format must be PHOTO or VIDEO.');
    const category = categoryOf(params.object('locationAssociation'));
    const description = params.text('description');
    const { blob, source } = await fileOf(call, location, format);
    return store.write(() => {
      const draft = { format, category, blob: blob.id, source, ...(description !== undefined && { description }) };
      if ('dataRef' in source) docs.change('upload', source.dataRef.resourceName, { is_used: true });
      return viewOf(world, path['account']!, media.add(location, draft));
    });
  }
  function patch(call: GoogleCall): object {
    const { params, path } = call;
    const item = itemFor(call);
    edit(item.page_id);
    const change: { description?: string; category?: string } = {};
    const paths = pathsIn(params.text('updateMask'));
    if (paths.length === 0) throw invalidField('update_mask', 'The update mask is missing.');
    for (const one of paths)
      if (one === 'description') {
        if (item.format === 'VIDEO') throw invalidField('description', 'The description of a video cannot be changed.');
        change.description = params.text('description') ?? '';
      } else if (/^locationAssociation(?:\.category)?$/.test(one))
        change.category = categoryOf(params.object('locationAssociation'));
      else throw invalidField('update_mask', 'This field cannot be changed.', one.slice(0, 80));
    return viewOf(
      world,
      path['account']!,
      store.write(() => docs.change('media', item.id, change)),
    );
  }
  function remove(call: GoogleCall): object {
    const { id, page_id } = itemFor(call);
    edit(page_id);
    store.write(() => docs.change('media', id, { deleted_at: clock.now() }));
    return {};
  }
  function list(call: GoogleCall, isOfCustomers: boolean): object {
    const { id } = whereFor(call);
    const all = media.live(id).filter(({ author }) => (author !== undefined) === isOfCustomers);
    const { items, next } = listed(call, all.toReversed(), { most: MOST_LISTED, normal: NORMAL_LISTED });
    const mediaItems = items.map((one) => viewOf(world, call.path['account']!, one));
    return { ...(mediaItems.length > 0 && { mediaItems, totalMediaItemCount: all.length }), ...next };
  }
  const base = '/v4/accounts/{account}/locations/{location}/media';
  const fields = ['mediaFormat', 'locationAssociation', 'description', 'sourceUrl', 'dataRef', 'name'];
  return [
    ...uploadRoutes(world, places, base),
    on('POST', base, fields, create),
    on('GET', base, ['pageSize', 'pageToken'], (call) => list(call, false)),
    on('GET', `${base}/customers`, ['pageSize', 'pageToken'], (call) => list(call, true)),
    on('GET', `${base}/customers/{key}`, [], (call) => viewOf(world, call.path['account']!, itemFor(call, true))),
    on('GET', `${base}/{key}`, [], (call) => viewOf(world, call.path['account']!, itemFor(call))),
    on('PATCH', `${base}/{key}`, [...fields, 'updateMask'], patch),
    on('DELETE', `${base}/{key}`, [], remove),
  ];
}
