import type { Caller } from '#call/caller.ts';
import { fail, isPassing } from '#kernel/errors.ts';

/** What a request is answered. */
export type Answered = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: object;
}>;

/** What is known of a key, sealed: which request it is for, and how far that came. */
export type Kept = Readonly<{
  hash: string;
  /** The brands its caller was limited to. */
  brands: readonly string[];
  /** What its work has recorded. */
  recorded?: object;
  /** What it was answered. */
  answer?: Answered;
}>;

/** Answers above this many bytes are not kept: they are made anew from what the work recorded. */
const LARGEST_ANSWER_BYTES = 262_144;

const HEADER = 'Idempotency-Key';

/** Whether an answer is the one that repeats get too. */
export function isKeepable({ status, body }: Answered): boolean {
  return !isPassing(status) && Buffer.byteLength(JSON.stringify(body)) <= LARGEST_ANSWER_BYTES;
}

/** A kept answer for a repeat: a refusal carries the id of the present request. */
export function replayOf(answer: Answered, requestId: string): Answered {
  return answer.status < 400 ? answer : { ...answer, body: { ...answer.body, request_id: requestId } };
}

/** Refuses the stored answer to a caller who may see fewer brands now than the original request. */
export function refuseNarrowed({ brands }: Kept, { authority }: Caller): void {
  const present = authority.brands;
  if (present === undefined || (brands.length > 0 && brands.every((id) => present.includes(id)))) return;
  fail('auth.insufficient_scope', {
    message: 'This API key may see fewer brands than when the request was first made.',
  });
}

/** Refuses a key that was another request's. */
export function refuseOther(): never {
  fail('resource.conflict', {
    message: `This ${HEADER} was used with another request.`,
    next: 'Send a new key with a new request.',
    meta: { field: HEADER },
  });
}

/** Refuses a request while another one with its key runs. */
export function refuseEarly(): never {
  fail('resource.conflict', {
    message: `The request with this ${HEADER} is still running.`,
    meta: { field: HEADER },
    retryAfter: 1,
  });
}
