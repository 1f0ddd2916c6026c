import { loadMessage } from '#db/inbox/messages.ts';
import { holdSend, patchSend, recentSends, type SendRow } from '#db/inbox/sends.ts';
import type { PartState, SendError } from '#db/schema/database.ts';
import type { Db, Tx } from '#db/store/tx.ts';
import { ApiError, type ErrorMeta } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** When the last part was sent that may have taken effect. */
export function lastSent(parts: readonly PartState[]): number | undefined {
  return parts.findLast(({ sent_at }) => sent_at !== undefined)?.sent_at;
}

export const isMade = ({ made }: PartState): boolean => made !== undefined;

/** Whether a part has taken effect, or may have. */
export const mayHaveEffect = (part: PartState): boolean => isMade(part) || part.sent_at !== undefined;

/** How long before a part was sent things were made that may look like it: clocks differ, and times are cut short. */
const ALIKE_MS = 600_000;

/** A part of a send of an account, and when it was sent. */
export type Lookup = Readonly<{ accountId: string; id: string; index: number; sentAt: number }>;

/** The platform's ids of what other sends of the account made about that time, and other parts of the same one. */
export async function takenIds(db: Db, { accountId, id, index, sentAt }: Lookup): Promise<ReadonlySet<string>> {
  const rows = await recentSends(db, accountId, sentAt - ALIKE_MS);
  const others = rows.flatMap((row) => row.parts.filter((_, at) => row.id !== id || at !== index));
  return new Set(others.map(({ made }) => idOfMade(made)).filter((made) => made !== undefined));
}

/** Whether a found item belongs to another send, by its id or its correlation id. */
export async function isTaken(db: Db, wanted: Lookup, made: unknown): Promise<boolean> {
  const found = idOfMade(made);
  if (found === undefined) return false;
  if ((await takenIds(db, wanted)).has(found)) return true;
  const stored = await loadMessage(db, wanted.accountId, found);
  const correlationId = stored?.metadata['mark'];
  return correlationId !== undefined && correlationId !== correlationIdOf(wanted.id, wanted.index);
}

/** Messages and comments have ids of their own; an answer to a review has that of the review on some platforms. */
function idOfMade(made: unknown): string | undefined {
  const { message_id, comment_id } = (made ?? {}) as { message_id?: string; comment_id?: string };
  return message_id ?? comment_id;
}

/** The correlation id of a part of a send, for platforms that return one. */
export function correlationIdOf(sendId: string, part: number): string {
  return `${sendId}.${part}`;
}

/**
 * A message that bears our mark has been seen: the part that made it needs no answer any more. True when the part was
 * waiting for one.
 */
export async function settleByCorrelationId(
  tx: Tx,
  seen: Readonly<{ accountId: string; correlationId: string; messageId: string; now: number }>,
): Promise<boolean> {
  const waiting = await findWaiting(tx, seen);
  if (waiting === undefined) return false;
  const { row, index } = waiting;
  const parts = [...row.parts];
  parts[index] = { ...parts[index], made: { message_id: seen.messageId } };
  // Whoever works on the send ends it; when nobody does, and this was all that was open, it is over.
  const over = row.status === 'unknown' && parts.every(isMade);
  await patchSend(tx.db, row.id, {
    parts,
    // Whoever asked was told that nobody knows.
    ...(over && { status: 'done', error: null, unheard: 1 }),
    updated_at: seen.now,
  });
  return true;
}

type Correlated = Readonly<{ accountId: string; correlationId: string }>;

/** The part of a send with a correlation id, while its result is not known. */
async function findWaiting(
  { db, dialect }: Tx,
  { accountId, correlationId }: Correlated,
): Promise<Readonly<{ row: SendRow; index: number }> | undefined> {
  const [, id, part] = /^(snd_[0-9a-z]+)\.(\d{1,3})$/.exec(correlationId) ?? [];
  const row = id === undefined ? undefined : await holdSend(db, dialect, id);
  if (row === undefined || row.account_id !== accountId) return undefined;
  const index = Number(part);
  const known = row.parts[index];
  return known?.sent_at === undefined || isMade(known) ? undefined : { row, index };
}

/** The same part, as it is stored. */
export async function waitingPart(tx: Tx, correlated: Correlated): Promise<PartState | undefined> {
  const waiting = await findWaiting(tx, correlated);
  return waiting?.row.parts[waiting.index];
}

/** How a failure is written down, so that every process answers the same. */
export function storedError({ code, message, detail }: ApiError): SendError {
  return {
    code,
    message,
    ...(detail.next !== undefined && { next: detail.next }),
    ...(detail.meta && { meta: detail.meta }),
    ...(detail.retryAfter !== undefined && { retry_after: detail.retryAfter }),
  };
}

/** The same failure, with the ids of what was made before it. */
export function withIds({ code, message, detail }: ApiError, message_ids: readonly string[]): ApiError {
  return new ApiError(code, { ...detail, message, meta: { ...detail.meta, message_ids } });
}

/** The failure of a send whose end nobody knows; `isSettled` where a repeat settles it, `said` is the platform's answer. */
export function unknownResultError(
  platform: PlatformSlug,
  id: string,
  { isSettled = true, said = {} }: Readonly<{ isSettled?: boolean; said?: ErrorMeta | undefined }> = {},
): ApiError {
  const message = 'The platform did not say whether this was sent.';
  const next = isSettled
    ? 'Send the same again: it is looked for first, and sent only if it is not there.'
    : 'Look there; if it is not there, send it with another Idempotency-Key.';
  return new ApiError(`platform.${platform}.api_error`, { message, next, meta: { id, ...said } });
}

/** The failure a send ended with. */
export function errorOf({ error }: SendRow): ApiError {
  const { code, message, next, meta, retry_after }: SendError = error ?? { code: 'system.internal' };
  return new ApiError(code, {
    message,
    next,
    ...(meta && { meta }),
    ...(retry_after !== undefined && { retryAfter: retry_after }),
  });
}
