import type { Caller } from '#call/caller.ts';
import type { Answered } from '#call/ports.ts';
import { fail, isPassing } from '#kernel/errors.ts';

/** What is stored encrypted for a key: its request, and how far the work has come. */
export type Kept = Readonly<{
  hash: string;
  brands: readonly string[];
  recorded?: object;
  answer?: Answered;
}>;

/** Larger responses are not stored; repeats rebuild them from what the work recorded. */
const LARGEST_ANSWER_BYTES = 262_144;

const HEADER = 'Idempotency-Key';

/** Whether repeats get this response too; refused access is checked again, as it may have changed. */
export function isKeepable({ status, body }: Answered): boolean {
  const { error } = body as { error?: Readonly<{ code: string }> };
  if (status >= 400 && error?.code.startsWith('auth.') === true) return false;
  return !isPassing(status) && !('held' in body) && Buffer.byteLength(JSON.stringify(body)) <= LARGEST_ANSWER_BYTES;
}

/** A stored response for a repeat; a refusal carries the id of the current request. */
export function replayOf(answer: Answered, requestId: string): Answered {
  return answer.status < 400 ? answer : { ...answer, body: { ...answer.body, request_id: requestId } };
}

/** Refuses the stored response if the caller may see fewer brands than when it was made. */
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

/** Refuses a request while another with the same key is running. */
export function refuseEarly(): never {
  fail('resource.conflict', {
    message: `The request with this ${HEADER} is still running.`,
    meta: { field: HEADER },
    retryAfter: 1,
  });
}
