import findMyWay from 'find-my-way';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '#call/caller.ts';
import type { Authority } from '#kernel/authority.ts';
import { isStream, type Stream } from '#call/context.ts';
import { inputOf } from '#call/input.ts';
import { isRepeatable, type AnyTool, type Toolset } from '#call/tool.ts';
import type { Audit } from '#engine/audit/index.ts';
import type { Idempotency } from '#engine/idempotency/index.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Reader } from '#kernel/envelope.ts';
import { fail, type ErrorCode } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { BareContext, Endpoint } from '#kernel/route.ts';
import { disconnectSignal } from '../disconnect-signal.ts';
import { refuseCaller } from '../access.ts';
import { noteRefusal } from '../auditing.ts';
import type { Invoke } from '../invoke.ts';
import { helpHeader } from '../refusal-headers.ts';
import { sendJson, sendText } from './answer.ts';
import { isWithin, REST } from './areas.ts';
import { readJsonObject } from './body.ts';
import { sendStream, STALL_MS } from './event-stream.ts';
import { paramReaders, readParams, refuseMalformed, type ParamReaders } from './params.ts';
import { readMultipart, type FormFile, type FormLimits } from './multipart.ts';
import { hashOf, keyOf } from './repeat.ts';

export type Callers = Readonly<{
  /** Returns the caller for an Authorization header; throws auth.*. */
  identify(authorization: string | undefined, options?: { newcomers?: boolean }): Promise<Caller>;
}>;

/** A base path for operations, and how callers are identified there. */
export type RestApi<Context extends BareContext = BareContext> = Readonly<{
  base: string;
  /** Whether other sites may call; safe only where browsers send no credentials on their own. */
  crossOrigin: boolean;
  /** Who reads refusals, if it is not a program. */
  reader?: Reader;
  /** Returns the caller of a request; throws auth.*. */
  identify(ctx: Context, options?: { newcomers?: boolean }): Promise<Caller>;
}>;

/** `/v1`, which identifies callers by the Authorization header alone. */
export const programApi = ({ identify }: Callers): RestApi => ({
  base: REST,
  crossOrigin: true,
  identify: ({ req }, options) => identify(req.headers.authorization, options),
});

type RestDeps<Context extends BareContext> = Readonly<{
  toolsets: readonly Toolset[];
  invoke: Invoke;
  api: RestApi<Context>;
  idempotency: Pick<Idempotency, 'once'>;
  audit: Pick<Audit, 'note'>;
  uploads: FormLimits;
  log: Log;
  config: Pick<Config, 'rootUrl'>;
  stallMs?: number | undefined;
}>;

/** The route of one operation, prepared at startup. */
type Route = Readonly<{ tool: AnyTool; readers: ParamReaders; takesBody: boolean }>;
type Sent = Record<string, string | string[]>;
type Request<Context extends BareContext> = Readonly<{
  ctx: Context;
  tool: AnyTool;
  caller: Caller;
  input: object;
  disconnectSignal(): AbortSignal;
}>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Longer than any request line Node accepts: the schemas limit the length of ids, not the router. */
const MAX_PARAM_LENGTH = 65_536;
const PREFLIGHT = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-ID, Idempotency-Key, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
});
const EXPOSED =
  'X-Request-ID, Idempotency-Replayed, Retry-After, WWW-Authenticate, Link, X-Posts-Limit, X-Posts-Remaining, ' +
  'X-Interactions-Limit, X-Interactions-Remaining, X-Storage-Used, X-Storage-Limit';

/** Serves every operation below an API's base path, using a route tree for speed (decision 0016). */
export function makeRest<Context extends BareContext>(deps: RestDeps<Context>): Endpoint<Context> {
  const { base, crossOrigin, reader } = deps.api;
  const router = knownRouters.get(deps.toolsets) ?? routerOf(deps.toolsets);
  knownRouters.set(deps.toolsets, router);
  const call = makeCall(deps);

  return Object.freeze({ takes: (url) => isWithin(base, url), serve });

  async function serve(ctx: Context): Promise<void> {
    const { req, res } = ctx;
    const url = req.url!.slice(base.length);
    ctx.state.reader = reader;
    res.setHeader('Cache-Control', 'no-store');
    if (crossOrigin && req.headers.origin !== undefined) {
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Access-Control-Expose-Headers', EXPOSED);
    }
    if (crossOrigin && req.method === 'OPTIONS') return preflight(ctx);

    const found = find(router, req.method!, url);
    if (found === null) return refuseRoute(router, ctx, url);
    const route = found.store as Route | null;
    if (route === null) fail('validation.field_invalid', { message: 'The path is not correctly percent-encoded.' });
    ctx.state.route = base + route.tool.http.path;
    if (req.method === 'HEAD' && !answersHead(route.tool)) refuseMethod(router, ctx, url);
    return call(ctx, route, found.searchParams, found.params as Sent);
  }
}

/** Calls an operation: identifies the caller, reads the input, and sends the result or stream. */
function makeCall<Context extends BareContext>({
  invoke,
  api,
  idempotency,
  audit,
  uploads,
  log,
  config,
  stallMs = STALL_MS,
}: RestDeps<Context>) {
  async function call(ctx: Context, route: Route, sent: Sent, path: Sent): Promise<void> {
    const { req } = ctx;
    const { readers, takesBody, tool } = route;
    const admit = async () => {
      const caller = await api.identify(ctx, { newcomers: tool.newcomers === true });
      try {
        refuseCaller(tool, caller);
      } catch (error) {
        await noteRefusal(audit, tool, caller, { error, requestId: ctx.state.requestId });
        throw error;
      }
      return caller;
    };
    const early = await admit();
    refuseMalformed(req.url!, readers);
    const key = keyOf(req);
    const { maxFileBytes = uploads.maxFileBytes, largerFiles } = tool;
    const limits = { ...uploads, maxFileBytes, largerFiles };
    const form = tool.body === 'multipart' ? await readMultipart(req, limits) : undefined;
    try {
      const json = takesBody && !form ? await readJsonObject(req) : undefined;
      const body = form ? { ...(form.file && partOf(form.file)), ...readParams(form.fields, readers) } : json;
      // Checks the caller again: access may have been revoked or limited while the body arrived.
      const caller = takesBody ? await admit() : early;
      const input = { ...readParams(sent, readers), ...body, ...readParams(path, readers), ...resumption(tool, req) };
      const request = { ctx, tool, caller, input, disconnectSignal: disconnectSignal(ctx.res) };
      if (key === undefined) await answer(request);
      else await answerOnce(request, key, hashOf(input, form));
    } finally {
      await form?.close();
    }
  }

  const run = ({ ctx, tool, caller, input, disconnectSignal }: Request<Context>, recorded?: object) => {
    const { requestId } = ctx.state;
    const { timezone } = caller.workspace;
    return invoke(tool, input, {
      facade: 'rest',
      reader: api.reader,
      caller,
      admitted: true,
      requestId,
      timezone,
      disconnectSignal,
      progress,
      recorded,
    });
  };

  async function answer(request: Request<Context>): Promise<void> {
    const result = await run(request);
    if (result.ok && isStream(result.body)) follow(request, result.body);
    else sendResult(request, result);
  }

  /** Returns the first response again when an Idempotency-Key is repeated. */
  async function answerOnce(request: Request<Context>, key: string, hash: string): Promise<void> {
    const { ctx, tool, caller } = request;
    const { requestId } = ctx.state;
    const keyed = { caller, operation: tool.name, key, hash, repeatable: isRepeatable(tool), requestId };
    const given = await idempotency.once(keyed, (recorded) => run(request, recorded));
    if (given.replayed) ctx.res.setHeader('Idempotency-Replayed', 'true');
    sendResult(request, given);
  }

  function sendResult(request: Request<Context>, result: Result): void {
    const help = isRefusal(result.body) && result.status >= 400 && helpHeader(result.body.error, config.rootUrl);
    send(request, help ? { ...result, headers: { ...result.headers, ...help } } : result);
  }

  function follow({ ctx, tool, caller, disconnectSignal }: Request<Context>, stream: Stream<unknown>): void {
    sendStream(ctx, stream, {
      signal: disconnectSignal(),
      stallMs,
      async admit() {
        const present = await api.identify(ctx);
        refuseCaller(tool, present);
        // A stream keeps its initial authority. A caller whose brands have changed must reconnect.
        if (!sameBrands(caller, present)) fail('auth.insufficient_scope');
      },
      onFailure: (error) =>
        log.error({ request_id: ctx.state.requestId, tool: tool.name, error }, 'a stream was broken off'),
    });
  }

  return call;
}

/** Derived from declarations only, so all servers of a process share them. */
const knownRouters = new WeakMap<readonly Toolset[], Router>();

function routerOf(toolsets: readonly Toolset[]): findMyWay.Instance<findMyWay.HTTPVersion.V1> {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: unreached,
  });
  for (const tool of toolsets.flatMap(({ tools }) => tools)) {
    const { method, path } = tool.http;
    const route: Route = { tool, readers: paramReaders(inputOf(tool, 'rest')), takesBody: method !== 'GET' };
    router.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), unreached, route);
  }
  return router;
}

type Router = ReturnType<typeof routerOf>;

/** The router is only used for lookups; a malformed path finds a route without a store. */
function unreached(): void {}

function find(router: Router, method: string, url: string) {
  const wanted = method === 'HEAD' ? 'GET' : method;
  if (!(METHODS as readonly string[]).includes(wanted)) return null;
  const found = router.find(wanted as findMyWay.HTTPMethod, url);
  // An id has at least one character.
  return found !== null && Object.values(found.params).includes('') ? null : found;
}

function refuseRoute(router: Router, ctx: BareContext, url: string): never {
  if (METHODS.every((method) => find(router, method, url) === null)) fail('http.404');
  refuseMethod(router, ctx, url);
}

function sameBrands({ authority: one }: Caller, { authority: other }: Caller): boolean {
  const brandsOf = ({ workspace, brands = [] }: Authority) => [workspace, ...brands.toSorted()].join(' ');
  return brandsOf(one) === brandsOf(other);
}

type Result = Readonly<{ status: number; body: object; headers?: Readonly<Record<string, string>> | undefined }>;

const isRefusal = (body: object): body is { error: { code: ErrorCode } } => 'error' in body;

/** Sends a result as JSON, or as the operation's file. */
function send({ ctx, tool: { file } }: Request<BareContext>, { status, body, headers }: Result): void {
  if (file === undefined || !('text' in body)) return sendJson(ctx, status, body, headers);
  const disposition = { 'Content-Disposition': `attachment; filename="${file.name}"` };
  sendText(ctx, status, String(body.text), file.type, { ...headers, ...disposition });
}

/** HEAD works for operations that only read, except streams. */
const answersHead = ({ effect, stream }: AnyTool) => effect === 'read' && stream === undefined;

/** Where a stream resumes. The header wins, because clients that reconnect repeat their first URL. */
function resumption({ stream }: AnyTool, { headers }: IncomingMessage): Record<string, unknown> {
  const last = headers['last-event-id'];
  return stream === undefined || last === undefined || last === '' ? {} : { [stream.resume]: last };
}

function refuseMethod(router: Router, ctx: BareContext, url: string): never {
  const allowed = METHODS.flatMap((method) => {
    const found = find(router, method, url);
    if (found === null) return [];
    const route = found.store as Route | null;
    return method === 'GET' && route !== null && answersHead(route.tool) ? ['GET', 'HEAD'] : [method];
  });
  ctx.res.setHeader('Allow', allowed.join(', '));
  fail('http.405');
}

function preflight(ctx: BareContext): void {
  ctx.respond = false;
  ctx.res.writeHead(204, PREFLIGHT).end();
}

function partOf({ stream, filename, contentType }: FormFile) {
  return { file: stream, content_type: contentType, ...(filename !== undefined && { filename }) };
}

/** REST calls report no progress. */
function progress(): void {}
