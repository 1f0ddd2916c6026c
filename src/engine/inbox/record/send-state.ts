import { loadMessage } from '#db/inbox/messages.ts';
import { holdSend, patchSend, recentSends, type SendRow } from '#db/inbox/sends.ts';
import type { PartState, SendError } from '#db/schema/database.ts';
import type { Db, Tx } from '#db/store/tx.ts';
import { ApiError, type ErrorMeta } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** When the last part that may have taken effect was sent. */
export function lastSent(parts: readonly PartState[]): number | undefined {
  return parts.findLast(({ sent_at }) => sent_at !== undefined)?.sent_at;
}

export const isMade = ({ made }: PartState): boolean => made !== undefined;

export const mayHaveEffect = (part: PartState): boolean => isMade(part) || part.sent_at !== undefined;

/** How long before a send other sends are compared, because clocks differ and times are rounded. */
const ALIKE_MS = 600_000;

export type Lookup = Readonly<{ accountId: string; id: string; index: number; sentAt: number }>;

/** Platform ids that the account's other sends and parts created around that time. */
export async function takenIds(db: Db, { accountId, id, index, sentAt }: Lookup): Promise<ReadonlySet<string>> {
  const rows = await recentSends(db, accountId, sentAt - ALIKE_MS);
  const others = rows.flatMap((row) => row.parts.filter((_, at) => row.id !== id || at !== index));
  return new Set(others.map(({ made }) => idOfMade(made)).filter((made) => made !== undefined));
}

/** Whether an item that was found belongs to another send, according to its id or correlation id. */
export async function isTaken(db: Db, wanted: Lookup, made: unknown): Promise<boolean> {
  const found = idOfMade(made);
  if (found === undefined) return false;
  if ((await takenIds(db, wanted)).has(found)) return true;
  const stored = await loadMessage(db, wanted.accountId, found);
  const correlationId = stored?.metadata['mark'];
  return correlationId !== undefined && correlationId !== correlationIdOf(wanted.id, wanted.index);
}

/** Review replies are left out: on some platforms they have the id of the review. */
function idOfMade(made: unknown): string | undefined {
  const { message_id, comment_id } = (made ?? {}) as { message_id?: string; comment_id?: string };
  return message_id ?? comment_id;
}

/** The correlation id of a part, for platforms that send it back. */
export function correlationIdOf(sendId: string, part: number): string {
  return `${sendId}.${part}`;
}

/** Settles a part whose correlation id the platform reported; true if its result was unknown. */
export async function settleByCorrelationId(
  tx: Tx,
  seen: Readonly<{ accountId: string; correlationId: string; messageId: string; now: number }>,
): Promise<boolean> {
  const waiting = await findWaiting(tx, seen);
  if (waiting === undefined) return false;
  const { row, index } = waiting;
  const parts = [...row.parts];
  parts[index] = { ...parts[index], made: { message_id: seen.messageId } };
  // A running worker ends the send itself. Without one, the send may now be complete.
  const over = row.status === 'unknown' && parts.every(isMade);
  await patchSend(tx.db, row.id, {
    parts,
    // The caller's last response was that the outcome is unknown.
    ...(over && { status: 'done', error: null, unheard: 1 }),
    updated_at: seen.now,
  });
  return true;
}

type Correlated = Readonly<{ accountId: string; correlationId: string }>;

/** Finds the part with a correlation id if its result is still unknown. */
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

export async function waitingPart(tx: Tx, correlated: Correlated): Promise<PartState | undefined> {
  const waiting = await findWaiting(tx, correlated);
  return waiting?.row.parts[waiting.index];
}

/** A failure as it is stored, so that every process returns the same error. */
export function storedError({ code, message, detail }: ApiError): SendError {
  return {
    code,
    message,
    ...(detail.next !== undefined && { next: detail.next }),
    ...(detail.meta && { meta: detail.meta }),
    ...(detail.retryAfter !== undefined && { retry_after: detail.retryAfter }),
  };
}

/** Adds the ids of messages that were sent before the failure. */
export function withIds({ code, message, detail }: ApiError, message_ids: readonly string[]): ApiError {
  return new ApiError(code, { ...detail, message, meta: { ...detail.meta, message_ids } });
}

/** The error for an unknown outcome: `isSettled` if a repeat can find it out, `said` is what the platform returned. */
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

export function errorOf({ error }: SendRow): ApiError {
  const { code, message, next, meta, retry_after }: SendError = error ?? { code: 'system.internal' };
  return new ApiError(code, {
    message,
    next,
    ...(meta && { meta }),
    ...(retry_after !== undefined && { retryAfter: retry_after }),
  });
}
