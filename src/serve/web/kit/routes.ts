import type { ParameterizedContext } from 'koa';
import type { RequestState } from '../../http/state.ts';

export type PageContext = ParameterizedContext<RequestState>;

/** The named groups of a route's pattern. */
export type PathParts = Readonly<Record<string, string>>;
export type PageHandler = (ctx: PageContext, parts: PathParts) => Promise<void> | void;

/** One address of ours that people open; HEAD is what GET is. */
export type PageRoute = Readonly<{
  /** The pattern as the log names it. */
  name: string;
  path: RegExp;
  GET?: PageHandler;
  POST?: PageHandler;
  /** Programs read the answer: a refusal is the JSON envelope here and not a page. */
  json?: true;
}>;

/** Pages that belong together: sign-in, consent, the dashboard and so on each are one. */
export type Room = readonly PageRoute[];
