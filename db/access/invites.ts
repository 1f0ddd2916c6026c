import { sql, type SqlBool } from 'kysely';
import type { Authority } from '#kernel/authority.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';
import { livingWorkspaces } from './users.ts';

export type InviteRow = Row<'invites'>;

export async function insertInvite(db: Db, row: NewRow<'invites'>): Promise<void> {
  await db.insertInto('invites').values(row).execute();
}

export function listInvites(db: Db, authority: Authority, brandId: string): Promise<InviteRow[]> {
  return db
    .selectFrom('invites')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('brand_id', '=', brandId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export function findInvite(db: Db, authority: Authority, id: string): Promise<InviteRow | undefined> {
  return db
    .selectFrom('invites')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('id', '=', id)
    .executeTakeFirst();
}

const living = (db: Db) => db.selectFrom('invites').selectAll().where('workspace_id', 'in', livingWorkspaces(db));

export function loadInvite(db: Db, id: string): Promise<InviteRow | undefined> {
  return living(db).where('id', '=', id).executeTakeFirst();
}

export function inviteOfToken(db: Db, hash: string): Promise<InviteRow | undefined> {
  return living(db).where('token_hash', '=', hash).executeTakeFirst();
}

export function openInvite(
  db: Db,
  authority: Authority,
  { brandId, platform }: Readonly<{ brandId: string; platform: PlatformSlug }>,
  now: number,
): Promise<InviteRow | undefined> {
  return db
    .selectFrom('invites')
    .selectAll()
    .where('workspace_id', '=', authority.workspace)
    .where('brand_id', '=', brandId)
    .where('platform', '=', platform)
    .where(stillOpen(now))
    .executeTakeFirst();
}

export function isInviteOpen({ used_at, revoked_at, expires_at }: InviteRow, now: number): boolean {
  return used_at === null && revoked_at === null && expires_at > now;
}

const stillOpen = (now: number) => sql<SqlBool>`used_at is null and revoked_at is null and expires_at > ${now}`;

/** Uses up an invite. Only one of several concurrent calls gets true. */
export async function spendInvite(db: Db, id: string, accountId: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('invites')
    .set({ used_at: now, account_id: accountId })
    .where('id', '=', id)
    .where(stillOpen(now))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** False if the invite had already been used or had ended. */
export async function endInvite(db: Db, id: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('invites')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where(stillOpen(now))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function endInvitesTo(db: Db, authority: Authority, brandId: string, now: number): Promise<void> {
  await db
    .updateTable('invites')
    .set({ revoked_at: now })
    .where('workspace_id', '=', authority.workspace)
    .where('brand_id', '=', brandId)
    .where(stillOpen(now))
    .execute();
}
