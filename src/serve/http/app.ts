import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { Toolset } from '#call/tool.ts';
import type { Audit } from '#engine/audit/index.ts';
import type { Idempotency } from '#engine/idempotency/index.ts';
import type { Config } from '#kernel/config/config.ts';
import { fail, type ApiError } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import type { Span, Trace } from '#kernel/metrics/trace.ts';
import type { BareContext, Endpoint, RequestContext, RequestState, Route } from '#kernel/route.ts';
import { compressPages } from '../compressed-pages.ts';
import { presentError, type Invoke } from '../invoke.ts';
import { openApiWithExamples } from '../openapi/document.ts';
import { helpHeader, refusalHeaders } from '../refusal-headers.ts';
import { sendError, sendText } from './answer.ts';
import { requestSpan, sharesTraces } from '../tracing.ts';
import { prefersPage } from '../prefers-page.ts';
import { areaOf, isWithin, SANDBOX } from './areas.ts';
import { clientAddress, makeAdmission } from './hosts.ts';
import type { FormLimits } from './multipart.ts';
import { facadeOf, makeMetrics, toolRoute, type MetricsDeps } from './metrics.ts';
import { probeRoutes, type Health } from './probes.ts';
import { makeRest, type RestApi } from './rest.ts';
import { makeRouter } from './router.ts';

export type HttpDeps = Readonly<{
  config: Partial<Pick<Config, 'links'>> & Pick<Config, 'rootUrl' | 'allowedHosts' | 'trustProxy' | 'metricsToken'>;
  toolsets: readonly Toolset[];
  invoke: Invoke;
  /** Operations for programs. */
  restApi: RestApi;
  /** Operations for the scripts of pages, whose callers are identified by a cookie. */
  pageApi?: RestApi<RequestContext>;
  mcp?: Endpoint;
  idempotency: Pick<Idempotency, 'once'>;
  audit: Pick<Audit, 'note'>;
  log: Log;
  /** Middleware that runs before the route table. */
  mounts: readonly Koa.Middleware<RequestState>[];
  /** Pages, OAuth, push, media and sandbox; `makeHttp` adds the probes. */
  routes: readonly Route[];
  health: Health;
  meter: Meter;
  trace?: Trace | undefined;
  gauges: MetricsDeps['gauges'];
  uploads: FormLimits;
  /** Shows a person in a browser why their request was refused. */
  sendProblem?: (ctx: RequestContext, error: ApiError) => void;
  /** How long the client of a stream may read nothing, in milliseconds. */
  stallMs?: number | undefined;
}>;

const REQUEST_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const REQUEST_ID_BYTES = 6;
/**
 * The web application: a frame around every request, then operations, MCP and the route table. Koa makes three objects
 * for each request, so what programs and assistants call most is served without it.
 */
export function makeHttp(deps: HttpDeps): RequestListener {
  const { config, toolsets, log, restApi, pageApi, mcp } = deps;
  const endpoints = [makeRest({ ...deps, api: restApi }), ...(mcp ? [mcp] : [])];
  const frame = makeFrame(deps);
  const app = new Koa<RequestState>();
  app.proxy = config.trustProxy > 0;
  // X-Forwarded-Host is never trusted; the public address is ROOT_URL.
  Object.defineProperty(app.request, 'host', { get: hostHeader });
  Object.defineProperty(app.request, 'ip', {
    get(this: Koa.Request) {
      return clientAddress(this.req, config.trustProxy);
    },
  });
  app.on('error', (error: unknown) => log.warn({ error }, 'connection failed'));

  const refuse = (ctx: RequestContext, error: ApiError) => {
    if (deps.sendProblem !== undefined && isForPerson(ctx)) deps.sendProblem(ctx, error);
    else refuseProgram(ctx, error);
  };
  app.use((ctx, next) => frame(ctx, next, refuse));
  // Also here, as the URL of a request in absolute form is known only within the frame.
  for (const endpoint of endpoints) app.use(through(endpoint));
  if (pageApi !== undefined) app.use(through(makeRest({ ...deps, api: pageApi })));
  for (const mount of deps.mounts) app.use(mount);
  const { metricsToken } = config;
  const probes = probeRoutes({
    openApi: () => openApiWithExamples(toolsets),
    health: deps.health,
    serveMetrics: (ctx) => serveMetrics(ctx),
  });
  const routes = [...deps.routes, ...probes];
  const serveMetrics = makeMetrics({ ...deps, metricsToken, routes });
  app.use(compressPages);
  app.use(makeRouter(routes));
  app.use(() => fail('http.404'));
  const serveByKoa = app.callback();

  return (req, res) => {
    for (const endpoint of endpoints) {
      if (!endpoint.takes(req.url!)) continue;
      const ctx: BareContext = { req, res, state: { requestId: '' } };
      frame(ctx, () => endpoint.serve(ctx), refuseProgram).catch((error: unknown) => {
        log.error({ request_id: ctx.state.requestId, error }, 'a request was broken off');
        res.destroy();
      });
      return;
    }
    void serveByKoa(req, res);
  };

  function refuseProgram(ctx: BareContext, error: ApiError): void {
    const headers = { ...refusalHeaders(error, config.rootUrl, ''), ...helpHeader(error, config.rootUrl) };
    sendError(ctx, error, ctx.state.requestId, headers);
  }
}

/** Passes the requests that an endpoint takes to it. */
function through<Context extends BareContext>(endpoint: Endpoint<Context>) {
  return (ctx: Context, next: Koa.Next) => (endpoint.takes(ctx.req.url!) ? endpoint.serve(ctx) : next());
}

/** Adds the request id, the host check, error responses and one log line per request. */
function makeFrame({ config, log, meter, trace }: HttpDeps) {
  const admit = makeAdmission(config);
  type Refuse<Context> = (ctx: Context, error: ApiError) => void;

  return function frame<C extends BareContext>(ctx: C, next: Koa.Next, refuse: Refuse<C>): Promise<void> {
    const { req, res, state } = ctx;
    const sent = req.headers['x-request-id'];
    const requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomHex(REQUEST_ID_BYTES);
    state.requestId = requestId;
    state.links = config.links;
    res.setHeader('X-Request-ID', requestId);
    if (trace === undefined || isPolled(req.url!)) return answer(ctx, next, refuse);
    return trace(requestSpan(req, requestId), (span) => {
      if (sharesTraces(req)) res.setHeader('traceresponse', span.traceparent!);
      return answer(ctx, next, refuse, span);
    });
  };

  async function answer<C extends BareContext>(ctx: C, next: Koa.Next, refuse: Refuse<C>, span?: Span): Promise<void> {
    const { req } = ctx;
    const started = performance.now();
    // Not later: the socket of a client that has left has no address.
    const address = plain(clientAddress(req, config.trustProxy));
    try {
      const { redirect } = admit(req);
      if (redirect === undefined) await next();
      else sendText(ctx, 307, `${redirect}\n`, 'text/plain; charset=utf-8', { Location: redirect });
    } catch (thrown) {
      refuse(ctx, presentError(thrown, undefined, ctx.state.requestId, log));
    }
    note(ctx, address, (performance.now() - started) / 1000, span);
  }

  function note({ req, res, state }: BareContext, address: string, seconds: number, span?: Span): void {
    const { requestId, tool } = state;
    const route = state.route ?? labelOf(req.url!);
    const method = req.method!;
    const facade = facadeOf(route);
    const counted = tool === undefined ? route : toolRoute(tool);
    meter.count('requests', [facade, method, counted, String(res.statusCode)]);
    meter.time('requestTime', [facade, method, counted], seconds);
    log.served(isPolled(req.url!) ? 'debug' : 'info', {
      requestId,
      address,
      method,
      route,
      tool,
      status: res.statusCode,
      ms: Math.round(seconds * 1e5) / 100,
      traceId: span?.traceparent!.split('-')[1],
    });
    span?.rename(`${method} ${counted}`);
    span?.set({ 'http.route': route, 'http.response.status_code': res.statusCode, 'rostra.facade': facade });
    if (res.statusCode >= 500) span?.fail(String(res.statusCode));
  }
}

/** Whether a person sees the response in a browser. */
function isForPerson(ctx: RequestContext): boolean {
  const { req, res } = ctx;
  if (res.headersSent || areaOf(req.url!)?.programs === true) return false;
  ctx.vary('Accept');
  const isOpened = req.method === 'GET' || req.method === 'HEAD' || req.headers['sec-fetch-mode'] === 'navigate';
  return isOpened && prefersPage(req.headers.accept);
}

const POLLED = Object.freeze([SANDBOX, '/healthz', '/readyz', '/metrics']);

/** Frequent requests from monitoring and from this server itself, which would flood the log. */
const isPolled = (url: string): boolean => POLLED.some((path) => isWithin(path, url));

/** An IPv4 address without the prefix that IPv6 sockets add. */
const plain = (ip: string): string => (ip.startsWith('::ffff:') ? ip.slice(7) : ip);

/** The log label of a request without a route: its area, never its URL. */
function labelOf(url: string): string {
  const path = areaOf(url)?.path;
  if (path === undefined) return '*';
  return path === '/' ? path : `${path}/*`;
}

function hostHeader(this: Koa.Request): string {
  return this.get('Host');
}
