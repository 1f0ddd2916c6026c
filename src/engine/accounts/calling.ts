import type { Network } from '#db/schema/database.ts';
import type { QuotaCounter, QuotaUser } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import { untraced, type Spanned, type Trace } from '#kernel/metrics/trace.ts';
import type { Outbound, OutboundRequest } from '#kernel/net/request.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Hosts, PlatformRequest, UnauthenticatedCall } from '#platforms/call.ts';
import type { Platform } from '#platforms/platform.ts';

export type Calling = Readonly<{
  deadlineMs: number;
  hosts(platform: Platform, network: Network): Hosts;
  /** What every call of a platform needs; requests count against the quotas of `account`. */
  bare(platform: Platform, network: Network, account?: QuotaUser['account']): UnauthenticatedCall;
}>;

export type CallingDeps = Readonly<{
  outbound: Outbound;
  clock: Clock;
  meter: Pick<Meter, 'count' | 'time'>;
  trace?: Trace | undefined;
  /** The sandbox's URLs: one for this server, one for browsers. */
  sandbox: () => Readonly<{ api: string; web: string }>;
  sandboxOpen: boolean;
  overrides: Readonly<Partial<Record<PlatformSlug, Hosts>>>;
  settingsOf(platform: Platform, network: Network): Readonly<Record<string, string>>;
  quotas: Pick<QuotaCounter, 'spend'>;
  deadlineMs: number;
}>;

const SANDBOX_OFF = Object.freeze({
  message: 'This is an account of the sandbox, which is off.',
  next: 'Start the server with SANDBOX=on, or connect the real account with connect_account and disconnect this one.',
});

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** Provides connectors with the hosts of a network and the HTTP client. */
export function makeCalling(deps: CallingDeps): Calling {
  const {
    outbound,
    clock,
    meter,
    trace = untraced,
    sandbox,
    sandboxOpen,
    overrides,
    settingsOf,
    quotas,
    deadlineMs,
  } = deps;
  const hosts = (platform: Platform, network: Network): Hosts => {
    if (network === 'real') return { ...platform.hosts.real, ...overrides[platform.slug] };
    const base = sandbox();
    return platform.hosts.sandbox({ api: `${base.api}/${platform.slug}`, web: `${base.web}/${platform.slug}` });
  };
  /** Records a platform request as a span and in the metrics; the platform gets no tracing header. */
  const measured = (slug: PlatformSlug, request: OutboundRequest) =>
    trace(spanOf(slug, request), async (span) => {
      const started = performance.now();
      let outcome = 'unanswered';
      try {
        const answer = await outbound.send(request);
        outcome = outcomeOf(answer.status);
        span.set({ 'http.response.status_code': answer.status });
        if (outcome !== 'ok') span.fail(String(answer.status));
        return answer;
      } finally {
        span.set({ 'rostra.outcome': outcome });
        meter.count('platformCalls', [slug, outcome]);
        meter.time('platformTime', [slug], (performance.now() - started) / 1000);
      }
    });

  return Object.freeze({
    deadlineMs,
    hosts,
    bare(platform: Platform, network: Network, account?: QuotaUser['account']): UnauthenticatedCall {
      if (network === 'sandbox' && !sandboxOpen) fail('account.reconnection_required', SANDBOX_OFF);
      return {
        hosts: hosts(platform, network),
        settings: settingsOf(platform, network),
        now: clock.now,
        async http({ template, given = false, body, headers, cost, ...request }) {
          for (const one of [cost ?? []].flat()) await quotas.spend({ platform, network, account }, one);
          const sent: OutboundRequest = {
            ...request,
            ...sentBody(body, headers),
            given,
            purpose: given ? 'page' : 'platform',
            pathTemplate: template,
            deadlineMs: request.deadlineMs ?? deadlineMs,
            maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
            overflow: request.overflow ?? 'refuse',
            redirects: request.redirects ?? 0,
          };
          return given ? outbound.send(sent) : measured(platform.slug, sent);
        },
      };
    },
  });
}

function spanOf(slug: PlatformSlug, { method, pathTemplate = '' }: OutboundRequest): Spanned {
  const attributes = { 'rostra.platform': slug, 'http.request.method': method, 'url.template': pathTemplate };
  return { name: `${slug} ${method} ${pathTemplate}`.trimEnd(), kind: 'client', attributes };
}

/** The outcome of a platform request, for metrics, by the status of the response. */
function outcomeOf(status: number): string {
  if (status < 400) return 'ok';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'unauthorized';
  return status < 500 ? 'refused' : 'failed';
}

/** Body and headers of a request. Streamed bodies carry a length, as some platforms refuse chunked ones. */
export function sentBody(body: PlatformRequest['body'], headers: PlatformRequest['headers'] = {}) {
  if (body === undefined) return { headers };
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body };
  return { headers: { ...headers, 'content-length': String(body.length) }, body: body.open() };
}
