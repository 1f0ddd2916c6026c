/** What a span says of itself: numbers, and names and ids of ours; never a text, an address or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Work that is measured as one span. */
export type Spanned = Readonly<{
  name: string;
  /** `server` is asked by others, `client` asks others, `internal` is neither. */
  kind?: 'server' | 'client' | 'internal';
  attributes?: Attributes;
  /** The work has its own trace, although something else started it. */
  root?: true;
  /** The `traceparent` of a caller whose trace is continued. */
  continues?: string | undefined;
}>;

/** A span while its work goes on. */
export type Span = Readonly<{
  /** `traceparent` of this span; undefined where nothing is traced. */
  traceparent: string | undefined;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** The work failed; what it throws says so by itself. */
  fail(type: string): void;
}>;

/** Measures work as a span inside the one that is going on. */
export type Trace = <T>(what: Spanned, work: (span: Span) => Promise<T>) => Promise<T>;

const SILENT: Span = Object.freeze({ traceparent: undefined, rename() {}, set() {}, fail() {} });

/** Only does the work: where no traces are wanted. */
export const untraced: Trace = (_what, work) => work(SILENT);
