import type { IncomingMessage } from 'node:http';
import { ApiError, fail } from '../../kernel/errors.ts';

/** The largest message taken (rulings 5.15). */
export const MAX_BODY = 4 * 1024 * 1024;

/** Reads a body as text, counting while it arrives; refuses what is larger than `limit` without reading on. */
export async function readBody(req: IncomingMessage, limit: number): Promise<string> {
  if (Number(req.headers['content-length'] ?? 0) > limit) fail('http.413');
  return new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        req.off('data', onData).pause();
        reject(new ApiError('http.413'));
        return;
      }
      chunks.push(chunk);
    };
    req.on('data', onData);
    req.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    req.once('error', (cause) => reject(new ApiError('validation.body_invalid', { cause })));
  });
}
