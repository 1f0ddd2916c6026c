import type { ServerResponse } from 'node:http';
import type { Stream, StreamPart } from '#call/context.ts';
import { ApiError } from '#kernel/errors.ts';
import type { BareContext } from '#kernel/route.ts';

/** A client that reads nothing for this long is disconnected. Keep-alives are sent far more often. */
export const STALL_MS = 60_000;
const RECONNECT_MS = 3000;
export const STREAM_HEADERS = Object.freeze({
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Tells proxies not to buffer.
  'X-Accel-Buffering': 'no',
  Connection: 'close',
});

export type Following = Readonly<{
  signal: AbortSignal;
  /** Checks before each batch that the caller may still read; throws if not. */
  admit(): Promise<void>;
  onFailure(error: unknown): void;
  stallMs: number;
}>;

/** Streams Server-Sent Events until one side ends the stream. */
export function sendStream(ctx: BareContext, stream: Stream<unknown>, following: Following): void {
  const { res } = ctx;
  const { signal, stallMs } = following;
  ctx.respond = false;
  res.writeHead(200, STREAM_HEADERS);
  // A socket timeout measures how long the client has read nothing.
  res.setTimeout(stallMs, () => void res.destroy());
  signal.addEventListener('abort', stream.close, { once: true });
  if (signal.aborted) stream.close();
  void sendBatches(res, stream, following);
}

/** Reads the next batch only after the last is written, so that slow clients need no buffer. */
async function sendBatches(
  res: ServerResponse,
  stream: Stream<unknown>,
  { admit, onFailure }: Following,
): Promise<void> {
  try {
    let parts: readonly StreamPart<unknown>[] | undefined;
    await send(res, `retry: ${RECONNECT_MS}\n\n`);
    while ((parts = await stream.next()) !== undefined) {
      await admit();
      await send(res, parts.length === 0 ? ': nothing new\n\n' : parts.map(textOf).join(''));
    }
  } catch (error) {
    // A caller who has lost access gets the refusal on reconnecting.
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

/** Resolves when the buffer has drained or the connection is closed. */
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
