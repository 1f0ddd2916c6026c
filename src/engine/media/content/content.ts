import { tableOf } from '#kernel/text/table.ts';
import type { MediaKind } from '#platforms/media.ts';
import { MOST_PIXELS, type PictureTraits } from '#kernel/pictures/picture.ts';
import type { Bytes } from '../storage/files.ts';
import { readMovie } from './movie.ts';
import { readPicture } from './picture.ts';

/** Properties that were read from the content itself. */
export type ContentFields = Readonly<{
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
  traits?: PictureTraits | undefined;
}>;

/** The properties of a file, or the message that says why it is refused. */
export type Inspected = Readonly<{ fields: ContentFields }> | Readonly<{ refused: string }>;

/** Accepted types and their usual extensions; none of them can be run by a browser. */
const ALLOWED: ReadonlyMap<string, string> = tableOf({
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
});

/** Other names that programs use for the same types. */
const ALIASES: ReadonlyMap<string, string> = tableOf({
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/apng': 'image/png',
  'image/x-png': 'image/png',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'video/x-m4v': 'video/mp4',
  'video/mov': 'video/quicktime',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/webm': 'video/webm',
  'audio/x-aac': 'audio/aac',
});

/** Types that share a container, whose brand many programs write carelessly. */
const CONTAINERS: readonly ReadonlySet<string>[] = [
  new Set(['video/mp4', 'video/quicktime', 'audio/mp4']),
  new Set(['image/heic', 'image/heif']),
];

/** Enough bytes to recognise a type; the limit bounds the work that hostile files cause. */
const HEAD_BYTES = 16_384;
const MOST_TAGS = 4;

export function allowedType(mime: string): string | undefined {
  const bare = mime.split(';', 1)[0]!.trim().toLowerCase();
  const type = ALIASES.get(bare) ?? bare;
  return ALLOWED.has(type) ? type : undefined;
}

export const ALLOWED_TYPES: readonly string[] = Object.freeze([...ALLOWED.keys()]);

export function extensionOf(type: string): string {
  return ALLOWED.get(type) ?? 'bin';
}

/** Guesses the kind from the file name. */
export function kindByName(name: string): MediaKind | undefined {
  const extension = name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace('jpeg', 'jpg');
  const found = [...ALLOWED].find(([, own]) => own === extension);
  return found && kindOf(found[0]);
}

export function kindOf(type: string): MediaKind {
  const kind = type.slice(0, type.indexOf('/'));
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}

/** Whether a file of one type is acceptable where another was announced. */
export function keepsPromise(promised: string, found: string): boolean {
  return promised === found || CONTAINERS.some((names) => names.has(promised) && names.has(found));
}

/** Detects the type from the content, never from the name, and reads the properties that platforms need. */
export async function inspect(bytes: Bytes): Promise<Inspected> {
  if (bytes.size === 0) return { refused: 'The file is empty.' };
  const found = await typeOf(bytes);
  const type = found === undefined ? undefined : allowedType(found);
  if (type === undefined) {
    return { refused: `The file is ${found ?? 'of no known type'}; taken are ${ALLOWED_TYPES.join(', ')}.` };
  }
  if (kindOf(type) === 'image') return inspectImage(bytes, type);
  if (!CONTAINERS[0]!.has(type)) return { fields: { content_type: type } };
  const { soundOnly, ...size } = (await readMovie(bytes)) ?? { soundOnly: false };
  return { fields: { content_type: soundOnly ? 'audio/mp4' : type, ...size } };
}

async function inspectImage(bytes: Bytes, type: string): Promise<Inspected> {
  const size = await readPicture(bytes, type);
  if (!size?.width || !size.height) return { refused: `The file cannot be read as ${type}.` };
  if (size.width * size.height > MOST_PIXELS) {
    return { refused: `The image has more than ${MOST_PIXELS / 1_000_000} million pixels.` };
  }
  return { fields: { content_type: type, ...size } };
}

/** Detects the type from the first bytes; in audio, from those after the ID3 tags, which may contain pictures. */
async function typeOf(bytes: Bytes): Promise<string | undefined> {
  let at = 0;
  for (let tags = 0; tags < MOST_TAGS; tags += 1) {
    const tag = tagLength(await bytes.read(at, 10));
    if (tag === 0) break;
    at += tag;
  }
  const head = await bytes.read(at, HEAD_BYTES);
  const begins = (...magic: readonly number[]) => magic.every((byte, index) => head[index] === byte);
  // Detected here, because the library would read the whole file to see whether it is animated.
  if (at === 0 && begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  // Loaded when the first file arrives, like the picture reader.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (at === 0 && found === undefined && isPage(head)) return 'text/html';
  return at === 0 || found?.mime.startsWith('audio/') ? found?.mime : undefined;
}

/** Whether this is an HTML page, which many hosts return for missing or private files. */
function isPage(head: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b/i.test(Buffer.from(head).toString('latin1'));
}

/** The length of an ID3 tag that begins here; 0 if there is none. */
function tagLength(start: Uint8Array): number {
  if (start.byteLength < 10 || Buffer.from(start.subarray(0, 3)).toString('latin1') !== 'ID3') return 0;
  const length = start.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
  const footer = (start[5]! & 0x10) === 0 ? 0 : 10;
  return 10 + length + footer;
}
