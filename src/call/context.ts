import type { Caller, Reach, Workspace } from './caller.ts';

/** Tells a waiting client how far the work is. */
export type Progress = (done: number, total: number, message: string) => void;

/** Everything that belongs to one call, whichever facade it came through. */
export type Call = Readonly<{
  caller: Caller;
  workspace: Workspace;
  reach: Reach;
  requestId: string;
  /** Ends when the client is gone; for reads only, an effect once begun goes on (rulings 1.12). */
  signal: AbortSignal;
  /** Reaches an MCP client that asked for it; does nothing elsewhere. */
  progress: Progress;
}>;

const ANSWER = Symbol('answer');

/** An answer whose HTTP status differs from the declared one, or that sets headers. */
export type Answer<T> = Readonly<{
  [ANSWER]: true;
  body: T;
  status?: number;
  headers?: Readonly<Record<string, string>>;
}>;

/** Answers with another status than the declared one; MCP ignores status and headers. */
export function answer<T>(body: T, extras: { status?: number; headers?: Readonly<Record<string, string>> }): Answer<T> {
  return { [ANSWER]: true, body, ...extras };
}

/** Tells an Answer from a plain result. */
export function isAnswer<T>(value: T | Answer<T>): value is Answer<T> {
  return typeof value === 'object' && value !== null && ANSWER in value;
}
