import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Stream, StreamPart } from '../../call/context.ts';
import { ApiError } from '../../kernel/errors.ts';

/** A client that has taken nothing for so long is cut off; something is written far more often. */
export const STALL_MS = 60_000;
const RECONNECT_MS = 3000;
const HEADERS = Object.freeze({
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Asks proxies to pass on what comes as it comes.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
});

export type Following = Readonly<{
  /** Ends when the client is gone. */
  signal: AbortSignal;
  /** Whether the caller may still listen, asked before anything is told; refuses as any call does. */
  admit(): Promise<void>;
  onFailure(error: unknown): void;
  stallMs: number;
}>;

/** Starts a stream of Server-Sent Events; it goes on by itself until one side ends it. */
export function sendStream(ctx: Koa.Context, stream: Stream<unknown>, following: Following): void {
  const { res } = ctx;
  const { signal, stallMs } = following;
  ctx.respond = false;
  res.writeHead(200, HEADERS);
  // Of the socket: the time without a byte taken, which the system itself counts.
  res.setTimeout(stallMs, () => void res.destroy());
  signal.addEventListener('abort', stream.close, { once: true });
  if (signal.aborted) stream.close();
  void tell(res, stream, following);
}

/** The next part is asked for when the last is on its way: what a client does not take is not kept for it. */
async function tell(res: ServerResponse, stream: Stream<unknown>, { admit, onFailure }: Following): Promise<void> {
  try {
    let parts: readonly StreamPart<unknown>[] | undefined;
    await send(res, `retry: ${RECONNECT_MS}\n\n`);
    while ((parts = await stream.next()) !== undefined) {
      await admit();
      await send(res, parts.length === 0 ? ': nothing new\n\n' : parts.map(textOf).join(''));
    }
  } catch (error) {
    // Who may not listen any more learns why when coming back.
    if (!(error instanceof ApiError)) onFailure(error);
  } finally {
    stream.close();
    res.end();
  }
}

function textOf(part: StreamPart<unknown>): string {
  const head = part.event === undefined ? `id: ${part.id}` : `event: ${part.event}`;
  return `${head}\ndata: ${JSON.stringify(part.data)}\n\n`;
}

/** Resolves when there is room for more, or nobody left to write to. */
async function send(res: ServerResponse, text: string): Promise<void> {
  if (res.closed || res.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.once('drain', done).once('close', done);
  });
}
