import type { Caller } from './caller.ts';
import type { Authority, Workspace } from '../kernel/authority.ts';

/** Tells a waiting client how far the work is. */
export type Progress = (done: number, total: number, message: string) => void;

/** Everything that belongs to one call, whichever facade it came through. */
export type Call = Readonly<{
  caller: Caller;
  workspace: Workspace;
  authority: Authority;
  requestId: string;
  /** Times without an offset are read in it; where there is none, they are refused. */
  timezone?: string | undefined;
  /** Ends when the client is gone; for reads only, an effect once begun goes on (rulings 1.12). */
  signal: AbortSignal;
  /** Ends when the client is gone, whatever the call does: for what wants to know whether its answer was heard. */
  gone: AbortSignal;
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

const STREAM = Symbol('stream');

/** One thing that is told: a record under its id, or, with a name of its own, something about the stream itself. */
export type StreamPart<T> =
  | Readonly<{ id: string; event?: undefined; data: T }>
  | Readonly<{ event: string; data: Readonly<Record<string, unknown>> }>;

/** An answer that goes on until one side ends it; it is asked for more when what it told last is on its way. */
export type Stream<T> = Readonly<{
  [STREAM]: true;
  /** What is to be told next; nothing at all only says that the stream is alive, and undefined that it is over. */
  next(): Promise<readonly StreamPart<T>[] | undefined>;
  /** To be called however the stream ends. */
  close(): void;
}>;

/** Makes an answer that goes on. */
export function streaming<T>(stream: Omit<Stream<T>, typeof STREAM>): Stream<T> {
  return Object.freeze({ [STREAM]: true, ...stream });
}

/** Tells a Stream from a plain result. */
export function isStream(value: object): value is Stream<unknown> {
  return STREAM in value;
}

/** Tells an Answer from a plain result. */
export function isAnswer<T>(value: T | Answer<T>): value is Answer<T> {
  return typeof value === 'object' && value !== null && ANSWER in value;
}
