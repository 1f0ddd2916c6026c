/** Runs an XRPC call: finds the method and the caller, applies faults and rate limits, and responds. */
import type { Context } from 'koa';
import { parseJson, readBody } from '../body.ts';
import { isObject } from '../kit/api/checks.ts';
import { makeGate } from '../kit/api/gate.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Charge, Rates, RateState } from '../kit/api/rates.ts';
import type { Auth } from './auth.ts';
import { LARGEST_BLOB } from './blobs.ts';
import { invalid, XrpcError, type Answer, type Call, type Method } from './xrpc.ts';

export type ServerOptions = Pick<TwinOptions, 'clock' | 'faults' | 'journal' | 'wait' | 'complain'> &
  Readonly<{
    network: string;
    methods: Readonly<Record<string, Method>>;
    services: readonly Upstream[];
    auth: Auth;
    rates: Rates | undefined;
  }>;

const LARGEST_JSON = 150 * 1024;
const THROTTLE_S = 30;
const NSID = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+\.[a-z][a-z0-9]*$/i;

/** A service to which calls are proxied. */
type Upstream = Readonly<{
  id: string;
  /** The prefix of its methods. Without one, it gets every method that nobody else has. */
  area?: string;
  /** Needs an app password with all rights. */
  isPrivileged?: boolean;
}>;

/** Returns the service to proxy to; a header is refused in the same cases as on a real server. */
function serviceOf(header: string, services: readonly Upstream[]): string | undefined {
  if (header === '') return services.find(({ area }) => area === undefined)?.id;
  const [did, service, ...more] = header.split('#');
  if (did === '') throw invalid('no did specified in proxy header');
  if (!service) throw invalid('no service id specified in proxy header');
  if (more.length > 0) throw invalid('invalid proxy header format');
  if (header.includes(' ')) throw invalid('proxy header cannot contain spaces');
  const known = services.map(({ id }) => id);
  if (known.includes(header)) return header;
  throw known.some((id) => id.startsWith(`${did}#`))
    ? invalid('could not resolve proxy did service url')
    : invalid('could not resolve proxy did');
}

function mimeOf(ctx: Context): string {
  return (ctx.get('content-type').split(';')[0] ?? '').trim().toLowerCase();
}

async function readInput(ctx: Context, method: Method): Promise<unknown> {
  const given = (ctx.request.length ?? 0) > 0 || ctx.get('transfer-encoding') !== '';
  if (method.verb === 'GET') return undefined;
  if (method.body === 'none') {
    if (given) throw invalid('A request body was provided when none was expected');
    return undefined;
  }
  if (!given) throw invalid('A request body is expected but none was provided');
  const mime = mimeOf(ctx);
  if (mime === '') throw invalid('Request encoding (Content-Type) required but not provided');
  if (method.body === 'json' && mime !== 'application/json')
    throw invalid(`Wrong request encoding (Content-Type): ${mime}`);
  if (ctx.get('content-encoding') !== '')
    throw new XrpcError(415, 'UnsupportedMediaType', 'unsupported content-encoding');
  const bytes = await readBody(ctx, method.body === 'blob' ? LARGEST_BLOB : LARGEST_JSON);
  if (bytes === undefined) throw new XrpcError(413, 'PayloadTooLarge', 'request entity too large');
  if (method.body === 'blob') return bytes;
  const input = parseJson(bytes);
  if (!isObject(input)) throw invalid('The request body is not a JSON object');
  const wrong = method.check?.(input, '$');
  if (wrong !== undefined) throw invalid(wrong);
  return input;
}

/** The rate-limit headers of the protocol, which has no Retry-After. */
const rateHeaders = ({ limit, remaining, resetAt, window_s }: RateState) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
  'RateLimit-Policy': `${limit};w=${window_s}`,
});
const limited = () => new XrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded');

function makeFind({ rates, auth, methods, services }: ServerOptions) {
  const reading = services.find(({ area }) => area === undefined);
  function spend(ctx: Context, charges: readonly Charge[]): void {
    const verdict = charges.length === 0 ? undefined : rates?.spend(charges);
    if (verdict?.tightest === undefined) return;
    ctx.set(rateHeaders(verdict.tightest));
    if (verdict.exceeded) throw limited();
  }

  function find(ctx: Context, nsid: string): Method {
    if (!NSID.test(nsid)) throw invalid('invalid xrpc path');
    spend(ctx, [{ name: 'all', key: ctx.ip, limit: 3000, window_s: 300, points: 1 }]);
    // Other methods are proxied: to the service in the header, or else to the AppView.
    const isOwn = nsid.startsWith('com.atproto.');
    const service = isOwn ? undefined : serviceOf(ctx.get('atproto-proxy'), services);
    const owner = services.find(({ area }) => area !== undefined && nsid.startsWith(area)) ?? reading;
    // Some areas need a privileged app password, whichever service is called.
    if (owner?.isPrivileged === true && !auth.authenticate(ctx.get('authorization'), 'access').privileged)
      throw invalid('Bad token method', 'InvalidToken');
    const method = Object.hasOwn(methods, nsid) ? methods[nsid] : undefined;
    const isThere = isOwn || service === owner?.id;
    if (method === undefined || !isThere) throw new XrpcError(501, 'MethodNotImplemented', 'Method Not Implemented');
    if (ctx.method !== method.verb) throw invalid(`Incorrect HTTP method (${ctx.method}) expected ${method.verb}`);
    return method;
  }

  return Object.freeze({ spend, find });
}

function send(ctx: Context, answer: Answer): void {
  ctx.status = 200;
  if (answer.json !== undefined) {
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(answer.json);
  } else ctx.body = answer.bytes ?? '';
  ctx.set(answer.headers ?? {});
}

export function xrpcServer(options: ServerOptions): (ctx: Context, nsid: string) => Promise<void> {
  const { clock, auth } = options;
  const { spend, find } = makeFind(options);
  const gate = makeGate({
    ...options,
    words: {
      throttled(ctx) {
        ctx.set(rateHeaders({ limit: 3000, remaining: 0, resetAt: clock.now() + THROTTLE_S * 1000, window_s: 300 }));
        return limited();
      },
      expired: () => invalid('Token has expired', 'ExpiredToken'),
      trouble: () => new XrpcError(500, 'InternalServerError', 'Internal Server Error'),
    },
  });

  return (ctx, nsid) =>
    gate(ctx, { verb: ctx.method, method: nsid }, async ({ entry, before, after }) => {
      const method = find(ctx, nsid);
      const session = method.auth === 'none' ? undefined : auth.authenticate(ctx.get('authorization'), method.auth);
      entry.person = session?.did;
      const input = await readInput(ctx, method);
      // The types of input and session belong to the method; `readInput` and `authenticate` have just checked both.
      const call = { params: ctx.URL.searchParams, headers: ctx.headers, input, session } as unknown as Call<never>;
      entry.person ??= method.about?.(call);
      entry.note = method.note?.(call);
      await before(method.auth === 'access');
      // The token may have been revoked while the body arrived or the call waited.
      if (method.auth !== 'none') auth.authenticate(ctx.get('authorization'), method.auth);
      spend(ctx, method.charges(call));
      const answer = await method.run(call);
      await after(method.verb !== 'GET');
      send(ctx, answer);
    });
}
