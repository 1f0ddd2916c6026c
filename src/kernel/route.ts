import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Reader } from './envelope.ts';
import type { Links } from './config/links.ts';
import type { Html } from './text/html.ts';

export type RequestState = {
  requestId: string;
  /** The path of the matched route, without the ids and tokens that the URL contains. */
  route?: string;
  /** The tool that an MCP message called. */
  tool?: string;
  /** Who reads error messages; programs by default. */
  reader?: Reader | undefined;
  /** Whether the signed-in person may pay for the workspace. */
  mayPay?: boolean;
  /** The links in the footer of a page. */
  links?: Links;
  /** A notice to show at the top of a page. */
  notice?: () => Html | undefined;
  /** The last entry of the event log before a page was read; its scripts listen from there on. */
  since?: string | undefined;
};

/** A request without Koa. A Koa context is one, too. */
export type BareContext = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: RequestState;
  /** False once this server itself writes the response, so that Koa does not. */
  respond?: boolean;
};

/** What serves some of the server's URLs; unless it needs more of its context, without Koa. */
export type Endpoint<Context extends BareContext = BareContext> = Readonly<{
  takes(url: string): boolean;
  serve(ctx: Context): Promise<void>;
}>;

export type RequestContext = ParameterizedContext<RequestState>;

/** The values of the `{name}` parts of a path, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>;
export type Handler = (ctx: RequestContext, params: PathParams) => Promise<void> | void;

/** The handlers of a path; other methods get a 405 response. */
export type Route = Readonly<{
  /** A path such as `/connect/{platform}/form`, or `/sandbox/*` for a path with everything below it. */
  path: string;
  /** If false, the path with a trailing slash is a different one. */
  trailingSlash?: false;
  GET?: Handler;
  /** If false, the handler of GET is not used for HEAD. */
  HEAD?: false;
  POST?: Handler;
  PUT?: Handler;
  OPTIONS?: Handler;
  ANY?: Handler;
  /** The Allow header of a 405 response; by default the methods that have handlers. */
  allow?: string;
  /** Middleware around the handler and around a 405 response. */
  around?: Middleware<RequestState>;
}>;
