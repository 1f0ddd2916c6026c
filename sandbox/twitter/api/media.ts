/** Uploads for posts and messages: they are started, appended to, finished and processed. */
import { z } from 'zod';
import { answer } from '../../kit/api/routes.ts';
import { mediaKey, mediaKind, type Fields, type Medium } from '../docs.ts';
import { badValue, forbidden, invalid } from '../errors.ts';
import { idOf, makeCalls, read, type Call, type Parts, type XRoute } from './calls.ts';

const MB = 1024 * 1024;
/** The limit of X's edge servers, which is lower than the documentation says. */
const LARGEST_SEGMENT = 2 * MB;
const DAY_S = 86_400;
/** The size limits and types of each kind of media. */
const KINDS = Object.freeze({
  photo: { bytes: 5 * MB, mime: /^image\/(?:jpeg|png|webp|pjpeg|bmp|tiff)$/ },
  animated_gif: { bytes: 15 * MB, mime: /^image\/gif$/ },
  video: { bytes: 512 * MB, mime: /^video\/(?:mp4|quicktime|webm|mp2t)$/ },
});
const Category = z.enum(['tweet_image', 'tweet_gif', 'tweet_video', 'amplify_video', 'dm_image', 'dm_gif', 'dm_video']);

const Begin = z.strictObject({
  media_type: z.string(),
  total_bytes: z.coerce.number().int().positive(),
  media_category: Category.default('tweet_image'),
  additional_owners: z.array(z.string()).optional(),
  shared: z.boolean().optional(),
});
const Segment = z.looseObject({ segment_index: z.coerce.number().int().min(0).max(999) });
const OneShot = z.looseObject({ media_category: Category, media_type: z.string().optional() });
const Metadata = z.strictObject({
  id: z.string(),
  metadata: z.looseObject({ alt_text: z.strictObject({ text: z.string().max(1000) }) }),
});

function checkKind(category: string, mime: string, bytes: number): void {
  const kind = KINDS[mediaKind(category)];
  if (!kind.mime.test(mime)) throw invalid(`$.media_type: ${mime.slice(0, 80)} does not fit ${category}`);
  if (bytes > kind.bytes) throw invalid(`File size exceeds ${kind.bytes} bytes.`);
}

/** The bytes of a segment: a file in a form, or base64 in JSON. */
function bytesIn({ params }: Call): Buffer {
  const bytes = params.files.get('media')?.bytes ?? Buffer.from(params.text('media') ?? '', 'base64');
  if (bytes.length === 0) throw invalid('$.media: is missing but it is required');
  return bytes;
}

function makeUploads({ docs, files, newId, settings, options: { clock, store } }: Parts['world']) {
  const change = (id: string, patch: Partial<Medium>) => store.write(() => docs.change('medium', id, patch));
  return Object.freeze({
    change,
    /** Returns a file of the account that has not expired. */
    own({ caller }: Call, id: string): Medium {
      const medium = docs.get('medium', idOf(id));
      if (medium?.page_id !== caller.person || medium.at <= clock.now() - DAY_S * 1000)
        throw invalid('The media ID is invalid or has expired.', { media_id: [id] });
      return medium;
    },
    begin({ caller: { person } }: Call, category: string, mime: string, total: number): Medium {
      const medium = { id: newId(), at: clock.now(), page_id: person, category, mime, total, segments: {} };
      return store.write(() => docs.put('medium', medium));
    },
    async append({ id, blob }: Medium, bytes: Buffer, index: number): Promise<void> {
      if (blob !== undefined) throw invalid('The media ID is already finalized.', { media_id: [id] });
      const { id: segment } = await files.keep(bytes, `segment ${index}`);
      change(id, { segments: { ...docs.get('medium', id)!.segments, [index]: segment } });
    },
    async finish(id: string): Promise<Medium> {
      const { category, total, segments, ...before } = docs.get('medium', id)!;
      if (before.blob !== undefined) return { ...before, category, total, segments };
      const parts = Array.from({ length: Object.keys(segments).length }, (_, at) => segments[at]);
      const whole = await files.join(
        parts.flatMap((part) => part ?? []),
        'media',
      );
      if (parts.includes(undefined) || whole.size !== total)
        throw invalid('Segments do not add up to provided total file size.', { media_id: [id] });
      checkKind(category, whole.mime, total);
      const isPhoto = mediaKind(category) === 'photo';
      const ready_at = clock.now() + (isPhoto ? 0 : settings.get('processing_ms'));
      const fails = !isPhoto && settings.get('processing_fails');
      return change(id, { blob: whole.id, mime: whole.mime, segments: {}, ready_at, fails });
    },
    viewOf(medium: Medium): Fields {
      const { id, category, total: size, blob, ready_at = 0, fails, at } = medium;
      const left = ready_at - clock.now();
      const progress_percent = Math.max(
        0,
        Math.min(99, Math.round(100 - left / Math.max(1, settings.get('processing_ms') / 100))),
      );
      const working = {
        state: progress_percent === 0 ? 'pending' : 'in_progress',
        check_after_secs: 1,
        progress_percent,
      };
      const error = { code: 1, name: 'InvalidMedia', message: 'Unsupported file' };
      const over =
        fails === true
          ? { state: 'failed', progress_percent: 100, error }
          : { state: 'succeeded', progress_percent: 100 };
      const isWorkedOn = blob !== undefined && mediaKind(category) !== 'photo';
      const expires_after_secs = DAY_S - Math.floor((clock.now() - at) / 1000);
      const info = isWorkedOn && { processing_info: left > 0 ? working : over };
      return { data: { id, media_key: mediaKey(medium), ...(blob && { size }), expires_after_secs, ...info } };
    },
  });
}

export function mediaRoutes({ world }: Parts): readonly XRoute[] {
  const call = makeCalls(world);
  const { own, begin, append, finish, viewOf, change } = makeUploads(world);
  return [
    call('POST /2/media/upload/initialize', 'media 1875', (one) => {
      const { media_type, media_category, total_bytes } = read(Begin, one.params.values, '$');
      checkKind(media_category, media_type, total_bytes);
      return viewOf(begin(one, media_category, media_type, total_bytes));
    }),
    call('POST /2/media/upload/{id}/append', 'media 1875', async (one) => {
      const { segment_index: index } = read(Segment, one.params.values, '$');
      const medium = own(one, one.path['id'] ?? '');
      const bytes = bytesIn(one);
      if (bytes.length > LARGEST_SEGMENT) return answer('', 413);
      await append(medium, bytes, index);
      return { data: { expires_at: Math.floor(medium.at / 1000) + DAY_S } };
    }),
    call('POST /2/media/upload/{id}/finalize', 'media 1875', async (one) =>
      viewOf(await finish(own(one, one.path['id'] ?? '').id)),
    ),
    call('GET /2/media/upload', 'media 1000', (one) => {
      const { command = 'STATUS', media_id = '' } = one.params.query;
      if (command !== 'STATUS') throw badValue('command', command, 'is not one of [STATUS]');
      return viewOf(own(one, media_id));
    }),
    call('POST /2/media/upload', 'media 500', async (one) => {
      const { media_category: category, media_type } = read(OneShot, one.params.values, '$');
      const bytes = bytesIn(one);
      const mime = media_type ?? one.params.files.get('media')?.mime ?? '';
      if (mediaKind(category) === 'video') throw invalid('$.media_category: films are uploaded in segments');
      const medium = begin(one, category, mime, bytes.length);
      await append(medium, bytes, 0);
      return viewOf(await finish(medium.id));
    }),
    call('POST /2/media/metadata', 'media 500', (one) => {
      const { id, metadata } = read(Metadata, one.params.values, '$');
      const medium = world.docs.get('medium', id.replace(/^\d+_/, ''));
      if (medium?.page_id !== one.caller.person) throw forbidden();
      if (medium.blob === undefined) throw invalid('The media ID is not finalized.', { id: [id] });
      const { alt_text } = metadata;
      change(medium.id, { alt: alt_text.text });
      return { data: { id, associated_metadata: { alt_text } } };
    }),
  ];
}
