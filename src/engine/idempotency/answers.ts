import type { Caller } from '../../call/caller.ts';
import { fail } from '../../kernel/errors.ts';

/** What a request is answered. */
export type Answered = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: object;
}>;

/** What is known of a key, sealed: which request it was for and, once that has run, what it was answered. */
export type Kept = Readonly<{
  hash: string;
  /** The brands the caller was limited to when it was answered. */
  brands?: readonly string[];
  answer?: Answered;
  /** Why there is no answer though the request has run, and the id of what it made. */
  without?: 'secret' | 'size';
  made?: string | undefined;
}>;

/** Answers above this many bytes are not kept. */
const LARGEST_ANSWER_BYTES = 262_144;

/** Refusals that say nothing about the next try. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 408, 409, 429]);
const HEADER = 'Idempotency-Key';

/** What is kept of an answer; undefined where the next request with the key is to run again. */
export function keepable(answer: Answered, hash: string, { brandIds }: Caller, secret: boolean): Kept | undefined {
  const { status, headers, body } = answer;
  if (status >= 500 || PASSING.has(status)) return undefined;
  const { id } = body as { id?: unknown };
  const made = typeof id === 'string' ? id : undefined;
  const base = { hash, brands: brandIds };
  if (secret && status < 400) return { ...base, without: 'secret', made };
  if (Buffer.byteLength(JSON.stringify(body)) > LARGEST_ANSWER_BYTES) return { ...base, without: 'size', made };
  return { ...base, answer: { status, headers, body } };
}

/** The answer that was kept, for a caller who may still see it; a refusal carries the id of the present request. */
export function keptAnswer(
  { answer, brands = [], without, made }: Kept,
  { brandIds }: Caller,
  requestId: string,
): Answered {
  const covered = brandIds.length === 0 || (brands.length > 0 && brands.every((id) => brandIds.includes(id)));
  if (!covered) {
    fail('auth.insufficient_scope', {
      message: 'This API key may see fewer brands than when the request was answered.',
    });
  }
  if (answer === undefined) {
    const why = without === 'secret' ? 'showed a secret, which is never kept' : 'was too large to be kept';
    fail('resource.conflict', {
      message: `The request with this ${HEADER} has been carried out; its answer ${why}.`,
      meta: { field: HEADER, ...(made !== undefined && { id: made }) },
    });
  }
  return answer.status < 400 ? answer : { ...answer, body: { ...answer.body, request_id: requestId } };
}

/** Refuses a key that was another request's. */
export function refuseOther(): never {
  fail('resource.conflict', {
    message: `This ${HEADER} was used with another request; a new request needs a new key.`,
    meta: { field: HEADER },
  });
}

/** Refuses a repeat that came too early. */
export function refuseEarly(): never {
  fail('resource.conflict', {
    message: `The request with this ${HEADER} is still running; repeat it in a moment.`,
    meta: { field: HEADER },
    retryAfter: 1,
  });
}
