import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError, fail } from './errors.ts';

export type BodyLimits = Readonly<{
  limit: number;
  /** A body above `limit` but within this size is read and dropped, so that its sender can read the refusal. */
  discard?: number;
}>;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Reads the raw body of a request; throws if it is too large, or the signal's reason when the signal fires. */
export async function readBytes(
  req: IncomingMessage,
  { limit, discard = limit }: BodyLimits,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (announced(req) > discard) refuseLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    return size <= discard;
  };
  try {
    await consume(req, take, signal);
  } catch (error) {
    // The listeners of the request may keep this array in memory, so it is emptied.
    chunks.length = 0;
    throw error;
  }
  if (size > limit) refuseLarge(limit);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

/** Reads the body of a request without storing it, and returns its size. */
export async function countBytes(req: IncomingMessage, { limit, discard = limit }: BodyLimits): Promise<number> {
  if (announced(req) > discard) refuseLarge(limit);
  let size = 0;
  await consume(req, (chunk) => (size += chunk.length) <= discard);
  return size > limit ? refuseLarge(limit) : size;
}

const announced = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

const refuseLarge = (limit: number): never => fail('http.413', { meta: { max_bytes: limit } });

export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) fail('validation.body_invalid', { message: 'The body must be UTF-8.' });
  return bytes.toString('utf8');
}

export const isJson = (type: string | undefined): boolean => type !== undefined && JSON_TYPE.test(type);

/** Refuses compressed bodies, so that a small body cannot expand to a large one. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') fail('http.415', { message: 'Send the body without a Content-Encoding.' });
}

/** Passes chunks to `take` until the body ends, `take` returns false or the signal fires. */
function consume(req: IncomingMessage, take: (chunk: Buffer) => boolean, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      if (take(chunk)) return;
      req.off('data', onData).pause();
      resolve();
    };
    const onGone = () => reject(new ApiError('validation.body_invalid', { message: 'The body ended early.' }));
    // Every request is closed in the end; an error created for each would cost more than reading the body.
    const onEnd = () => {
      req.off('close', onGone);
      resolve();
    };
    const onStop = () => {
      req.off('data', onData).pause();
      reject(signal!.reason as ApiError);
    };
    if (req.destroyed) return onGone();
    signal?.addEventListener('abort', onStop, { once: true });
    req.on('data', onData);
    req.once('end', onEnd);
    req.once('error', onGone);
    req.once('close', onGone);
  });
}
