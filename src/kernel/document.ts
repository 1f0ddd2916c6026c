import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

type Encoding = 'br' | 'gzip' | 'identity';

/** A response that is the same for everybody; it is compressed only once per encoding. */
export type StaticDocument = Readonly<{
  type: string;
  tag: string;
  bytes: Buffer;
  encoded(encoding: Encoding): Promise<Buffer>;
}>;

/** Encodings, from the one with the smallest result. */
const BY_SIZE: readonly Encoding[] = ['br', 'gzip', 'identity'];

/** Below this size, compression does not save a packet. */
const SMALL_BYTES = 1024;

const COMPRESS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = Object.freeze({
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
});

/** Faster, weaker compression for responses that are sent only once. */
const COMPRESS_QUICKLY: typeof COMPRESS = Object.freeze({
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
  identity: async (bytes) => bytes,
});

export function staticDocument(type: string, text: string): StaticDocument {
  const bytes = Buffer.from(text);
  const made = new Map<Encoding, Promise<Buffer>>();
  return Object.freeze({
    type,
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    bytes,
    encoded(encoding: Encoding) {
      const known = made.get(encoding) ?? COMPRESS[encoding](bytes);
      made.set(encoding, known);
      return known;
    },
  });
}

/** Responds to GET and HEAD with a document, or with 304 if the client has it already. */
export async function sendDocument(
  ctx: Pick<Context, 'status' | 'body' | 'fresh' | 'get' | 'set'>,
  document: StaticDocument,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const encoding = encodingFor(ctx, document.bytes);
  const suffix = encoding === 'identity' ? '' : `-${encoding}`;
  ctx.status = 200;
  ctx.set({ ...headers, Vary: 'Accept-Encoding', ETag: `"${document.tag}${suffix}"` });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', document.type);
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = await document.encoded(encoding);
}

/** Compresses a response that is made for a single client. */
export async function compressAnswer(ctx: Pick<Context, 'body' | 'get' | 'set' | 'vary'>, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const encoding = encodingFor(ctx, bytes);
  ctx.vary('Accept-Encoding');
  if (encoding === 'identity') return;
  ctx.set('Content-Encoding', encoding);
  ctx.body = await COMPRESS_QUICKLY[encoding](bytes);
}

/** The encoding that the client prefers; among equals the smallest, whereas Koa would take the first. */
function encodingFor(ctx: Pick<Context, 'get'>, bytes: Buffer): Encoding {
  if (bytes.length < SMALL_BYTES) return 'identity';
  const qualities = new Map<string, number>();
  for (const accepted of ctx.get('Accept-Encoding').toLowerCase().split(',')) {
    const [name = '', quality = '1'] = accepted.trim().split(/\s*;\s*q=/);
    qualities.set(name, Number(quality));
  }
  const quality = (encoding: Encoding) => qualities.get(encoding) ?? qualities.get('*') ?? 0;
  const [best] = BY_SIZE.filter((encoding) => quality(encoding) > 0).sort((a, b) => quality(b) - quality(a));
  return best ?? 'identity';
}
