import type { Db } from '../store/tx.ts';
import type { NewRow, Row } from '../schema/database.ts';
import { livingWorkspaces } from './users.ts';

export type ConnectRow = Row<'connects'>;

export async function insertConnect(db: Db, row: NewRow<'connects'>): Promise<void> {
  await db.insertInto('connects').values(row).execute();
}

function unusedConnect(db: Db, id: string) {
  return db
    .selectFrom('connects')
    .selectAll()
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('workspace_id', 'in', livingWorkspaces(db));
}

/** Finds a connection that was neither used nor has expired. */
export function findConnect(db: Db, id: string, now: number): Promise<ConnectRow | undefined> {
  return unusedConnect(db, id).where('expires_at', '>', now).executeTakeFirst();
}

/** How many connections of an invite are open, and when the first of them expires. */
export async function countOpenConnects(
  db: Db,
  inviteId: string,
  now: number,
): Promise<Readonly<{ count: number; firstEnd: number | null }>> {
  return db
    .selectFrom('connects')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min<number | null>('expires_at').as('firstEnd')])
    .where('invite_id', '=', inviteId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
}

export async function endConnect(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('connects')
    .set({ expires_at: now })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .execute();
}

/** Finds an expired connection that the sweep has not deleted yet. */
export function findEnded(db: Db, id: string, now: number): Promise<ConnectRow | undefined> {
  return unusedConnect(db, id).where('expires_at', '<=', now).executeTakeFirst();
}

/** Makes a used connection usable again, because its use failed. */
export async function reviveConnect(db: Db, id: string): Promise<void> {
  await db.updateTable('connects').set({ used_at: null }).where('id', '=', id).execute();
}

/** Uses up a connection. Only one of several concurrent calls gets true. */
export async function useConnect(db: Db, id: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('connects')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
