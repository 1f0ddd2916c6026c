import { sendDocument, staticDocument, type StaticDocument } from '#kernel/document.ts';
import type { Handler, RequestContext, Route } from '#kernel/route.ts';
import { proxyProbeRoute } from '../proxy-probe.ts';
import { JSON_TYPE, sendJson } from './answer.ts';

/** Problems that keep the server from working, one sentence each; empty if it is ready. */
export type Health = () => Promise<readonly string[]>;

type ProbeDeps = Readonly<{
  openApi: () => Promise<object>;
  serveMetrics: Handler;
  health: Health;
}>;

/** Routes for monitoring and tools: liveness, readiness, metrics and the OpenAPI document. */
export function probeRoutes({ openApi, serveMetrics, health }: ProbeDeps): readonly Route[] {
  let description: Promise<StaticDocument> | undefined;

  /** Built once; after a failure the next request tries again. */
  function described(): Promise<StaticDocument> {
    description ??= openApi().then(
      (document) => staticDocument(JSON_TYPE, JSON.stringify(document)),
      (error: unknown) => {
        description = undefined;
        throw error;
      },
    );
    return description;
  }

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
      sendDocument(ctx, await described(), {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'public, max-age=300',
      }),
  };
  const routes = Object.entries(probes).map(([path, GET]): Route => ({ path, trailingSlash: false, GET }));
  return [...routes, proxyProbeRoute()];
}
