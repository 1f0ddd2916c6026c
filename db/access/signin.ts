import type { Authority } from '#kernel/authority.ts';
import { ADMINISTRATORS } from '#kernel/people/roles.ts';
import { hold } from '../store/dialect.ts';
import type { Db, Tx } from '../store/tx.ts';
import { WORKSPACE_COLUMNS, type NewRow, type Row, type RowPatch } from '../schema/database.ts';

export type InvitationRow = Row<'invitations'>;
/** An invitation with the name of the person who made it. */
export type OpenInvitation = InvitationRow & Readonly<{ inviter: string }>;

/** A valid session with its user and workspace. */
export function presentedSession(db: Db, slot: { id: string; now: number }) {
  return db
    .selectFrom('web_sessions')
    .innerJoin('users', 'users.id', 'web_sessions.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .where('web_sessions.id', '=', slot.id)
    .where('web_sessions.expires_at', '>', slot.now)
    .where('users.disabled_at', 'is', null)
    .select([
      'web_sessions.id',
      'web_sessions.user_id',
      'web_sessions.created_at',
      'web_sessions.expires_at',
      'users.email',
      'users.name',
      'users.workspace_id',
      'users.role',
      ...WORKSPACE_COLUMNS,
    ]);
}

export async function insertSession(db: Db, row: NewRow<'web_sessions'>): Promise<void> {
  await db.insertInto('web_sessions').values(row).execute();
}

/** Extends a session unless it has ended. */
export async function prolongSession(db: Db, id: string, expiresAt: number): Promise<void> {
  await db.updateTable('web_sessions').set({ expires_at: expiresAt }).where('id', '=', id).execute();
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('web_sessions').where('id', '=', id).execute();
}

export async function deleteSessionsOf(db: Db, userId: string, except?: string): Promise<void> {
  const sessions = db.deleteFrom('web_sessions').where('user_id', '=', userId);
  await (except === undefined ? sessions : sessions.where('id', '!=', except)).execute();
}

export function listSessions(db: Db, userId: string, now: number): Promise<Row<'web_sessions'>[]> {
  return db
    .selectFrom('web_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .execute();
}

export async function sweepSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom('web_sessions').where('expires_at', '<=', now).execute();
}

export async function insertSetupLink(db: Db, id: string, expiresAt: number): Promise<void> {
  await db.insertInto('setup_links').values({ id, expires_at: expiresAt }).execute();
}

export async function isSetupLink(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('setup_links')
    .select('id')
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses up all setup links. Only one of several concurrent calls gets true. */
export async function spendSetupLinks(db: Db, id: string, now: number): Promise<boolean> {
  const rows = await db.deleteFrom('setup_links').returning(['id', 'expires_at']).execute();
  return rows.some((row) => row.id === id && row.expires_at > now);
}

export async function sweepSetupLinks(db: Db, now: number): Promise<void> {
  await db.deleteFrom('setup_links').where('expires_at', '<=', now).execute();
}

export async function insertInvitation(db: Db, row: NewRow<'invitations'>): Promise<void> {
  await db.insertInto('invitations').values(row).execute();
}

/** Invitations that can be accepted: as long as the person who made one is an administrator and not disabled. */
function openInvitations(db: Db, now: number) {
  return db
    .selectFrom('invitations')
    .innerJoin('users as inviter', (join) =>
      join
        .onRef('inviter.id', '=', 'invitations.invited_by')
        .onRef('inviter.workspace_id', '=', 'invitations.workspace_id')
        .on('inviter.role', 'in', ADMINISTRATORS)
        .on('inviter.disabled_at', 'is', null),
    )
    .selectAll('invitations')
    .select('inviter.name as inviter')
    .where('invitations.expires_at', '>', now);
}

/** The open invitations of a workspace, oldest first. */
export function listInvitations(db: Db, { workspace }: Authority, now: number): Promise<OpenInvitation[]> {
  return openInvitations(db, now)
    .where('invitations.workspace_id', '=', workspace)
    .orderBy('invitations.created_at')
    .orderBy('invitations.id')
    .execute();
}

/** The open invitation of a token; a removed workspace has none, as its people are gone. */
export function findInvitation(db: Db, hash: string, now: number): Promise<OpenInvitation | undefined> {
  return openInvitations(db, now).where('invitations.token_hash', '=', hash).executeTakeFirst();
}

/** Deletes an invitation; undefined if it is gone. */
export function takeInvitation(
  db: Db,
  { workspace_id, id }: Pick<InvitationRow, 'workspace_id' | 'id'>,
): Promise<InvitationRow | undefined> {
  return db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes the open invitations that a person made. */
export async function endInvitationsOf(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('invitations').where('invited_by', '=', userId).execute();
}

export async function sweepInvitations(db: Db, now: number): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute();
}

export async function insertPasswordLink(db: Db, row: NewRow<'password_links'>): Promise<void> {
  await db.insertInto('password_links').values(row).execute();
}

/** Whose link for a new password it is, as long as it works. */
export function findByPasswordLink(db: Db, hash: string, now: number): Promise<Row<'users'> | undefined> {
  return db
    .selectFrom('password_links')
    .innerJoin('users', 'users.id', 'password_links.user_id')
    .selectAll('users')
    .where('password_links.token_hash', '=', hash)
    .where('password_links.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** How many links for a new password a person has that still work. */
export async function countPasswordLinks(db: Db, userId: string, now: number): Promise<number> {
  const { n } = await db
    .selectFrom('password_links')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return n;
}

/** Uses up a link for a new password. Only one of several concurrent calls gets true. */
export async function takePasswordLink(db: Db, hash: string, now: number): Promise<boolean> {
  const result = await db
    .deleteFrom('password_links')
    .where('token_hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Makes all links of a person for a new password invalid. */
export async function endPasswordLinksOf(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('password_links').where('user_id', '=', userId).execute();
}

/** Deletes expired links for a new password; returns how many. */
export async function sweepPasswordLinks(db: Db, now: number): Promise<number> {
  const result = await db.deleteFrom('password_links').where('expires_at', '<=', now).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Sets a user's first password; false if the user already has one. */
export async function setFirstPassword(db: Db, userId: string, patch: RowPatch<'users'>): Promise<boolean> {
  const result = await db
    .updateTable('users')
    .set(patch)
    .where('id', '=', userId)
    .where('password_hash', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Replaces the password that was checked; false if it has changed in the meantime. */
export async function replacePassword(db: Db, userId: string, checked: string, hash: string): Promise<boolean> {
  const result = await db
    .updateTable('users')
    .set({ password_hash: hash })
    .where('id', '=', userId)
    .where('password_hash', '=', checked)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** A person who can sign in with a password, who stays so until the transaction ends; undefined for anybody else. */
export function holdPasswordOwner({ db, dialect }: Tx, userId: string): Promise<Row<'users'> | undefined> {
  return hold(
    dialect,
    db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', userId)
      .where('password_hash', 'is not', null)
      .where('disabled_at', 'is', null),
  ).executeTakeFirst();
}

/** Whether the checked password is current and its user enabled; neither can change until the transaction ends. */
export async function holdPassword({ db, dialect }: Tx, userId: string, checked: string): Promise<boolean> {
  const row = await hold(
    dialect,
    db
      .selectFrom('users')
      .select('id')
      .where('id', '=', userId)
      .where('password_hash', '=', checked)
      .where('disabled_at', 'is', null),
  ).executeTakeFirst();
  return row !== undefined;
}
