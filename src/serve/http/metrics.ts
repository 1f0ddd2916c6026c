import type { IncomingMessage } from 'node:http';
import { isForPeople, type Toolset } from '#call/tool.ts';
import { fail } from '#kernel/errors.ts';
import { GAUGES, type Family } from '#kernel/metrics/families.ts';
import type { Meter, Reading, Request } from '#kernel/metrics/meter.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { safeEqual } from '#kernel/sign.ts';
import { sendText } from './answer.ts';
import { areaOf, DASHBOARD_REST, MCP, REST, SANDBOX } from './areas.ts';

export type MetricsDeps = Readonly<{
  metricsToken: string | undefined;
  meter: Meter;
  gauges: () => Promise<readonly Reading[]>;
  toolsets: readonly Toolset[];
  /** All routes except those of operations. */
  routes: readonly Pick<Route, 'path' | 'GET' | 'POST' | 'PUT'>[];
}>;

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** `GET /metrics` in the Prometheus text format. */
export function makeMetrics({ metricsToken, meter, gauges, toolsets, routes }: MetricsDeps) {
  let ofProcess: Promise<() => Promise<string>> | undefined;

  return async function serveMetrics(ctx: RequestContext): Promise<void> {
    if (!mayRead(ctx.req, metricsToken))
      fail('auth.invalid_secret', {
        next:
          metricsToken === undefined
            ? 'Set METRICS_TOKEN on this server and send it as a bearer token; without it only this machine may ask.'
            : 'Send METRICS_TOKEN of this server as a bearer token.',
      });
    // Announced on the first scrape, because on a server that nobody scrapes these series would waste memory.
    if (ofProcess === undefined) meter.expect(requestsOf(toolsets, routes));
    const standard = await (ofProcess ??= openProcessMetrics());
    const own = [...readingsText(await gauges()), ...meterText(meter)];
    sendText(ctx, 200, `${own.join('\n')}\n\n${await standard()}`, TEXT);
  };
}

/** Allowed with the token from anywhere, and without it only from this machine and not through a proxy. */
function mayRead(req: IncomingMessage, token: string | undefined): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (sent !== undefined) return token !== undefined && safeEqual(sent, token);
  const relayed = Object.keys(req.headers).some((name) => /^(?:x-forwarded-.*|x-real-ip|forwarded|via)$/.test(name));
  return !relayed && /^(?:::ffff:)?127\.|^::1$/.test(req.socket.remoteAddress ?? '');
}

/** Memory, processor, event loop and garbage collection. Loaded on the first scrape, as the library costs memory. */
async function openProcessMetrics(): Promise<() => Promise<string>> {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  return () => register.metrics();
}

/** The facade of each route, cached because every request looks it up. There are a few hundred routes. */
const known = new Map<string, string>();

export function facadeOf(route: string): string {
  let found = known.get(route);
  if (found === undefined) known.set(route, (found = FACADES.get(areaOf(route)?.path ?? '') ?? 'pages'));
  return found;
}

const FACADES: ReadonlyMap<string, string> = new Map([
  [REST, 'rest'],
  [DASHBOARD_REST, 'dashboard'],
  [MCP, 'mcp'],
  ['/push', 'push'],
  ['/migrate', 'migrate'],
  ['/oauth', 'oauth'],
  ['/.well-known', 'oauth'],
  ['/media', 'files'],
  ['/files', 'files'],
  ['/upload', 'files'],
  [SANDBOX, 'sandbox'],
  ['/healthz', 'probes'],
  ['/readyz', 'probes'],
  ['/metrics', 'probes'],
]);

/** The label of a tool call: in HTTP, all of them share the route `/mcp`. */
export const toolRoute = (tool: string) => `${MCP} ${tool}`;

/** The series for programs and assistants. The dashboard's start with its first requests, as nobody alerts on them. */
function requestsOf(toolsets: readonly Toolset[], routes: MetricsDeps['routes']): readonly Request[] {
  const tools = toolsets.flatMap((set) => set.tools);
  return [
    ...tools.flatMap((tool): readonly Request[] => {
      const { method, path, status = 200 } = tool.http;
      const forPrograms: Request = { facade: 'rest', method, route: REST + path, status };
      const forAssistants: Request = { facade: 'mcp', method: 'POST', route: toolRoute(tool.name), status: 200 };
      if ('dashboard' in tool.access) return [];
      return tool.mcp === false || isForPeople(tool) ? [forPrograms] : [forPrograms, forAssistants];
    }),
    { facade: 'mcp', method: 'POST', route: MCP, status: 200 },
    ...routes.flatMap(({ path, GET, POST, PUT }) =>
      Object.entries({ GET, POST, PUT }).flatMap(([method, handler]): readonly Request[] =>
        handler === undefined ? [] : [{ facade: facadeOf(path), method, route: path, status: 200 }],
      ),
    ),
  ];
}

function readingsText(readings: readonly Reading[]): readonly string[] {
  const byGauge = Map.groupBy(readings, ({ gauge }) => gauge);
  return [...byGauge].flatMap(([gauge, some]) => {
    const family: Family = GAUGES[gauge];
    return [
      ...headOf(family),
      ...some.map(({ labels, value }) => `${family.name}${labelled(family, labels)} ${value}`),
    ];
  });
}

/** The text of each series before its numbers. It never changes. */
const beginnings = new WeakMap<object, readonly string[]>();

function beginningsOf(series: object, make: () => readonly string[]): readonly string[] {
  const known = beginnings.get(series) ?? make();
  beginnings.set(series, known);
  return known;
}

function meterText(meter: Meter): readonly string[] {
  const lines: string[] = [];
  for (const [family, series] of meter.counters()) {
    lines.push(...headOf(family));
    for (const one of series) {
      const [beginning] = beginningsOf(one, () => [`${family.name}${labelled(family, one.labels)} `]);
      lines.push(beginning! + one.value);
    }
  }
  for (const [family, series] of meter.histograms()) {
    lines.push(...headOf(family));
    for (const one of series) {
      const texts = beginningsOf(one, () => histogramTexts(family, one.labels));
      const { counts, sum } = one;
      let below = 0;
      for (const [at, count] of counts.entries()) lines.push(texts[at]! + (below += count));
      lines.push(texts[counts.length]! + sum, texts[counts.length + 1]! + below);
    }
  }
  return lines;
}

function histogramTexts(family: Family, labels: readonly string[]): readonly string[] {
  const inner = pairsOf(family, labels);
  const before = inner === '' ? '' : `${inner},`;
  const buckets = [...family.buckets!.map(String), '+Inf'].map(
    (bound) => `${family.name}_bucket{${before}le="${bound}"} `,
  );
  const whole = inner === '' ? '' : `{${inner}}`;
  return [...buckets, `${family.name}_sum${whole} `, `${family.name}_count${whole} `];
}

const headOf = ({ name, help, type }: Family) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

function labelled(family: Family, labels: readonly string[]): string {
  const inner = pairsOf(family, labels);
  return inner === '' ? '' : `{${inner}}`;
}

/** Only a version can contain characters that must be removed; all other labels are names from this server. */
const pairsOf = ({ labels: names }: Family, labels: readonly string[]) =>
  names.map((name, at) => `${name}="${labels[at]!.replaceAll(/["\\\n]/g, '')}"`).join(',');
