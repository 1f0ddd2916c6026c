import type { Middleware, ParameterizedContext } from 'koa';
import type { Reader } from './envelope.ts';
import type { Links } from './config/links.ts';
import type { Html } from './text/html.ts';

export type RequestState = {
  requestId: string;
  /** The path of the matched route, never the URL: URLs hold ids and tokens. */
  route?: string;
  /** The tool that a message of MCP called. */
  tool?: string;
  /** Who reads refusals, if not a program. */
  reader?: Reader | undefined;
  /** What the footer of a page leads to. */
  links?: Links;
  /** What a page says above everything else. */
  notice?: () => Html | undefined;
  /** The last entry of the events log before a page was read, from which on its scripts listen. */
  since?: string | undefined;
};

export type RequestContext = ParameterizedContext<RequestState>;

/** The `{name}` parts of a path, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>;
export type Handler = (ctx: RequestContext, params: PathParams) => Promise<void> | void;

/** A method without a handler is answered with 405. */
export type Route = Readonly<{
  /** As in `/connect/{platform}/form`, or `/sandbox/*` for a path and everything below it. */
  path: string;
  /** If false, a trailing slash makes another address. */
  trailingSlash?: false;
  GET?: Handler;
  /** GET answers HEAD too, unless this is false. */
  HEAD?: false;
  POST?: Handler;
  PUT?: Handler;
  OPTIONS?: Handler;
  ANY?: Handler;
  /** The Allow header of a 405; by default the methods with a handler. */
  allow?: string;
  /** Runs around the handler, and around the refusal of a method. */
  around?: Middleware<RequestState>;
}>;
