/** Video uploads: forms of an object store, whose fields are given, and the processing of the video. */
import { HOUR } from '#kernel/clock.ts';
import { randomText } from '../kit/ids.ts';
import { answer, route, type Caller } from '../kit/api/routes.ts';
import { streamForm, type FormFlaw } from '../kit/api/form-stream.ts';
import { listed, makeCalls } from './calls.ts';
import type { Media } from './docs.ts';
import { noMedia, WORDS } from './errors.ts';
import { newId, type World } from './world.ts';

const MOST_VIDEO = 2 * 1024 ** 3;
const VIDEOS: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime', 'video/x-m4v']);

const FLAWS: Readonly<Record<FormFlaw, string>> = {
  'no form': 'PreconditionFailed',
  'no file': 'InvalidArgument',
  'not last': 'InvalidArgument',
  'cut off': 'IncompleteBody',
};
const refusal = (status: number, code: string) =>
  answer(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`, status, {
    'content-type': 'application/xml',
  });

export type Uploads = ReturnType<typeof makeUploads>;

export function makeUploads(world: World) {
  const { docs, files, settings, hosts, options } = world;
  const { clock, store } = options;
  const call = makeCalls(world);

  function statusOf({ uploaded_at, blob = '' }: Media): string {
    if (uploaded_at === undefined) return 'registered';
    if (clock.now() < uploaded_at + settings.get('processing_ms')) return 'processing';
    const isVideo = VIDEOS.has(docs.get('blob', blob)?.mime ?? '') && files.size(blob) <= MOST_VIDEO;
    return isVideo && !settings.get('media_fails') ? 'succeeded' : 'failed';
  }
  const viewOf = (media: Media) => ({ media_id: media.id, media_type: 'video', status: statusOf(media) });
  const get = (id: string, caller: string): Media | undefined =>
    [docs.get('media', id)].find((media) => media?.page_id === caller);

  function register(person: string): object {
    const day = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const id = newId();
    const fields = {
      'x-amz-date': day,
      'x-amz-signature': randomText(24),
      'x-amz-security-token': randomText(48),
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': `SANDBOX/${day.slice(0, 8)}/us-east-1/s3/aws4_request`,
      key: `uploads/video:${id}`,
      policy: randomText(60),
      'Content-Type': 'multipart/form-data',
    };
    store.write(() => docs.put('media', { id, at: clock.now(), page_id: person, fields }));
    return { media_id: id, media_type: 'video', upload_url: `${hosts.upload()}/`, upload_parameters: fields };
  }

  return Object.freeze({
    get,
    statusOf,
    routes: [
      call('POST', '/media', 'pins:read pins:write', ({ params, caller }) => {
        if (params.text('media_type') !== 'video') throw WORDS.invalid('media_type must be video.');
        return answer(register(caller.person), 201);
      }),
      call('GET', '/media', 'pins:read', (one) =>
        listed(one, docs.list('media', { page: one.caller.person }).toReversed(), viewOf),
      ),
      call('GET', '/media/{id}', 'pins:read', ({ path, caller }) => {
        const media = get(path['id'] ?? '', caller.person);
        if (media === undefined) throw noMedia();
        return viewOf(media);
      }),
    ],
    /** The object store checks that every field is as given and that the file is the last part. */
    store: [
      route<Caller>('POST', '/', { isOpen: true, isStream: true }, async ({ ctx, entry }) => {
        if (ctx.request.length === undefined) return refusal(411, 'MissingContentLength');
        let media: Media | undefined;
        const { id: blob } = files.open('video');
        const flaw = await streamForm(ctx, files, (fields) => {
          const found = docs.list('media').find(({ fields: own }) => own['key'] === fields.get('key'));
          const isRight =
            found !== undefined &&
            found.at + HOUR > clock.now() &&
            Object.entries(found.fields).every(([name, value]) => fields.get(name) === value);
          entry.person = found?.page_id;
          media = isRight ? found : undefined;
          return blob;
        });
        if (flaw !== undefined) return refusal(400, FLAWS[flaw]);
        if (media === undefined) return refusal(403, 'AccessDenied');
        await files.finish(blob);
        const { id } = media;
        store.write(() => docs.change('media', id, { blob, uploaded_at: clock.now() }));
        return answer('', 204);
      }),
    ],
  });
}
