import { randomHex } from '../../kernel/ids.ts';

/** A file in a multipart form. */
export type FilePart = Readonly<{ name: string; filename: string; type: string; bytes: Uint8Array }>;

/** Encodes a multipart form, its file last; the boundary is random so that no file can contain it. */
export function multipart(fields: readonly (readonly [name: string, value: string])[], file: FilePart) {
  const boundary = `part-${randomHex(16)}`;
  const head = (name: string, more = '') => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}`;
  const texts = fields.map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`).join('');
  const opening = head(file.name, `; filename="${file.filename}"\r\nContent-Type: ${file.type}\r\n\r\n`);
  const content = Buffer.concat([Buffer.from(texts + opening), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, content };
}
