import type { Act } from '#kernel/acts.ts';
import type { Caller } from './caller.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';

export type Progress = (done: number, total: number, message: string) => void;

/** Throws if the limits of a call do not allow an act. */
type Permit = (act: Act) => void;

/** Everything that belongs to one call, whichever facade it came through. */
export type Call = Readonly<{
  caller: Caller;
  workspace: Workspace;
  authority: Authority;
  requestId: string;
  /** Set if the call comes from a form on a page. */
  page?: true | undefined;
  /** Times without an offset are read in this timezone; without one they are refused. */
  timezone?: string | undefined;
  /** Aborts when the client disconnects. An effect that has begun is completed; only waiting for its outcome ends. */
  disconnectSignal(): AbortSignal;
  /** Reports progress to an MCP client that requested it; does nothing elsewhere. */
  progress: Progress;
  /**
   * Call before any effect if stored data makes a call a heavier act than its input shows. Throws the error that the
   * caller receives if the limits do not allow it.
   */
  permit: Permit;
  /**
   * The versions of posts that a person saw when they approved the call. A post with any other version is not changed.
   */
  seen?: ReadonlyMap<string, string> | undefined;
}>;

const ANSWER = Symbol('answer');

/** An answer whose HTTP status differs from the declared one, or that sets headers. */
export type Answer<T> = Readonly<{
  [ANSWER]: true;
  body: T;
  status?: number;
  headers?: Readonly<Record<string, string>>;
}>;

export function answer<T>(body: T, extras: { status?: number; headers?: Readonly<Record<string, string>> }): Answer<T> {
  return { [ANSWER]: true, body, ...extras };
}

const STREAM = Symbol('stream');

/** One part of a stream: a record under its id or, with a name, a notice about the stream itself. */
export type StreamPart<T> =
  | Readonly<{ id: string; event?: undefined; data: T }>
  | Readonly<{ event: string; data: Readonly<Record<string, unknown>> }>;

/** A result that continues until either side ends it; the next part is read once the last one is sent. */
export type Stream<T> = Readonly<{
  [STREAM]: true;
  /** An empty list is a keep-alive, undefined ends the stream. */
  next(): Promise<readonly StreamPart<T>[] | undefined>;
  /** Must be called however the stream ends. */
  close(): void;
}>;

export function streaming<T>(stream: Omit<Stream<T>, typeof STREAM>): Stream<T> {
  return Object.freeze({ [STREAM]: true, ...stream });
}

export function isStream(value: object): value is Stream<unknown> {
  return STREAM in value;
}

export function isAnswer<T>(value: T | Answer<T>): value is Answer<T> {
  return typeof value === 'object' && value !== null && ANSWER in value;
}
