import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { parseJson, readBody } from '../../body.ts';
import { announcedIn, makeResumable } from '../../googleapis/resumable.ts';
import { route } from '../../kit/api/routes.ts';
import type { Upload } from '../docs.ts';
import { forbidden, notFound, overUploads, refuse } from '../errors.ts';
import { resource } from '../views.ts';
import { newVideoId } from '../world.ts';
import { readAbout } from './about.ts';
import { channelOf, isRecord, on, partIn, type Parts } from './calls.ts';

const MOST_BYTES = 256 * 1024 ** 3;
const MOST_BODY = 1024 * 1024;
const MOST_THUMB = 50 * 1024 * 1024;
const DAY_MS = 86_400_000;
const MEDIA = /^(?:video\/|application\/octet-stream)/;

function makeSessions({ world, hub, views }: Parts) {
  const { docs, files, settings, options } = world;
  return makeResumable({
    twin: options,
    docs,
    files,
    settings,
    mostBytes: MOST_BYTES,
    make({ page_id, about, blob }: Upload, { mime, size }) {
      const at = options.clock.now();
      const strange = MEDIA.test(mime) ? undefined : 'failed:invalidFile';
      const wrong = size === 0 ? 'failed:emptyFile' : strange;
      const work = { ready_at: at + settings.get('processing_ms'), ending: wrong ?? settings.get('processing_ends') };
      const versions = [{ action: 'create', at, record: about } as const];
      const fresh = { id: newVideoId(), at, page_id, about, blob, views: 0, likes: 0, versions };
      const video = docs.put('video', { ...fresh, ...work });
      hub.changed(video);
      return video.id;
    },
    show: (id) => views.video(docs.get('video', id)!, ['snippet', 'status']),
  });
}

export function uploadRoutes(parts: Parts, spendInsert: () => boolean): readonly GoogleRoute[] {
  const { world, videos, views } = parts;
  const { docs, files, settings, hosts, options } = world;
  const { clock, store } = options;
  const sessions = makeSessions(parts);

  async function begin(call: GoogleCall): Promise<unknown> {
    const { ctx } = call;
    const { total } = announcedIn(call, MEDIA, MOST_BYTES);
    const channel = channelOf(parts, call);
    const wanted = partIn(call);
    const bytes = await readBody(ctx, MOST_BODY);
    const body = bytes === undefined || bytes.length === 0 ? {} : parseJson(bytes);
    if (!isRecord(body)) throw refuse(400, 'parseError', 'Parse Error', 'global');
    const about = readAbout(body, wanted, clock.now());
    const recent = docs.list('video', { page: channel.id }).filter(({ at }) => at > clock.now() - DAY_MS);
    if (recent.length >= settings.get('uploads_a_day'))
      throw refuse(
        400,
        'uploadLimitExceeded',
        'The user has exceeded the number of videos they may upload.',
        'youtube.video',
      );
    if (!spendInsert()) throw overUploads();
    const address = `${hosts.googleapis()}/upload/youtube/v3/videos`;
    return store.write(() => sessions.begin(address, { page_id: channel.id, about, total }));
  }

  async function setThumbnail(call: GoogleCall): Promise<unknown> {
    const { ctx, params } = call;
    const video = videos.get(params.required('videoId'));
    if (video === undefined) throw notFound('video');
    if (video.page_id !== channelOf(parts, call).id) throw forbidden();
    if (!settings.get('verified')) throw forbidden();
    const bytes = await readBody(ctx, MOST_THUMB);
    if (bytes === undefined) throw refuse(413, 'uploadTooLarge', 'The image is too large.', 'global');
    if (bytes.length === 0)
      throw refuse(400, 'mediaBodyRequired', 'The request does not include the image.', 'youtube.thumbnail');
    const blob = await files.keep(bytes, 'thumbnail');
    if (!/^image\/(?:png|jpeg)$/.test(blob.mime))
      throw refuse(400, 'imageFormatUnsupported', 'The image format is unsupported.', 'youtube.thumbnail');
    // Before processing ends it is accepted, but is not kept.
    if (videos.stateOf(video).state === 'processed') docs.change('video', video.id, { thumb: blob.id });
    return resource('thumbnailSetResponse', { items: [views.thumbnails(video.id, blob.id)] });
  }

  return [
    on('POST', '/upload/youtube/v3/videos', 'upload', begin, { isStream: true }),
    // The URL of a session is all that is needed to send parts to it.
    route(
      'PUT',
      '/upload/youtube/v3/videos',
      {
        isOpen: true,
        isStream: true,
        about: ({ query }) =>
          docs.get('channel', docs.get('session', query['upload_id'] ?? '')?.page_id ?? '')?.page_id,
      },
      sessions.take,
    ),
    on('POST', '/upload/youtube/v3/thumbnails/set', 'upload', setThumbnail, { isStream: true }),
  ];
}
