import type { IncomingMessage } from 'node:http';
import type { Registry } from 'prom-client';
import { sendDocument, staticDocument, type StaticDocument } from '#kernel/document.ts';
import { fail } from '#kernel/errors.ts';
import type { Handler, RequestContext, Route } from '#kernel/route.ts';
import { safeEqual } from '#kernel/sign.ts';
import { sendJson, sendText } from './answer.ts';
import type { Tally } from './tally.ts';

/** Problems that keep the server from working, one sentence each; empty when ready. */
export type Health = () => Promise<readonly string[]>;

type ProbeDeps = Readonly<{
  openApi: () => Promise<object>;
  metricsToken: string | undefined;
  health: Health;
  tally: Tally;
}>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Routes for monitoring and tools: liveness, readiness, metrics and the OpenAPI document. */
export function probeRoutes({ openApi, metricsToken, health, tally }: ProbeDeps): readonly Route[] {
  let description: Promise<StaticDocument> | undefined;
  let registry: Promise<Registry> | undefined;

  async function serveMetrics(ctx: RequestContext): Promise<void> {
    if (!mayReadMetrics(ctx.req, metricsToken))
      fail('auth.invalid_secret', { next: 'Send METRICS_TOKEN of this server as a bearer token.' });
    const opened = await (registry ??= registryOf(tally));
    sendText(ctx, 200, await opened.metrics(), opened.contentType);
  }

  const describe = async () => staticDocument(JSON_TYPE, JSON.stringify(await openApi()));

  async function serveReadiness(ctx: RequestContext): Promise<void> {
    const problems = await health();
    if (problems.length === 0) sendJson(ctx, 200, { status: 'ok' });
    else sendJson(ctx, 503, { status: 'unavailable', problems });
  }

  const probes: Readonly<Record<string, Handler>> = {
    '/healthz': (ctx) => sendJson(ctx, 200, { status: 'ok' }),
    '/readyz': serveReadiness,
    '/metrics': serveMetrics,
    '/openapi.json': async (ctx) =>
      sendDocument(ctx, await (description ??= describe()), {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'public, max-age=300',
      }),
  };
  return Object.entries(probes).map(([path, GET]) => ({ path, trailingSlash: false, GET }));
}

/** With the token from anywhere; without one only directly from this machine, not through a proxy. */
function mayReadMetrics(req: IncomingMessage, token: string | undefined): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (sent !== undefined) return token !== undefined && safeEqual(sent, token);
  const relayed = Object.keys(req.headers).some((name) => /^(?:x-forwarded-.*|x-real-ip|forwarded|via)$/.test(name));
  return !relayed && /^(?:::ffff:)?127\.|^::1$/.test(req.socket.remoteAddress ?? '');
}

/** Loaded by the first request: the library costs memory and an event-loop monitor. */
async function registryOf(tally: Tally): Promise<Registry> {
  const { Counter, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  const labelNames = ['method', 'route', 'status'] as const;
  collectDefaultMetrics({ register: registry });
  const counters = [
    ['rostra_http_requests_total', 'Requests answered.', 'served'],
    ['rostra_http_request_seconds_total', 'Time spent answering requests.', 'seconds'],
  ] as const;
  for (const [name, help, column] of counters) {
    const counter = new Counter({
      name,
      help,
      labelNames,
      registers: [],
      collect() {
        this.reset();
        for (const { method, route, status, ...row } of tally.rows()) this.inc({ method, route, status }, row[column]);
      },
    });
    registry.registerMetric(counter);
  }
  return registry;
}
