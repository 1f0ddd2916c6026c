import { Readable } from 'node:stream';
import { randomHex } from '#kernel/ids.ts';
import type { Keeping, StreamedBody } from '../call.ts';
import type { OpenedMedia } from '../media.ts';
import type { PostRules } from '../posts.ts';
import { unclear, unfit } from './errors.ts';

/** Throws if the platform does not accept files of this type or size. */
export function assertTaken(
  title: string,
  kind: 'image' | 'video',
  { content_type: type, size }: Pick<OpenedMedia, 'content_type' | 'size'>,
  limits: PostRules['media'],
): void {
  const types = limits[`supported_${kind}_types`];
  assertFile(title, `${kind}s`, { content_type: type, size }, { types, max: limits[`max_${kind}_size_bytes`] });
}

export function assertFile(
  title: string,
  sort: string,
  { content_type: type, size }: Pick<OpenedMedia, 'content_type' | 'size'>,
  { types, max }: Readonly<{ types: readonly string[]; max: number }>,
): void {
  if (!types.includes(type)) throw unfit(`${title} accepts no ${type} (${types.join(', ')}).`);
  if (size > max) throw unfit(`${title} accepts ${sort} of at most ${max} bytes (${size}).`);
}

/** A file in a multipart form; a large one is streamed. */
export type FilePart = Readonly<{ name: string; filename: string; type: string; bytes: Uint8Array | StreamedBody }>;

/** A media item as a form part; its bytes are read while they are sent. */
export const filePart = (name: string, media: OpenedMedia): FilePart => ({
  name,
  filename: (media.filename ?? name).replaceAll(/[^\w.() -]+/g, '_'),
  type: media.content_type,
  bytes: { length: media.size, open: () => media.stream() },
});

/** A multipart form with its files last; the random boundary cannot occur in a file. */
export function multipart(fields: readonly (readonly [name: string, value: string])[], ...files: readonly FilePart[]) {
  const boundary = `part-${randomHex(16)}`;
  const head = (name: string, more = '') => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}`;
  const texts = fields.map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`).join('');
  const parts = files.flatMap(({ name, filename, type, bytes }) => [
    Buffer.from(head(name, `; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`)),
    bytes,
    Buffer.from('\r\n'),
  ]);
  const content = concatenate([Buffer.from(texts), ...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, content };
}

/** Bytes encoded at a time; a multiple of three, to avoid padding in the middle. */
const ENCODED_BYTES = 3 * 256 * 1024;

function base64Of(media: OpenedMedia): StreamedBody {
  async function* encoded() {
    for (let at = 0; at < media.size; at += ENCODED_BYTES) {
      const some = await media.read(at, Math.min(ENCODED_BYTES, media.size - at));
      yield Buffer.from(Buffer.from(some).toString('base64'));
    }
  }
  return { length: 4 * Math.ceil(media.size / 3), open: () => Readable.from(encoded()) };
}

/** A JSON body with files in base64: `made` gets one mark per file, and the file replaces its mark. */
export function jsonWithFiles(files: readonly OpenedMedia[], made: (marks: readonly string[]) => unknown) {
  const marks = files.map(() => randomHex(32));
  const texts = JSON.stringify(made(marks)).split(new RegExp(marks.join('|') || '$.'));
  const content = concatenate(
    texts.flatMap((text, at) => (at === 0 ? [Buffer.from(text)] : [base64Of(files[at - 1]!), Buffer.from(text)])),
  );
  return { type: 'application/json', content };
}

function concatenate(parts: readonly (Uint8Array | StreamedBody)[]): Uint8Array | StreamedBody {
  if (parts.every((part) => part instanceof Uint8Array)) return Buffer.concat(parts);
  async function* bytes() {
    for (const part of parts) {
      if (part instanceof Uint8Array) yield part;
      else yield* part.open();
    }
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { length, open: () => Readable.from(bytes()) };
}

/** `at`: where the next part begins; `to`: where it must end, if the platform says so. */
type UploadState = Readonly<{ at: number; to?: number }>;

/** Uploads in parts of at most `size` bytes; the state is kept after each part, so that a retry can resume. */
export async function inParts<Upload extends UploadState>(
  call: Pick<Keeping, 'keep'>,
  media: OpenedMedia,
  {
    size,
    from,
    put,
  }: Readonly<{
    size: number;
    from: Upload;
    put(part: Uint8Array, upload: Upload): Promise<Upload>;
  }>,
): Promise<Upload> {
  let upload = from;
  while (upload.at < media.size) {
    const { at, to = media.size } = upload;
    if (to <= at) throw unclear();
    const next = await put(await media.read(at, Math.min(size, Math.min(to, media.size) - at)), upload);
    if (next.at <= at || next.at > media.size) {
      throw unclear();
    }
    upload = next;
    await call.keep(upload);
  }
  return upload;
}
