import { holdAccount, type AccountRow } from '#db/access/accounts.ts';
import { loadInboxAccount, patchInboxAccount } from '#db/inbox/accounts.ts';
import { isSameJson } from '#db/store/json.ts';
import type { Store } from '#db/store/store.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { recordHeld } from '../record/record.ts';
import type { RecordOptions } from '../record/recording.ts';

/** Events per transaction; larger transactions would block other writers for too long. */
export const CHUNK = 100;

type Patch = Parameters<typeof patchInboxAccount>[2];

/** The cursor a batch was read from, the state to store afterwards, and the older items found by a first poll. */
export type BatchProgress = Readonly<{
  column: 'poll_cursor' | 'history_cursor';
  from: unknown;
  last: Patch;
  baseline?: readonly InboundEvent[] | undefined;
}>;

/** Stores a batch and its cursor; `passed` if the cursor has changed since, `gone` if the account was removed. */
export async function storeBatch(
  store: Store,
  { id, connected_at }: Pick<AccountRow, 'id' | 'connected_at'>,
  events: readonly InboundEvent[],
  how: RecordOptions,
  { column, from, last, baseline = [] }: BatchProgress,
): Promise<'kept' | 'passed' | 'gone'> {
  // Without events, the cursor is still stored.
  const chunks = events.length === 0 ? [[]] : chunksOf(events, CHUNK);
  for (const [index, chunk] of chunks.entries()) {
    const taken = await store.write(async (tx) => {
      const account = await holdAccount(tx.db, tx.dialect, id);
      if (account === undefined) return 'gone';
      const stored = await loadInboxAccount(tx.db, id);
      if (account.connected_at !== connected_at || !isSameJson(stored?.[column], from)) return 'passed';
      await recordHeld(tx, account, chunk, how);
      if (index < chunks.length - 1) return 'kept';
      // Items found by a first poll are stored with the first cursor; older ones never emit events.
      if (baseline.length > 0)
        await recordHeld(tx, account, baseline, { now: how.now, silent: true, baseline: true, since: connected_at });
      await patchInboxAccount(tx.db, account, last);
      return 'kept';
    });
    if (taken !== 'kept') return taken;
  }
  return 'kept';
}

/** Stores how far an account's inbox has been read. */
export async function patchProgress(store: Store, accountId: string, patch: Patch): Promise<void> {
  await store.write(async (tx) => {
    const account = await holdAccount(tx.db, tx.dialect, accountId);
    if (account !== undefined) await patchInboxAccount(tx.db, account, patch);
  });
}
