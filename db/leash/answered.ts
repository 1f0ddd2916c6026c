import type { NewRow } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

type Claimed = NewRow<'answered'>;
type Claim = Omit<Claimed, 'workspace_id'>;

/** The digest of a released claim, whose item can be claimed again. */
const FREE = '';

/**
 * Claims an inbox item for one answer of a connection, or returns the claim if the same answer has it. Undefined if
 * another answer has it. `at` identifies a claim among all claims of the item.
 */
export async function claimItem(db: Db, row: Claimed): Promise<{ at: number; isNew: boolean } | undefined> {
  const { connection_id, item, digest, at } = row;
  const claim = () =>
    db
      .selectFrom('answered')
      .select(['digest', 'at'])
      .where('connection_id', '=', connection_id)
      .where('item', '=', item)
      .executeTakeFirst();
  const before = await claim();
  if (before?.digest === digest) return { at: before.at, isNew: false };
  const later = Math.max(at, (before?.at ?? 0) + 1);
  const taken = await db
    .insertInto('answered')
    .values({ ...row, at: later })
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'item'])
        .doUpdateSet({ digest, at: later })
        .where('answered.digest', '=', FREE),
    )
    .returning('at')
    .executeTakeFirst();
  if (taken) return { at: taken.at, isNew: true };
  // Another process was faster, perhaps with the same answer.
  const faster = await claim();
  return faster?.digest === digest ? { at: faster.at, isNew: false } : undefined;
}

/** The latest item that a connection has claimed for this answer after `since`. */
export function claimedFor(
  db: Db,
  { connection, digest, since }: Readonly<{ connection: string; digest: string; since: number }>,
): Promise<{ item: string; at: number } | undefined> {
  return db
    .selectFrom('answered')
    .select(['item', 'at'])
    .where('connection_id', '=', connection)
    .where('digest', '=', digest)
    .where('at', '>', since)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Whether the claim is still held. */
export async function isClaimed(db: Db, { connection_id, item, digest, at }: Claim): Promise<boolean> {
  const row = await db
    .selectFrom('answered')
    .select('at')
    .where('connection_id', '=', connection_id)
    .where('item', '=', item)
    .where('digest', '=', digest)
    .where('at', '=', at)
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases a claim, so that another answer can take the item. */
export async function releaseItem(db: Db, { connection_id, item, digest, at }: Claim): Promise<void> {
  await db
    .updateTable('answered')
    .set({ digest: FREE })
    .where('connection_id', '=', connection_id)
    .where('item', '=', item)
    .where('digest', '=', digest)
    .where('at', '=', at)
    .execute();
}

/** Deletes claims from before `before`; returns how many. */
export async function sweepClaims(db: Db, before: number): Promise<number> {
  return Number((await db.deleteFrom('answered').where('at', '<', before).executeTakeFirst()).numDeletedRows);
}
