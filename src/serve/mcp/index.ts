import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Next } from 'koa';
import type { Caller } from '#call/caller.ts';
import type { Toolset } from '#call/tool.ts';
import { isJson, readBytes, refuseEncoded, textOf, type BodyLimits } from '#kernel/body.ts';
import { systemClock, type Clock } from '#kernel/clock.ts';
import { sendDocument } from '#kernel/document.ts';
import { envelope, explain } from '#kernel/envelope.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { BODY_LIMITS, JsonError, parseJson } from '#kernel/text/json.ts';
import type { Log } from '#kernel/log.ts';
import { isWithin, MCP } from '../http/areas.ts';
import type { Callers } from '../http/rest.ts';
import type { BareContext, Endpoint, RequestContext, RequestState } from '#kernel/route.ts';
import { disconnectSignal } from '../disconnect-signal.ts';
import { presentError, type Invoke } from '../invoke.ts';
import type { Links } from '#kernel/config/links.ts';
import type { Card } from './documents/card.ts';
import { publicDocuments } from './documents/index.ts';
import { endJson, openChannel, type Headers } from './channel.ts';
import { makeDispatch } from './dispatch.ts';
import type { Extension } from './exchange.ts';
import { CORS, headersOf, isAllowedOrigin, PREFLIGHT, PUBLIC, refuseDeciding } from './gate.ts';
import { classify, type Classified } from './classify.ts';
import { pathOf, type View } from './view.ts';
import { inside, isRefusal, META, refusalText, refuse, responseText, resultText, RPC } from './json-rpc.ts';
import { makeWorld, type Offer } from './world.ts';

export type McpOptions = Offer &
  Readonly<{
    toolsets: readonly Toolset[];
    supported: ReadonlySet<string>;
    invoke: Invoke;
    callers: Callers;
    rootUrl: string;
    card: Card;
    links?: Links;
    log: Log;
    clock?: Clock;
    extension?: Extension;
  }>;

/** Serves `/mcp`. */
export type Mcp = Endpoint &
  Readonly<{
    /** Serves everything below `/mcp` and the public documents, too; passes other requests on. */
    middleware(ctx: RequestContext, next: Next): Promise<void>;
  }>;

type Admitted = Readonly<{ caller: Caller; view: View; message: Classified }>;
type Request = Extract<Classified, { kind: 'request' }>;

const MESSAGE: BodyLimits = Object.freeze({ limit: 4_194_304, discard: 16_777_216 });
const NO_HEADERS: Headers = Object.freeze({});
const FOREIGN_ORIGIN = refusalText(undefined, refuse(RPC.invalidRequest, 'This origin may not call a local server.'));

/** The MCP facade: one stateless endpoint for two protocol eras, over the operations of the toolsets. */
export function makeMcp(options: McpOptions): Mcp {
  const { callers, rootUrl, log, clock = systemClock, extension } = options;
  const world = makeWorld(options);
  const dispatch = makeDispatch(world);
  const { views } = world;
  const documents = publicDocuments(options.card, rootUrl, world.offered, world.skills, options.links);
  const serverInfo = inside({ [META.serverInfo]: world.serverInfo });

  async function respond(req: IncomingMessage, res: ServerResponse, state: RequestState): Promise<void> {
    const { requestId } = state;
    const { origin } = req.headers;
    const headers = origin === undefined ? NO_HEADERS : CORS;
    if (!isAllowedOrigin(origin, rootUrl)) return endJson(res, 403, NO_HEADERS, FOREIGN_ORIGIN);
    const admitted = await admit(req).catch(onlyApiError);
    if (admitted instanceof ApiError) {
      const text = JSON.stringify(envelope(admitted, requestId));
      return endJson(res, admitted.status, { ...headers, ...headersOf(admitted, rootUrl) }, text);
    }
    const { message } = admitted;
    if (message.kind === 'request') return answer(message, admitted, req, res, state, headers);
    if (message.kind === 'refused') return endJson(res, 400, headers, refusalText(message.id, message.refusal));
    if (message.kind === 'response') extension?.response(message.message);
    res.writeHead(202, headers).end();
  }

  /** Checks the token before the body, so that strangers cost nothing, and after it, in case it has been revoked. */
  async function admit(req: IncomingMessage): Promise<Admitted> {
    const { authorization } = req.headers;
    refuseDeciding(await callers.identify(authorization));
    const view = views.of(req.url!, req.headers) ?? fail('http.404');
    if (req.method !== 'POST') fail('http.405', { message: 'This server has no sessions. Send each message by POST.' });
    if (!isJson(req.headers['content-type'])) fail('http.415');
    refuseEncoded(req);
    const message = readMessage(await readBytes(req, MESSAGE), req);
    const caller = await callers.identify(authorization);
    refuseDeciding(caller);
    return { caller, view, message };
  }

  async function answer(
    request: Request,
    { caller, view }: Admitted,
    req: IncomingMessage,
    res: ServerResponse,
    state: RequestState,
    headers: Headers,
  ): Promise<void> {
    const { requestId } = state;
    const { era, id } = request;
    const channel = openChannel(res, headers, takesStreams(req), clock);
    try {
      const outcome = await dispatch({
        ...request,
        view,
        caller,
        requestId,
        called: (tool) => (state.tool = tool),
        send: channel.send,
        disconnectSignal: disconnectSignal(res),
      }).catch((thrown: unknown) => {
        const error = presentError(thrown, undefined, requestId, log);
        return refuse(RPC.internalError, explain(error), envelope(error, requestId));
      });
      const refused = isRefusal(outcome);
      const status = refused && era === 'modern' ? (outcome.status ?? 200) : 200;
      const text = refused ? refusalText(id, outcome) : responseText(id, resultText(outcome, era, serverInfo));
      channel.finish(status, text);
    } finally {
      channel.abandon();
    }
  }

  async function serve(ctx: BareContext): Promise<void> {
    const { req, res, state } = ctx;
    ctx.respond = false;
    state.route ??= MCP;
    if (req.method === 'OPTIONS') res.writeHead(204, PREFLIGHT).end();
    else await respond(req, res, state);
  }

  return Object.freeze({
    takes: (url: string) => pathOf(url) === MCP,
    serve,
    async middleware(ctx: RequestContext, next: Next) {
      const { url, method } = ctx.req;
      const path = pathOf(url!);
      const document = documents.get(path);
      if (document === undefined) return isWithin(MCP, path) ? serve(ctx) : next();
      ctx.state.route = path;
      if (method === 'GET' || method === 'HEAD') return sendDocument(ctx, document, PUBLIC);
      return method === 'OPTIONS' || isWithin(MCP, path) ? serve(ctx) : next();
    },
  });
}

const takesStreams = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/event-stream') === true;

function onlyApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}

function readMessage(bytes: Buffer, { headers }: IncomingMessage): Classified {
  try {
    return classify(parseJson(textOf(bytes), BODY_LIMITS), headers);
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof ApiError)) throw error;
    const isTooMuch = error instanceof JsonError && error.reason !== 'syntax';
    return { kind: 'refused', refusal: refuse(isTooMuch ? RPC.invalidRequest : RPC.parseError, error.message) };
  }
}
