import type { Context } from 'koa';

/** Reads a body of at most `cap` bytes. Undefined if it is longer; the connection then closes. */
export async function readBody(ctx: Context, cap: number): Promise<Buffer | undefined> {
  if ((ctx.request.length ?? 0) > cap) return tooLong(ctx);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of ctx.req) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > cap) return tooLong(ctx);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

// The rest of the body is not read, so the connection cannot be used again.
function tooLong(ctx: Context): undefined {
  ctx.set('Connection', 'close');
  return undefined;
}
