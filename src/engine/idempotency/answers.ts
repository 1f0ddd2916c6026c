import type { Caller } from '#call/caller.ts';
import type { Answered } from '#call/ports.ts';
import { fail, isPassing } from '#kernel/errors.ts';

/** The encrypted state of a key: its request, and how far that came. */
export type Kept = Readonly<{
  hash: string;
  brands: readonly string[];
  recorded?: object;
  answer?: Answered;
}>;

/** Larger answers are not kept but rebuilt from what the work recorded. */
const LARGEST_ANSWER_BYTES = 262_144;

const HEADER = 'Idempotency-Key';

/** Whether repeats get this answer too; what a caller may do can be another the next time. */
export function isKeepable({ status, body }: Answered): boolean {
  const { error } = body as { error?: Readonly<{ code: string }> };
  if (status >= 400 && error?.code.startsWith('auth.') === true) return false;
  return !isPassing(status) && !('held' in body) && Buffer.byteLength(JSON.stringify(body)) <= LARGEST_ANSWER_BYTES;
}

/** A kept answer for a repeat: a refusal carries the current request id. */
export function replayOf(answer: Answered, requestId: string): Answered {
  return answer.status < 400 ? answer : { ...answer, body: { ...answer.body, request_id: requestId } };
}

/** Refuses the kept answer to a caller who may now see fewer brands than the first. */
export function refuseNarrowed({ brands }: Kept, { authority }: Caller): void {
  const present = authority.brands;
  if (present === undefined || (brands.length > 0 && brands.every((id) => present.includes(id)))) return;
  fail('auth.insufficient_scope', {
    message: 'This API key may see fewer brands than when the request was first made.',
  });
}

export function refuseOther(): never {
  fail('resource.conflict', {
    message: `This ${HEADER} was used with another request.`,
    next: 'Send a new key with a new request.',
    meta: { field: HEADER },
  });
}

/** Refuses a request while another with its key is running. */
export function refuseEarly(): never {
  fail('resource.conflict', {
    message: `The request with this ${HEADER} is still running.`,
    meta: { field: HEADER },
    retryAfter: 1,
  });
}
