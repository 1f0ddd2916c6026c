import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError, fail } from '../../kernel/errors.ts';
import { BODY_LIMITS, JsonError, parseJson } from '../../kernel/json.ts';

/** The largest JSON body of an operation (rulings 5.15). */
export const MAX_JSON_BYTES = 1_048_576;
/** How much of an oversized body is thrown away unread, so that its sender gets to see the refusal. */
const MAX_DISCARDED_BYTES = 16_777_216;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** True when the sender announced a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Reads a JSON object; a body that is absent or empty is an empty object, whatever type it claims to be. */
export async function readJsonObject(req: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!hasBody(req)) return NOTHING;
  const bytes = await readBytes(req, MAX_JSON_BYTES);
  if (bytes.length === 0) return NOTHING;
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = req.headers;
  if (encoding !== 'identity') fail('http.415', { message: 'Send the body without a Content-Encoding.' });
  if (type !== undefined && !JSON_TYPE.test(type)) fail('http.415');
  if (!isUtf8(bytes)) fail('validation.body_invalid', { message: 'The body must be UTF-8.' });
  const value = parseBody(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('validation.body_invalid');
  return value as Record<string, unknown>;
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text, BODY_LIMITS);
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('validation.body_invalid', { message: error.message });
    throw error;
  }
}

/** Reads a body as it came, up to so many bytes. */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  await consume(req, (chunk) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    return size <= MAX_DISCARDED_BYTES;
  });
  if (size > limit) fail('http.413', { meta: { max_bytes: limit } });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

/** Hands every chunk to `take` until the body ends or `take` has had enough. */
function consume(req: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      if (take(chunk)) return;
      req.off('data', onData).pause();
      resolve();
    };
    const onGone = () => reject(new ApiError('validation.body_invalid', { message: 'The body ended early.' }));
    req.on('data', onData);
    req.once('end', resolve);
    req.once('error', onGone);
    req.once('close', onGone);
  });
}
