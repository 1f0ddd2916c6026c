import type { ServerResponse } from 'node:http';
import type { Clock } from '#kernel/clock.ts';

/** The response to a POST: one JSON text, or an event stream if other messages come first. */
export type Channel = Readonly<{
  /** Sends a message before the response; false if the client accepts no stream or has disconnected. */
  send(message: object): boolean;
  finish(status: number, text: string): void;
  /** Ends a stream that gets no response. */
  abandon(): void;
}>;

export type Headers = Readonly<Record<string, string>>;

/** The keep-alive interval. Proxies close silent streams after a minute at the earliest. */
const KEEP_ALIVE_MS = 15_000;

/** Opens the channel of a response; `streams` tells whether the client accepts event streams. */
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

export function endJson(res: ServerResponse, status: number, headers: Headers, text: string): void {
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

const eventOf = (text: string): string => `event: message\ndata: ${text}\n\n`;
