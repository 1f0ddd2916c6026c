import type { Blob } from '../../kit/files.ts';
import { pixelsOf } from '../../kit/pixels.ts';
import type { Media } from '../docs.ts';
import { badRequest, TelegramError } from '../errors.ts';
import { blobOf } from '../render.ts';
import type { World } from '../world.ts';
import type { Call } from './calls.ts';

/** The size limit, by where the file comes from. */
const MOST = Object.freeze({
  photo: { upload: 10_000_000, address: 5_000_000 },
  other: { upload: 50_000_000, address: 20_000_000 },
});
const LONGEST_SIDES = 10_000;
const MOST_RATIO = 20;

export const FILE_KINDS = Object.freeze(['photo', 'video', 'animation', 'audio', 'voice', 'document'] as const);
export type FileKind = (typeof FILE_KINDS)[number];

/** What the call says about a file; forms send numbers as text. */
type About = Pick<Media, 'width' | 'height' | 'duration'>;
function aboutIn(given: Readonly<Record<string, unknown>>): About {
  const [width, height, duration] = ['width', 'height', 'duration'].map((name) => {
    const value = Number(given[name] ?? 0);
    if (!Number.isSafeInteger(value) || value < 0) throw badRequest(`${name} is not an integer`);
    return value;
  });
  return { width, height, duration };
}

export function makeIntake({ docs, files, fetching }: Pick<World, 'docs' | 'files' | 'fetching'>) {
  const wrong = () => badRequest('wrong file identifier/HTTP URL specified');
  const tooLarge = () => new TelegramError(413, 'Request Entity Too Large');

  async function blobIn({ caller, params }: Call, kind: FileKind, source: string): Promise<Blob> {
    const most = MOST[kind === 'photo' ? 'photo' : 'other'];
    const upload = params.files.get(source.replace(/^attach:\/\//, ''));
    if (upload) {
      if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
      if (upload.bytes.length > most.upload)
        throw kind === 'photo' ? badRequest('file is too big for a photo') : tooLarge();
      return files.keep(upload.bytes, upload.name);
    }
    if (source.startsWith('attach://')) throw wrong();
    if (/^https?:/i.test(source)) {
      const fetched = await fetching.media(source, most.address);
      if (fetched === undefined) throw badRequest('failed to get HTTP URL content');
      return fetched;
    }
    const known = docs.get('blob', blobOf(caller.person, source) ?? '');
    if (known === undefined) throw wrong();
    return known;
  }

  /** The size of a photo. For moving pictures, only the type is known. */
  function sizeOf(blob: Blob): About {
    const pixels = pixelsOf(files.head(blob.id));
    if (pixels === undefined) throw badRequest('IMAGE_PROCESS_FAILED');
    return pixels;
  }

  function check(kind: FileKind, { mime }: Blob, { width = 1, height = 1 }: About): void {
    if (kind === 'photo' && (width + height > LONGEST_SIDES || Math.max(width / height, height / width) > MOST_RATIO))
      throw badRequest('PHOTO_INVALID_DIMENSIONS');
    if (kind === 'video' && !/^(?:video\/|application\/octet-stream)/.test(mime))
      throw badRequest('type of file mismatch');
  }

  return async function take(
    call: Call,
    kind: FileKind,
    source: string | undefined,
    given: Readonly<Record<string, unknown>>,
  ): Promise<Media> {
    const content = aboutIn(given);
    if (source === undefined || source === '') throw badRequest(`there is no ${kind} in the request`);
    const blob = await blobIn(call, kind, source);
    const about = kind === 'photo' ? sizeOf(blob) : content;
    check(kind, blob, about);
    const { id, mime, size, name } = blob;
    return { kind, blob: id, mime, size, name, ...about };
  };
}
