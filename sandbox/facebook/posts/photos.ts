import { badParam, GraphError, unknownObject } from '../../graph/api/errors.ts';
import type { Blob } from '../../kit/files.ts';
import { pixelsOf } from '../../kit/pixels.ts';
import type { Photo } from '../docs.ts';
import { graphTime, newId } from '../../graph/ids.ts';
import { readTiming, type Publication } from './publication.ts';
import { own, type NodeType } from '../../graph/api/render.ts';
import { drawList, drawOne, fileUrl, live, type Call, type Methods } from '../../graph/world.ts';
import { methodsOf, READ, WRITE, type World } from '../world.ts';

const LARGEST = 10 * 1024 * 1024;
const TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/bmp',
  'image/tiff',
  'image/webp',
  'image/heif',
  'image/heic',
]);
const LONGEST_ALT = 1000;
const CREATE =
  `aid allow_spherical_photo alt_text_custom application_id attempt backdated_time backdated_time_granularity caption
  feed_targeting is_explicit_location manual_privacy message name no_story place privacy profile_id published qn
  scheduled_publish_time source tags target_id targeting temporary uid unpublished_content_type url user_selected_tags
  vault_image_id`.split(/\s+/);

const badImage = () =>
  new GraphError(324, '(#324) Missing or invalid image file', {
    subcode: 2069019,
    title: 'Invalid image file',
    says: "Your photos couldn't be uploaded. Photos should be saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.",
  });
const tooBig = () =>
  badParam('Invalid parameter', {
    subcode: 1366046,
    title: "Can't Read Files",
    says: "Your photos couldn't be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG.",
  });

function makeCreation(world: World, publication: Publication, look: NodeType<Photo>) {
  const { fetching, files, clock, store, nodes, settings } = world;

  async function imageOf({ params }: Call): Promise<{ blob: Blob; width: number; height: number }> {
    const url = params.text('url');
    const upload = params.files.get('source');
    if (url === undefined && upload === undefined) throw badImage();
    if (upload !== undefined && upload.bytes.length > LARGEST) throw tooBig();
    const blob =
      upload === undefined ? await fetching.media(url ?? '', LARGEST) : await files.keep(upload.bytes, upload.name);
    if (blob === undefined || !TYPES.has(blob.mime)) throw badImage();
    const pixels = pixelsOf(files.head(blob.id));
    if (pixels === undefined) throw badImage();
    return { blob, ...pixels };
  }

  async function create(call: Call, id: string): Promise<object> {
    const { params } = call;
    const timing = readTiming(params, clock.now());
    const caption = params.text('caption') ?? params.text('message') ?? params.text('name');
    const alt = params.text('alt_text_custom');
    if (alt !== undefined && alt.length > LONGEST_ALT)
      throw badParam(`Param alt_text_custom must be at most ${LONGEST_ALT} characters long`);
    const { blob, width, height } = await imageOf(call);
    const made = store.write(() => {
      const photo = nodes.put('photo', {
        id: newId(),
        at: clock.now(),
        page_id: id,
        blob: blob.id,
        width,
        height,
        published: false,
        seen_from: clock.now() + settings.get('read_lag_ms'),
        ...(caption !== undefined && { caption }),
        ...(alt !== undefined && { alt }),
      });
      // An unpublished photo will be attached to a post, unless it has its own schedule.
      if ((!timing.is_published && timing.scheduled_at === undefined) || params.flag('no_story') === true)
        return { photo };
      const draft = { ...timing, page_id: id, by_app: true, status_type: 'added_photos', photos: [photo.id] };
      const post = publication.create({ ...draft, ...(caption !== undefined && { message: caption }) });
      return { photo, post };
    });
    const fields = params.text('fields');
    if (fields !== undefined) return drawOne(call, look, live(nodes.get('photo', made.photo.id), id));
    return { id: made.photo.id, ...(made.post !== undefined && { post_id: made.post.id }) };
  }

  function story(call: Call, id: string): object {
    const photoId = call.params.required('photo_id');
    const photo = nodes.get('photo', photoId);
    if (photo === undefined || photo.page_id !== id || photo.deleted_at !== undefined)
      throw unknownObject(photoId, 'post');
    if (photo.published) throw badParam('The photo must be unpublished');
    const post = store.write(() =>
      publication.create({
        is_published: true,
        page_id: id,
        by_app: true,
        status_type: 'added_photos',
        story: 'photo',
      }),
    );
    nodes.change('post', post.id, { photos: [photoId] });
    return { success: true, post_id: post.id.split('_')[1] };
  }

  return Object.freeze({ create, story });
}

/** Photos, photos to be attached to a post, and photo stories. */
export function makePhotos(world: World, publication: Publication): Methods {
  const { nodes, people, clock, hosts } = world;
  const { reads, changes, readsOf, writesOf } = methodsOf(world);

  const look: NodeType<Photo> = {
    name: 'Photo',
    id: ({ id }) => id,
    defaultFields: ['created_time', 'name'],
    fields: {
      name: ({ caption }) => caption,
      alt_text_custom: ({ alt }) => alt,
      created_time: ({ at }) => graphTime(at),
      ...own<Photo>('height', 'width'),
      images: ({ blob, height, width }) => [{ height, source: fileUrl(world, blob), width }],
      picture: ({ blob }) => fileUrl(world, blob),
      source: ({ blob }) => fileUrl(world, blob),
      link: ({ id }) => `${hosts.www()}/photo/?fbid=${id}`,
      from: ({ page_id }) => ({ name: people.page(page_id)?.name, id: page_id }),
      page_story_id: ({ post_id }) => post_id,
    },
  };

  const { create, story } = makeCreation(world, publication, look);

  return Object.freeze({
    'POST page/photos': writesOf(WRITE, CREATE, create),
    'POST page/photo_stories': writesOf(WRITE, ['photo_id'], story),
    'GET page/photos': readsOf(READ, ['type', 'biz_tag_id', 'business_id'], (call, id) => {
      call.params.oneOf('type', ['profile', 'tagged', 'uploaded']);
      const rows = nodes
        .list('photo', { page: id })
        .filter(({ deleted_at, published }) => deleted_at === undefined && published);
      return drawList(call, look, `${id}/photos`, rows.toReversed());
    }),
    'GET photo': reads('photo', READ, [], (call, photo) => drawOne(call, look, photo)),
    'DELETE photo': changes('photo', WRITE, [], (_call, { id, post_id }) => {
      const post = post_id === undefined ? undefined : nodes.get('post', post_id);
      if (post?.photos.length === 1) publication.remove(post.id);
      nodes.change('photo', id, { deleted_at: clock.now() });
    }),
  });
}
