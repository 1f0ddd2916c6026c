import { z } from 'zod';
import { isoTime } from '#kernel/clock.ts';
import { answer } from '../kit/api/routes.ts';
import { sumOf } from '../kit/days.ts';
import { utf16 } from '../kit/api/shapes.ts';
import { boardOf } from './boards.ts';
import { listed, makeCalls, read, type Call } from './calls.ts';
import type { Board, Fields, Picture, Pin } from './docs.ts';
import { noMedia, noPin, notAllowed, onTrial, unfit, WORDS } from './errors.ts';
import type { Uploads } from './uploads.ts';
import type { Pins, World } from './world.ts';

const READING = 'boards:read pins:read';
const WRITING = 'boards:read boards:write pins:read pins:write';
const MB = 1024 * 1024;
const MOST_PICTURE = 20 * MB;
const MOST_BASE64 = 10 * MB;
const PICTURES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp']);
const SIZES = Object.freeze({
  '150x150': [150, 150],
  '400x300': [400, 300],
  '600x': [600, 600],
  '1200x': [1200, 1200],
});

const id = z.string().regex(/^\d+$/);
const some = z.string().min(1);
const content = { content_type: z.enum(['image/jpeg', 'image/png']), data: z.base64().min(1) };
const words = { title: utf16(100).optional(), description: utf16(800).optional(), link: utf16(2048).optional() };
const several = <S extends z.ZodType>(item: S) => z.array(item).min(2).max(5);
const Source = z.discriminatedUnion('source_type', [
  z.looseObject({ source_type: z.literal('image_url'), url: some }),
  z.looseObject({ source_type: z.literal('image_base64'), ...content }),
  z.looseObject({
    source_type: z.literal('multiple_image_urls'),
    items: several(z.looseObject({ url: some, ...words })),
    index: z.int().min(0).optional(),
  }),
  z.looseObject({
    source_type: z.literal('multiple_image_base64'),
    items: several(z.looseObject({ ...content, ...words })),
    index: z.int().min(0).optional(),
  }),
  z.looseObject({
    source_type: z.literal('video_id'),
    media_id: id,
    cover_image_url: some.optional(),
    cover_image_data: content.data.optional(),
    cover_image_content_type: content.content_type.optional(),
    cover_image_key_frame_time: z.number().min(0).optional(),
  }),
]);
const Changes = z.object({
  board_id: id.optional(),
  board_section_id: id.nullish(),
  title: utf16(100).nullish(),
  description: utf16(800).nullish(),
  link: utf16(2048).nullish(),
  alt_text: utf16(500).nullish(),
});
const Create = Changes.extend({
  board_id: id,
  dominant_color: z
    .string()
    .regex(/^#[\dA-Fa-f]{6}$/)
    .nullish(),
  parent_pin_id: id.nullish(),
  media_source: Source,
});
const EMPTY = Object.freeze(
  Object.fromEntries(
    'title description link alt_text dominant_color parent_pin_id board_section_id'
      .split(' ')
      .map((name) => [name, null]),
  ),
);

function makeView({ docs, hosts }: World, pins: Pins) {
  const addressOf = (blob: string) => `${hosts.cdn()}/${blob}`;
  const imagesOf = (blob: string) =>
    Object.fromEntries(
      Object.entries(SIZES).map(([size, [width, height]]) => [size, { width, height, url: addressOf(blob) }]),
    );
  function mediaOf({ pictures, video }: Pin): object {
    const [first] = pictures;
    const images = first === undefined ? {} : imagesOf(first.blob);
    const cover = first !== undefined && { cover_image_url: addressOf(first.blob) };
    const size = { duration: 5000, height: 1920, width: 1080, video_url: null };
    if (video !== undefined) return { media_type: 'video', images, ...cover, ...size };
    if (pictures.length < 2) return { media_type: 'image', images };
    const items = pictures.map(({ blob, about }) => ({ item_type: 'image', images: imagesOf(blob), ...about }));
    return { media_type: 'multiple_images', items };
  }
  /** A pin's events, added up under the older names of metrics. */
  function metricsOf({ id, comments }: Pin): object {
    const days = docs.list('day', { parent: id });
    const sum = (name: string) => sumOf(days, name);
    const clicks = { pin_click: sum('PIN_CLICK'), clickthrough: sum('OUTBOUND_CLICK') };
    const both = { ...clicks, impression: sum('IMPRESSION'), save: sum('SAVE') };
    return { '90d': both, lifetime_metrics: { ...both, reaction: sum('TOTAL_REACTIONS'), comment: comments.length } };
  }
  return function viewOf(pin: Pin, caller: string, hasMetrics = false): object {
    const { id, parent_id: board_id, page_id, at, fields, pictures, video } = pin;
    const board = { board_id, board_owner: { username: pins.nameOf(page_id) } };
    const flags = { is_owner: page_id === caller, is_standard: true, has_been_promoted: false };
    const still = pictures.length > 1 ? 'CAROUSEL' : 'REGULAR';
    const creative_type = video === undefined ? still : 'VIDEO';
    const pin_metrics = hasMetrics ? metricsOf(pin) : null;
    const made = { id, created_at: isoTime(at), creative_type, media: mediaOf(pin), pin_metrics };
    return { ...EMPTY, ...fields, ...made, ...board, ...flags };
  };
}

/** Reads the media of a pin: pictures that are downloaded or sent, or an uploaded video. */
function makeSources({ files, fetching }: World, uploads: Uploads) {
  async function fetched(url: string, about: Fields = {}): Promise<Picture> {
    const blob = await fetching.media(url, MOST_PICTURE);
    if (blob === undefined || !PICTURES.has(blob.mime)) throw unfit('Sorry we could not fetch the image.');
    return { blob: blob.id, about };
  }
  async function sent(data: string, type = 'image/jpeg', about: Fields = {}): Promise<Picture> {
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > MOST_BASE64) throw unfit('The image is too large.');
    const blob = await files.keep(bytes, 'pin');
    if (blob.mime !== type) throw unfit('The image does not have its content_type.');
    return { blob: blob.id, about };
  }
  /** The texts of one picture in a pin with several. */
  function wordsOf({ title = null, description = null, link = null }: Fields): Fields {
    return { title, description, link };
  }
  return async function sourceOf(
    source: z.output<typeof Source>,
    caller: string,
  ): Promise<Pick<Pin, 'pictures' | 'video' | 'cover_time'>> {
    if (source.source_type === 'image_url') return { pictures: [await fetched(source.url)] };
    if (source.source_type === 'image_base64') return { pictures: [await sent(source.data, source.content_type)] };
    if (source.source_type === 'multiple_image_urls')
      return { pictures: await Promise.all(source.items.map((one) => fetched(one.url, wordsOf(one)))) };
    if (source.source_type === 'multiple_image_base64')
      return { pictures: await Promise.all(source.items.map((one) => sent(one.data, one.content_type, wordsOf(one)))) };
    const { media_id, cover_image_url: url, cover_image_data: data, cover_image_key_frame_time: time } = source;
    const media = uploads.get(media_id, caller);
    if (media === undefined) throw noMedia();
    if (uploads.statusOf(media) !== 'succeeded') throw unfit('The video is not ready.');
    if (url === undefined && data === undefined && time === undefined)
      throw WORDS.invalid('media_source: a cover image is required for video Pins.');
    const video = { video: media.blob!, cover_time: time };
    if (url !== undefined) return { pictures: [await fetched(url)], ...video };
    return { pictures: data === undefined ? [] : [await sent(data, source.cover_image_content_type)], ...video };
  };
}

export function pinRoutes(world: World, pins: Pins, uploads: Uploads) {
  const { docs, options, settings } = world;
  const { store } = options;
  const call = makeCalls(world);
  const viewOf = makeView(world, pins);
  const sourceOf = makeSources(world, uploads);

  function pinOf({ caller, path }: Call, isOwn = false): Pin {
    const found = pins.pin(path['id'] ?? '');
    if (found === undefined || (found.page_id !== caller.person && !pins.isPublic(found))) throw noPin();
    if (isOwn && found.page_id !== caller.person) throw notAllowed();
    return found;
  }
  function checkSection({ id }: Board, section: unknown): void {
    if (typeof section === 'string' && docs.get('section', section)?.parent_id !== id)
      throw WORDS.invalid('The board section is not on this board.');
  }
  async function create(one: Call): Promise<object> {
    const { media_source: source, board_id, ...fields } = read(Create, { ...one.params.values }, 'pin');
    const { person } = one.caller;
    if (settings.get('trial') && !settings.get('api_sandbox')) throw onTrial();
    const board = boardOf(pins, one, board_id);
    checkSection(board, fields.board_section_id);
    const media = await sourceOf(source, person);
    const pin = store.write(() => pins.put({ page_id: person, parent_id: board.id, fields, ...media }));
    return answer(viewOf(pin, person), 201);
  }
  function list(one: Call, where: Parameters<Pins['pins']>[0]): object {
    const { caller, params } = one;
    const isSeen = ({ parent_id }: Pin) =>
      caller.scopes.includes('pins:read_secret') || docs.get('board', parent_id)?.privacy !== 'SECRET';
    const hasMetrics = params.flag('pin_metrics');
    return listed(one, pins.pins(where).filter(isSeen), (pin) => viewOf(pin, caller.person, hasMetrics));
  }

  return [
    call('POST', '/pins', WRITING, create),
    call('GET', '/pins', READING, (one) => list(one, { page: one.caller.person })),
    call('GET', '/boards/{id}/pins', READING, (one) => list(one, { parent: boardOf(pins, one, one.path['id']).id })),
    call('GET', '/pins/{id}', READING, (one) => viewOf(pinOf(one), one.caller.person, one.params.flag('pin_metrics'))),
    call('PATCH', '/pins/{id}', WRITING, (one) => {
      const pin = pinOf(one, true);
      const { board_id = pin.parent_id, ...fields } = read(Changes, { ...one.params.values }, 'pin');
      const board = boardOf(pins, one, board_id);
      checkSection(board, fields.board_section_id);
      const patch = { parent_id: board.id, fields: { ...pin.fields, ...fields } };
      return viewOf(
        store.write(() => pins.change(pin, patch)),
        one.caller.person,
      );
    }),
    call('DELETE', '/pins/{id}', WRITING, (one) => {
      const pin = pinOf(one, true);
      store.write(() => pins.remove(pin));
      return answer('', 204);
    }),
  ];
}
