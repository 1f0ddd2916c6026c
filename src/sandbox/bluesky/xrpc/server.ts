/** The one path of an xrpc call: find the method, know the caller, apply faults, charge, run, answer. */
import type { Context } from 'koa';
import type { Clock } from '../../../kernel/clock.ts';
import { wireTime } from '../../../kernel/clock.ts';
import { parseJson, readBody } from '../../body.ts';
import type { FaultKind, Faults } from '../../faults.ts';
import type { Journal, JournalEntry } from '../../journal.ts';
import type { Auth } from '../people/auth.ts';
import { LARGEST_BLOB } from '../records/blobs.ts';
import { isObject } from './check.ts';
import { limitHeaders } from '../../kit/rates.ts';
import type { Limits } from '../../kit/rates.ts';
import { invalid, XrpcError } from './xrpc.ts';
import type { Answer, Call, Method } from './xrpc.ts';

export type World = Readonly<{
  clock: Clock;
  methods: Readonly<Record<string, Method>>;
  auth: Auth;
  limits: Limits | undefined;
  faults: Faults;
  journal: Journal;
  /** Waits by the clock; answers false when the sandbox closed meanwhile. */
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
}>;

const LARGEST_JSON = 150 * 1024;
const THROTTLE_S = 30;
const NSID = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+\.[a-z][a-z0-9]*$/i;

const CHAT = 'chat.bsky.';
const CHAT_SERVICE = 'did:web:api.bsky.chat#bsky_chat';
const READING_SERVICE = 'did:web:api.bsky.app#bsky_appview';
const SERVICES = [CHAT_SERVICE, READING_SERVICE];

/** The service a call is passed on to; the header is refused in the words of a real server. */
function serviceOf(header: string): string {
  if (header === '') return READING_SERVICE;
  const [did, service, ...more] = header.split('#');
  if (did === '') throw invalid('no did specified in proxy header');
  if (!service) throw invalid('no service id specified in proxy header');
  if (more.length > 0) throw invalid('invalid proxy header format');
  if (header.includes(' ')) throw invalid('proxy header cannot contain spaces');
  if (SERVICES.includes(header)) return header;
  throw SERVICES.some((known) => known.startsWith(`${did}#`))
    ? invalid('could not resolve proxy did service url')
    : invalid('could not resolve proxy did');
}

/** Thrown when the answer must not reach the caller, whatever became of the effect. */
class AnswerLost extends Error {}

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

/** Finds the method of a request, and who calls it. */
function makeFind(world: World) {
  const { limits, auth, methods } = world;

  function spend(ctx: Context, charges: Parameters<Limits['spend']>[0]): void {
    const verdict = limits?.spend(charges);
    if (verdict === undefined) return;
    ctx.set(verdict.headers);
    if (verdict.exceeded) throw new XrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded');
  }

  function find(ctx: Context, nsid: string): Method {
    if (!NSID.test(nsid)) throw invalid('invalid xrpc path');
    spend(ctx, [{ name: 'all', key: ctx.ip, limit: 3000, window_s: 300, points: 1 }]);
    // What is not the server's own it passes on: to the service the caller names, else to the reading side.
    const service = nsid.startsWith('com.atproto.') ? undefined : serviceOf(ctx.get('atproto-proxy'));
    // Chat needs a privileged app password, whichever service the call is for.
    if (nsid.startsWith(CHAT) && !auth.authenticate(ctx.get('authorization'), 'access').privileged)
      throw invalid('Bad token method', 'InvalidToken');
    const method = Object.hasOwn(methods, nsid) ? methods[nsid] : undefined;
    const isThere = service === undefined || nsid.startsWith(CHAT) === (service === CHAT_SERVICE);
    if (method === undefined || !isThere) throw new XrpcError(501, 'MethodNotImplemented', 'Method Not Implemented');
    if (ctx.method !== method.verb) throw invalid(`Incorrect HTTP method (${ctx.method}) expected ${method.verb}`);
    return method;
  }

  return Object.freeze({ spend, find });
}

/** Answers `/xrpc/<nsid>`. */
export function xrpcServer(world: World): (ctx: Context, nsid: string) => Promise<void> {
  const { clock, auth, faults, journal } = world;

  const { spend, find } = makeFind(world);

  /** Uses up a fault of this kind when one waits for this person and method. */
  function fault(entry: JournalEntry, kind: FaultKind) {
    const taken = faults.take({ network: 'bluesky', person: entry.person, method: entry.method, kind });
    if (taken !== undefined) entry.fault = entry.fault === undefined ? kind : `${entry.fault}, ${kind}`;
    return taken;
  }

  async function before(ctx: Context, entry: JournalEntry, method: Method): Promise<void> {
    if (fault(entry, 'throttled') !== undefined) {
      ctx.set(limitHeaders(3000, 0, clock.now() + THROTTLE_S * 1000, 300));
      throw new XrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded');
    }
    if (method.auth === 'access' && fault(entry, 'expired') !== undefined)
      throw invalid('Token has expired', 'ExpiredToken');
    const late = fault(entry, 'late');
    if (late !== undefined && !(await world.wait(late.delay_ms))) throw new AnswerLost();
  }

  async function after(entry: JournalEntry, method: Method): Promise<void> {
    const slow = fault(entry, 'slow');
    if (slow !== undefined && !(await world.wait(slow.delay_ms))) throw new AnswerLost();
    if (method.verb === 'GET') return;
    if (fault(entry, 'lost') !== undefined) throw new AnswerLost();
    if (fault(entry, 'error_after') !== undefined)
      throw new XrpcError(500, 'InternalServerError', 'Internal Server Error');
  }

  async function run(ctx: Context, nsid: string, entry: JournalEntry): Promise<Answer> {
    const method = find(ctx, nsid);
    const session = method.auth === 'none' ? undefined : auth.authenticate(ctx.get('authorization'), method.auth);
    entry.person = session?.did;
    const input = await readInput(ctx, method);
    // The types of input and session belong to the method; readInput and authenticate have just established both.
    const call = { params: ctx.URL.searchParams, headers: ctx.headers, input, session } as unknown as Call<never>;
    entry.person ??= method.about?.(call);
    entry.note = method.note?.(call);
    await before(ctx, entry, method);
    // A credential may have died while the body was on its way or the call was kept waiting.
    if (session !== undefined && method.auth !== 'none') auth.authenticate(ctx.get('authorization'), method.auth);
    const charges = method.charges(call);
    if (charges.length > 0) spend(ctx, charges);
    const answer = await method.run(call);
    await after(entry, method);
    return answer;
  }

  function send(ctx: Context, answer: Answer): void {
    ctx.status = 200;
    if (answer.json !== undefined) {
      ctx.type = 'application/json';
      ctx.body = JSON.stringify(answer.json);
    } else if (answer.bytes !== undefined) ctx.body = answer.bytes;
    else ctx.body = '';
    ctx.set(answer.headers ?? {});
  }

  function refuse(ctx: Context, entry: JournalEntry, error: XrpcError): void {
    entry.error = error.error;
    ctx.status = error.status;
    ctx.type = 'application/json';
    ctx.body = JSON.stringify({ error: error.error, message: error.message });
  }

  return async function answerXrpc(ctx, nsid) {
    const entry = journal.open({
      at: wireTime(clock.now()),
      network: 'bluesky',
      verb: ctx.method,
      method: nsid.slice(0, 200),
    });
    try {
      send(ctx, await run(ctx, nsid, entry));
    } catch (error) {
      if (error instanceof AnswerLost) {
        // Koa must not answer, and the peer must see the connection break.
        ctx.respond = false;
        ctx.req.socket.destroy();
        return;
      }
      if (!(error instanceof XrpcError)) world.complain(error, `bluesky ${nsid}`);
      refuse(
        ctx,
        entry,
        error instanceof XrpcError ? error : new XrpcError(500, 'InternalServerError', 'Internal Server Error'),
      );
    }
    entry.status = ctx.status;
  };
}
