import type { Middleware, ParameterizedContext } from 'koa';

/** What a request knows of itself. */
export type RequestState = {
  requestId: string;
  /** The path of the route that matched, never the address: addresses hold ids and tokens. */
  route?: string;
};

export type RequestContext = ParameterizedContext<RequestState>;

/** The values of the `{name}` parts of a path, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>;
export type Handler = (ctx: RequestContext, params: PathParams) => Promise<void> | void;

/** One address of the server. A method without a handler is answered with 405. */
export type Route = Readonly<{
  /** As in `/connect/{platform}/form`, or `/sandbox/*` for an address and everything below it. */
  path: string;
  /** False when a slash after the path makes another address. */
  trailingSlash?: false;
  GET?: Handler;
  /** GET answers HEAD too, unless this is false. */
  HEAD?: false;
  POST?: Handler;
  PUT?: Handler;
  OPTIONS?: Handler;
  /** Answers every method. */
  ANY?: Handler;
  /** Value of the Allow header of a 405; by default the methods with a handler. */
  allow?: string;
  /** Runs around the handler, and around the refusal of a method. */
  around?: Middleware<RequestState>;
}>;
