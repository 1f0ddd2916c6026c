import { forPeople } from '#kernel/people/sentences.ts';
import type { Session } from './frame/session.ts';
import { ROUTES, type Answer, type Input, type OperationName } from './operations.ts';
import { withLocalTimes } from './time.ts';

/** The base path of operations for pages. */
export const BASE = '/dashboard/v1';

type Refusal = Readonly<{ code: string; message: string; request_id: string; meta?: Record<string, unknown> }>;

/** Refusals after which a repeat may still be carried out. */
const UNSETTLED: ReadonlySet<number> = new Set([401, 408, 429]);

/** A refusal, with the server's message. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  /** Details of the refusal, such as the id of a post. */
  readonly meta: Readonly<Record<string, unknown>>;
  constructor(status: number, { code, message, request_id, meta = {} }: Refusal) {
    super(forPeople(message));
    this.status = status;
    this.code = code;
    this.requestId = request_id;
    this.meta = meta;
  }

  /** Whether the request is settled: nothing was done, and the next one needs a new key. */
  get isFinal(): boolean {
    const isAboutKey = this.status === 409 && this.meta['field'] === 'Idempotency-Key';
    return this.status < 500 && !UNSETTLED.has(this.status) && !isAboutKey;
  }
}

/** Whether the object of a request does not exist. */
export const isGone = (error: unknown): boolean => error instanceof RefusedError && error.status === 404;

/** Whether it is certain that a request did nothing. */
export const isFinal = (error: unknown): boolean => error instanceof RefusedError && error.isFinal;

/** A server message without its hints for programs, and with times in the given timezone. */
export const messageForPeople = (message: string, zone: string): string => forPeople(withLocalTimes(message, zone));

/** The refusal in a response body, with times in the given timezone. */
export function refusalOf(status: number, answer: unknown, zone: string): RefusedError {
  const { error, request_id } = answer as { error: Omit<Refusal, 'request_id'>; request_id: string };
  return new RefusedError(status, { ...error, request_id, message: withLocalTimes(error.message, zone) });
}

/** Calls an operation. `key` is the Idempotency-Key, created when the person pressed the button. */
export type Call = <N extends OperationName>(name: N, input: Input<N>, key?: string) => Promise<Answer<N>>;

type CallDeps = Readonly<{ zone: string; fetch: Session['fetch'] }>;

/** Returns a function that calls operations in a page's session. */
export function makeCall({ zone, fetch }: CallDeps): Call {
  return async (name, input, key) => {
    const { method, path, body } = requestOf(name, input);
    const request = {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const { status, ok, answer } = await answerTo(() => fetch(BASE + path, request));
    if (ok) return answer as never;
    throw refusalOf(status, answer, zone);
  };
}

/** The answer to a request. A browser's own words about a lost one, or a proxy's page in its place, are not for people. */
async function answerTo(ask: () => Promise<Response>) {
  try {
    const response = await ask();
    return { status: response.status, ok: response.ok, answer: (await response.json()) as unknown };
  } catch {
    throw new Error('No answer came from the server. Check your connection, then try again.');
  }
}

/** The request for a call. Fields that are not in the path go to the query or the body. */
export function requestOf(name: OperationName, input: object) {
  const [method = '', pattern = ''] = ROUTES[name].split(' ');
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = encodeURIComponent(String(rest.get(field)));
    rest.delete(field);
    return value;
  });
  if (method !== 'GET') return { method, path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(
    [...rest].flatMap(([field, value]) => [value].flat().map((one) => [field, String(one)])),
  );
  return { method, path: query.size === 0 ? path : `${path}?${query}` };
}

/** How long the server remembers an Idempotency-Key. */
export const KNOWN_MS = 24 * 3_600_000;

const KEY_BYTES = 16;

/** A key for one press of a button. `crypto.randomUUID` is not used, as browsers offer it only over https. */
export const pressKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
