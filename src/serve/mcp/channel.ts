import type { ServerResponse } from 'node:http';
import type { Clock } from '#kernel/clock.ts';

/** Where the answer to one POST goes: one JSON text, or an event stream once something has to be said before it. */
export type Channel = Readonly<{
  /** Sends a message ahead of the answer; false when the client takes no stream, or is gone. */
  send(message: object): boolean;
  /** Sends the answer and ends. */
  finish(status: number, text: string): void;
  /** Ends a stream whose answer never came. */
  abandon(): void;
}>;

export type Headers = Readonly<Record<string, string>>;

/** How often a waiting stream says that it lives; proxies cut silent ones after a minute at the earliest. */
const KEEP_ALIVE_MS = 15_000;

/** Opens the channel of one response; `streams` says whether the client reads event streams. */
export function openChannel(res: ServerResponse, headers: Headers, streams: boolean, clock: Clock): Channel {
  let open = false;
  let stop: (() => void) | undefined;

  function startStream(): void {
    open = true;
    res.writeHead(200, {
      ...headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    keepAlive();
  }

  function keepAlive(): void {
    stop = clock.after(KEEP_ALIVE_MS, () => {
      if (res.writableEnded || res.destroyed) return;
      res.write(': waiting\n\n');
      keepAlive();
    });
  }

  return Object.freeze({
    send(message: object) {
      if (!streams || res.writableEnded || res.destroyed) return false;
      if (!open) startStream();
      res.write(eventOf(JSON.stringify(message)));
      return true;
    },
    finish(status: number, text: string) {
      stop?.();
      if (open) res.end(eventOf(text));
      else endJson(res, status, headers, text);
    },
    abandon() {
      stop?.();
      if (open && !res.writableEnded) res.destroy();
    },
  });
}

/** Writes one JSON text as the whole response. */
export function endJson(res: ServerResponse, status: number, headers: Headers, text: string): void {
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

const eventOf = (text: string): string => `event: message\ndata: ${text}\n\n`;
