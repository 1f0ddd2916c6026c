import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendJson } from './http/answer.ts';
import { STREAM_HEADERS } from './http/event-stream.ts';

/** Where `rostra doctor` finds out what a proxy does to requests and streams. */
export const PROXY_PROBE = '/healthz/proxy';
/** What it sends as the address of a client: one that nobody has (RFC 5737). */
export const PROBE_ADDRESS = '192.0.2.53';
/** Between the two events of the stream. */
export const PROBE_GAP_MS = 1_500;

const MAX_BYTES = 4_194_304;
/** Streams at once; nobody but a doctor asks for one. */
const AT_ONCE = 20;

/** What arrives of a request through the proxies: how many of them name a client, a body, and a stream in two parts. */
export function proxyProbeRoute(): Route {
  let open = 0;

  async function stream({ res, req }: RequestContext): Promise<void> {
    if (open >= AT_ONCE) fail('http.503');
    open += 1;
    try {
      res.writeHead(200, STREAM_HEADERS);
      res.write(`data: ${JSON.stringify({ proxies: proxiesIn(req.headers['x-forwarded-for']) })}\n\n`);
      await pause(PROBE_GAP_MS);
      res.end('data: {}\n\n');
    } finally {
      open -= 1;
    }
  }

  return {
    path: PROXY_PROBE,
    HEAD: false,
    async GET(ctx) {
      ctx.respond = false;
      await stream(ctx);
    },
    async POST(ctx) {
      let bytes = 0;
      for await (const part of ctx.req) {
        bytes += (part as Buffer).byteLength;
        if (bytes > MAX_BYTES) fail('http.413');
      }
      sendJson(ctx, 200, { bytes });
    },
  };
}

/** How many proxies added the address that they were called from. */
function proxiesIn(forwarded: string | readonly string[] | undefined): number {
  const entries = [forwarded ?? []].flat().flatMap((line) => line.split(',').map((entry) => entry.trim()));
  return entries.filter((entry) => entry !== '' && entry !== PROBE_ADDRESS).length;
}
