/** Attributes of a span: numbers, and our own names and ids, but never texts, addresses or secrets. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A piece of work that is measured as one span. */
export type Spanned = Readonly<{
  name: string;
  /** `server` handles a request from outside, `client` sends one, `internal` does neither. */
  kind?: 'server' | 'client' | 'internal';
  attributes?: Attributes;
  /** Starts a new trace, even if the work was started by something that has one. */
  root?: true;
  /** The `traceparent` of the caller, whose trace is continued. */
  continues?: string | undefined;
}>;

/** A span during its work. */
export type Span = Readonly<{
  /** The `traceparent` of this span; undefined if nothing is traced. */
  traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the work as failed; not needed if the work throws. */
  fail(type: string): void;
}>;

/** Measures work as a span within the current one. */
export type Trace = <T>(what: Spanned, work: (span: Span) => Promise<T>) => Promise<T>;

const SILENT: Span = Object.freeze({ traceparent: undefined, rename() {}, set() {}, fail() {} });

/** Runs the work without measuring it, for when tracing is off. */
export const untraced: Trace = (_what, work) => work(SILENT);
