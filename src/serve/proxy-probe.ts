import { setTimeout as pause } from 'node:timers/promises';
import { countBytes, type BodyLimits } from '#kernel/body.ts';
import { fail } from '#kernel/errors.ts';
import { makeConcurrency } from '#kernel/limits/concurrency.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendJson } from './http/answer.ts';
import { STREAM_HEADERS } from './http/event-stream.ts';

/** `rostra doctor` calls this path to find out how a proxy changes requests and streams. */
export const PROXY_PROBE = '/healthz/proxy';
/** The client address that the doctor sends. It belongs to nobody (RFC 5737). */
export const PROBE_ADDRESS = '192.0.2.53';
/** Time between the two events of the stream. */
export const PROBE_GAP_MS = 1_500;

const BODY: BodyLimits = Object.freeze({ limit: 4_194_304, discard: 16_777_216 });
/** The limit for concurrent streams, and for concurrent bodies. Only the doctor uses them. */
const AT_ONCE = 20;

/** Reports what passes through the proxies: the forwarded addresses, a large body, and a stream in two parts. */
export function proxyProbeRoute(): Route {
  const room = makeConcurrency();

  /** Refuses work beyond `AT_ONCE`. */
  async function limited<T>(key: 'streams' | 'bodies', work: () => Promise<T>): Promise<T> {
    const place = room.enter([{ key, max: AT_ONCE }]);
    if ('reached' in place) fail('http.503');
    try {
      return await work();
    } finally {
      place.leave();
    }
  }

  async function stream({ res, req }: RequestContext): Promise<void> {
    res.writeHead(200, STREAM_HEADERS);
    res.write(`data: ${JSON.stringify({ proxies: proxiesIn(req.headers['x-forwarded-for']) })}\n\n`);
    await pause(PROBE_GAP_MS);
    res.end('data: {}\n\n');
  }

  return {
    path: PROXY_PROBE,
    HEAD: false,
    async GET(ctx) {
      ctx.respond = false;
      await limited('streams', () => stream(ctx));
    },
    async POST(ctx) {
      const bytes = await limited('bodies', () => countBytes(ctx.req, BODY));
      sendJson(ctx, 200, { bytes });
    },
  };
}

/** How many proxies added the address of their client. */
function proxiesIn(forwarded: string | readonly string[] | undefined): number {
  const entries = [forwarded ?? []].flat().flatMap((line) => line.split(',').map((entry) => entry.trim()));
  return entries.filter((entry) => entry !== '' && entry !== PROBE_ADDRESS).length;
}
