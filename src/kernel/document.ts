import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

type Encoding = 'br' | 'gzip' | 'identity';

/** An answer that is the same for everybody: its bytes are made once per encoding. */
export type StaticDocument = Readonly<{
  type: string;
  /** Names the content, whatever its encoding. */
  tag: string;
  bytes: Buffer;
  encoded(encoding: Encoding): Promise<Buffer>;
}>;

/** Below this, compression saves less than a packet. */
const SMALL_BYTES = 1024;

const COMPRESS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = Object.freeze({
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
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

/** Answers GET and HEAD with a document, or 304 to a client that has it. */
export async function sendDocument(
  ctx: Pick<Context, 'status' | 'body' | 'fresh' | 'set' | 'acceptsEncodings'>,
  document: StaticDocument,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const encoding = encodingFor(ctx, document);
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

function encodingFor(ctx: Pick<Context, 'acceptsEncodings'>, { bytes }: StaticDocument): Encoding {
  if (bytes.length < SMALL_BYTES) return 'identity';
  if (ctx.acceptsEncodings('br')) return 'br';
  return ctx.acceptsEncodings('gzip') ? 'gzip' : 'identity';
}
