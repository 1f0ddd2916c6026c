import { holdAccount, type AccountRow } from '../../../db/accounts.ts';
import { patchInboxAccount } from '../../../db/inbox-accounts.ts';
import type { Store } from '../../../db/store.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Fact } from '../../platforms/inbox.ts';
import { record } from './record.ts';
import type { How } from './recording.ts';

/** How many facts one transaction records: it must not keep others waiting. */
const CHUNK = 100;

/** Facts in pieces of a size that one transaction may have; at least one piece, which may be empty. */
export function chunksOf<T>(facts: readonly T[]): readonly (readonly T[])[] {
  const chunks = [];
  for (let at = 0; at < facts.length; at += CHUNK) chunks.push(facts.slice(at, at + CHUNK));
  return chunks.length === 0 ? [[]] : chunks;
}

/**
 * Records what was read of an account; `last` is written with the last of it, as what it says (how far it was read) is
 * only true then. False when the account is gone.
 */
export async function takeIn(
  store: Store,
  account: Pick<AccountRow, 'id'>,
  facts: readonly Fact[],
  how: How,
  last: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const chunks = chunksOf(facts);
  for (const [index, chunk] of chunks.entries()) {
    const taken = await store.write(async (tx) => {
      if (!(await record(tx, account, chunk, how))) return false;
      if (index === chunks.length - 1) await last(tx);
      return true;
    });
    if (!taken) return false;
  }
  return true;
}

/** Writes how far the inbox of an account is read, unless the account is gone. */
export async function note(
  store: Store,
  accountId: string,
  patch: Parameters<typeof patchInboxAccount>[2],
  more: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await store.write(async (tx) => {
    const account = await holdAccount(tx.db, tx.dialect, accountId);
    if (account === undefined) return;
    await patchInboxAccount(tx.db, account, patch);
    await more(tx);
  });
}
