import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import type { MediaKind } from '../../platforms/platform.ts';
import type { Bytes } from './files.ts';
import { readMovie } from './movie.ts';

/** What the bytes themselves say. */
export type Facts = Readonly<{
  content_type: string;
  width?: number | undefined;
  height?: number | undefined;
  duration_ms?: number | undefined;
}>;

/** The facts, or the sentence that says why these bytes are not taken. */
export type Inspected = Readonly<{ facts: Facts }> | Readonly<{ refused: string }>;

/** What is taken, and the extension of a file that comes without a name. Nothing a browser would run is here (rulings 5.11). */
const ALLOWED: Readonly<Record<string, string>> = Object.freeze({
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

/** Other names of the same types, as programs write them. */
const ALIASES: Readonly<Record<string, string>> = Object.freeze({
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

/** One container each: which of its names a file has is told by a brand that programs write carelessly. */
const CONTAINERS: readonly ReadonlySet<string>[] = [
  new Set(['video/mp4', 'video/quicktime', 'audio/mp4']),
  new Set(['image/heic', 'image/heif']),
];

/** More pixels than this are refused before anyone decodes them. */
const MOST_PIXELS = 100_000_000;
/** How far the beginning is read; the second is for files with large embedded profiles or covers. */
const HEADS = [262_144, 8_388_608] as const;

/** The allowed type a MIME type names; undefined when it is not allowed. */
export function allowedType(mime: string): string | undefined {
  const bare = mime.split(';', 1)[0]!.trim().toLowerCase();
  const type = Object.hasOwn(ALIASES, bare) ? ALIASES[bare]! : bare;
  return Object.hasOwn(ALLOWED, type) ? type : undefined;
}

/** All types that are taken. */
export const ALLOWED_TYPES: readonly string[] = Object.freeze(Object.keys(ALLOWED));

export function extensionOf(type: string): string {
  return ALLOWED[type] ?? 'bin';
}

/** What a file name promises: only a guess, for what was not looked into yet. */
export function kindByName(name: string): MediaKind | undefined {
  const extension = name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace('jpeg', 'jpg');
  const found = Object.entries(ALLOWED).find(([, own]) => own === extension);
  return found && kindOf(found[0]);
}

export function kindOf(type: string): MediaKind {
  const kind = type.slice(0, type.indexOf('/'));
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}

/** Whether bytes of one type may stand where another was promised. */
export function keepsPromise(promised: string, found: string): boolean {
  return promised === found || CONTAINERS.some((names) => names.has(promised) && names.has(found));
}

/** Looks into bytes: their type by content, never by name, and the facts platforms ask for. */
export async function inspect(bytes: Bytes): Promise<Inspected> {
  if (bytes.size === 0) return { refused: 'The file is empty.' };
  const found = await typeOf(bytes);
  const type = found === undefined ? undefined : allowedType(found);
  if (type === undefined) {
    return { refused: `The file is ${found ?? 'of no known type'}; taken are ${ALLOWED_TYPES.join(', ')}.` };
  }
  if (kindOf(type) === 'image') return inspectImage(bytes, type);
  if (!CONTAINERS[0]!.has(type)) return { facts: { content_type: type } };
  const { soundOnly, ...facts } = (await readMovie(bytes)) ?? { soundOnly: false };
  return { facts: { content_type: soundOnly ? 'audio/mp4' : type, ...facts } };
}

async function inspectImage(bytes: Bytes, type: string): Promise<Inspected> {
  const size = await fromHead(bytes, async (head) => imageSize(head));
  if (!size?.width || !size.height) return { refused: `The file is no readable ${type}.` };
  if (size.width * size.height > MOST_PIXELS) {
    return { refused: `The image has more than ${MOST_PIXELS / 1_000_000} million pixels.` };
  }
  // Orientations 5 to 8 show the picture turned by a quarter.
  const turned = (size.orientation ?? 1) >= 5;
  const [width, height] = turned ? [size.height, size.width] : [size.width, size.height];
  return { facts: { content_type: type, width, height } };
}

function typeOf(bytes: Bytes): Promise<string | undefined> {
  return fromHead(bytes, async (head) => (await fileTypeFromBuffer(head))?.mime);
}

/** Tries a reader on the beginning of the bytes, then on a longer one; a reader that throws has found nothing. */
async function fromHead<T>(bytes: Bytes, read: (head: Uint8Array) => Promise<T | undefined>): Promise<T | undefined> {
  for (const length of HEADS) {
    const head = await bytes.read(0, Math.min(length, bytes.size));
    const found = await read(head).catch(() => undefined);
    if (found !== undefined || head.byteLength === bytes.size) return found;
  }
  return undefined;
}
