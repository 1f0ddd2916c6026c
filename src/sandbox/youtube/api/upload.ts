/** Uploads: sessions that are resumed by ranges, and thumbnails. */
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { parseJson, readBody } from '../../body.ts';
import { answer, route } from '../../kit/api/routes.ts';
import { randomText } from '../../kit/ids.ts';
import type { Session, SETTINGS, Video } from '../docs.ts';
import { forbidden, notFound, overQuota, refuse } from '../errors.ts';
import { resource } from '../views.ts';
import { newVideoId } from '../world.ts';
import { readAbout } from './about.ts';
import { channelOf, isRecord, on, partIn, type Parts } from './calls.ts';

const UNIT = 256 * 1024;
const MOST_BYTES = 256 * 1024 ** 3;
const MOST_BODY = 1024 * 1024;
const MOST_THUMB = 2 * 1024 * 1024;
const DAY_MS = 86_400_000;

type Trouble = Extract<keyof typeof SETTINGS, `upload_${string}`>;
/** What a part says of itself: where it begins, what it announces, and whether it is the last one. */
type Range = Readonly<{ from: number; length: number; total: number | undefined; isLast: boolean }>;

const gone = () => refuse(404, 'notFound', 'The upload session cannot be found.', 'global');
const badRange = (message: string) => refuse(400, 'badRequest', message, 'global');

/** Reads `Content-Range`; undefined where only the state is asked for. */
function rangeOf({ ctx }: GoogleCall): Range | undefined {
  const given = ctx.get('content-range');
  const length = ctx.request.length;
  if (given === '') {
    if (length === undefined) throw badRange('A length is required.');
    return { from: 0, length, total: length, isLast: true };
  }
  if (/^bytes \*\/(?:\d+|\*)$/.test(given)) return undefined;
  const [, from, to, total] = /^bytes (\d+)-(\d+|\*)\/(\d+|\*)$/.exec(given) ?? [];
  if (from === undefined) throw badRange('Failed to parse Content-Range header.');
  const size = total === '*' ? undefined : Number(total);
  const end = to === '*' ? size : Number(to) + 1;
  const span = end === undefined ? (length ?? Number.POSITIVE_INFINITY) : end - Number(from);
  if (span < 0 || (length !== undefined && length !== span && Number.isFinite(span)))
    throw badRange('Content-Range does not fit the length of the body.');
  // A range whose end is left open is everything that is still to come.
  return { from: Number(from), length: span, total: size, isLast: to === '*' || end === size };
}

/** Makes videos of what was uploaded. */
function makeFinishing({ world, hub }: Parts) {
  const { docs, files, settings, options } = world;
  const { store, clock } = options;
  return async function finish({ id, page_id, about, blob }: Session): Promise<Video> {
    const { mime, size } = await files.finish(blob);
    const isVideo = /^(?:video\/|application\/octet-stream)/.test(mime);
    const ending = size === 0 ? 'failed:emptyFile' : isVideo ? settings.get('processing_ends') : 'failed:invalidFile';
    return store.write(() => {
      const known = docs.get('session', id)?.video;
      if (known !== undefined) return docs.get('video', known)!;
      const at = clock.now();
      const versions = [{ action: 'create', at, record: about } as const];
      const counts = { views: 0, likes: 0 };
      const made = { id: newVideoId(), at, page_id, about, blob, ready_at: at + settings.get('processing_ms'), ending };
      const video = docs.put('video', { ...made, ...counts, versions });
      docs.change('session', id, { video: video.id });
      hub.changed(video);
      return video;
    });
  };
}

/** Sessions: what they hold, and how the next part of one is taken. */
function makeReceiving(parts: Parts) {
  const { world, views } = parts;
  const { docs, files, settings, options } = world;
  const { store, clock } = options;
  const finish = makeFinishing(parts);

  /** Whether a part still has to go wrong in some way, which then has happened once more. */
  function troubled(name: Trouble): boolean {
    const left = settings.get(name);
    if (left > 0) settings.set({ [name]: left - 1 });
    return left > 0;
  }
  function find(id: string): Session {
    const found = docs.get('session', id);
    const isOver = found === undefined || found.isGone === true;
    if (isOver || found.at + settings.get('session_days') * DAY_MS <= clock.now()) throw gone();
    return found;
  }
  const resume = (stored: number) =>
    answer('', 308, { 'content-length': '0', ...(stored > 0 && { range: `bytes=0-${stored - 1}` }) });
  const shown = (video: Video) => views.video(video, ['snippet', 'status']);

  /** Forgets everything from the last whole unit on. */
  function stopAt(session: Session, end: number): void {
    const kept = Math.floor(end / UNIT) * UNIT;
    store.write(() => {
      files.write(session.blob, kept, new Uint8Array());
      docs.change('session', session.id, { stored: kept });
    });
  }

  /** Takes the bytes of a part; what came before the line broke stays. */
  async function receive({ ctx }: GoogleCall, session: Session, { from, length, total }: Range): Promise<void> {
    const { id, blob } = session;
    const writer = files.writer(blob, from, (end) => docs.change('session', id, { stored: end, total }));
    const most = Math.min(from + length, total ?? MOST_BYTES);
    let isWhole = false;
    try {
      for await (const chunk of ctx.req) {
        if (writer.at() + (chunk as Buffer).length > most) throw badRange('More bytes came than were announced.');
        writer.add(chunk as Buffer);
      }
      // An end that was left open is wherever the body ends.
      isWhole = length === Number.POSITIVE_INFINITY || writer.at() === most;
    } finally {
      writer.flush();
      if (!isWhole) stopAt(session, writer.at());
    }
  }

  return async function take(call: GoogleCall): Promise<unknown> {
    const session = find(call.params.required('upload_id'));
    const { id, stored, total, video } = session;
    const range = rangeOf(call);
    if (video !== undefined) {
      call.ctx.req.resume();
      return shown(docs.get('video', video)!);
    }
    if (range === undefined) return stored === total && stored > 0 ? shown(await finish(session)) : resume(stored);
    if (range.total !== undefined && total !== undefined && range.total !== total)
      throw badRange('The total size has changed.');
    if (range.from > stored) throw badRange('Bytes are missing before this part.');
    if (!range.isLast && range.length % UNIT !== 0) throw badRange('The size of a part must be a multiple of 256 KiB.');
    if (range.isLast && troubled('upload_gone_before_end')) {
      call.ctx.req.resume();
      docs.change('session', id, { isGone: true });
      throw gone();
    }
    await receive(call, session, { ...range, total: range.total ?? total });
    const now = docs.get('session', id)!;
    if (troubled('upload_forgets')) stopAt(session, range.from);
    else if (troubled('upload_half')) stopAt(session, range.from + (now.stored - range.from) / 2);
    else if (range.isLast) {
      if (troubled('upload_503')) {
        stopAt(session, range.from);
        throw refuse(503, 'backendError', 'Backend Error', 'global');
      }
      const made = await finish(now);
      if (!troubled('upload_gone_after_end')) return answer(shown(made), 200);
      docs.change('session', id, { isGone: true });
      throw gone();
    } else if (troubled('upload_503')) throw refuse(503, 'backendError', 'Backend Error', 'global');
    return resume(docs.get('session', id)!.stored);
  };
}

/** The routes of `/upload`. */
export function uploadRoutes(parts: Parts, spendInsert: () => boolean): readonly GoogleRoute[] {
  const { world, videos, views } = parts;
  const { docs, files, settings, hosts, options } = world;
  const { clock, store } = options;
  const take = makeReceiving(parts);

  async function begin(call: GoogleCall): Promise<unknown> {
    const { ctx, params } = call;
    if (params.text('uploadType') !== 'resumable') throw badRange('Only resumable uploads are taken.');
    const channel = channelOf(parts, call);
    const wanted = partIn(call);
    const bytes = await readBody(ctx, MOST_BODY);
    const body = bytes === undefined || bytes.length === 0 ? {} : parseJson(bytes);
    if (!isRecord(body)) throw badRange('Parse Error');
    const about = readAbout(body, wanted, clock.now());
    const type = ctx.get('x-upload-content-type') || 'application/octet-stream';
    if (!/^(?:video\/|application\/octet-stream)/.test(type))
      throw badRange(`Media type '${type}' is not supported. Valid media types: [video/*, application/octet-stream]`);
    const size = ctx.get('x-upload-content-length');
    const total = size === '' ? undefined : Number(size);
    if (total !== undefined && !(total <= MOST_BYTES))
      throw refuse(413, 'uploadTooLarge', 'The file is too large.', 'global');
    const recent = docs.list('video', { page: channel.id }).filter(({ at }) => at > clock.now() - DAY_MS);
    if (recent.length >= settings.get('uploads_a_day'))
      throw refuse(
        400,
        'uploadLimitExceeded',
        'The user has exceeded the number of videos they may upload.',
        'youtube.video',
      );
    if (!spendInsert()) throw overQuota();
    const seen = settings.get('unaudited') ? { ...about, privacyStatus: 'private' as const } : about;
    return store.write(() => {
      const { id: blob } = files.open('video');
      const session = { id: randomText(32), at: clock.now(), page_id: channel.id, about: seen, blob, total, stored: 0 };
      docs.put('session', session);
      const location = `${hosts.googleapis()}/upload/youtube/v3/videos?uploadType=resumable&upload_id=${session.id}`;
      return answer('', 200, { location, 'x-guploader-uploadid': session.id, 'content-length': '0' });
    });
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
    docs.change('video', video.id, { thumb: blob.id });
    return resource('thumbnailSetResponse', { items: [views.thumbnails(video.id, blob.id)] });
  }

  return [
    on('POST', '/upload/youtube/v3/videos', 'upload', begin, { isStream: true }),
    // The address of a session is all that its parts need.
    route(
      'PUT',
      '/upload/youtube/v3/videos',
      {
        isOpen: true,
        isStream: true,
        about: ({ query }) =>
          docs.get('channel', docs.get('session', query['upload_id'] ?? '')?.page_id ?? '')?.page_id,
      },
      take,
    ),
    on('POST', '/upload/youtube/v3/thumbnails/set', 'upload', setThumbnail, { isStream: true }),
  ];
}
