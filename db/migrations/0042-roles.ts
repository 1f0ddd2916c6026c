import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect } from './table.ts';

/** Several people in one workspace: their roles, and the invitations that are open. Everybody so far is an owner. */
export const roles = Object.freeze({
  version: 42,
  name: 'roles',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await sql`alter table users add column role text not null default 'owner'`.execute(db);
    await sql`create unique index users_owner on users (workspace_id) where role = 'owner'`.execute(db);
    await createTable(db, dialect, 'invitations', {
      columns: {
        id: 'id',
        workspace_id: 'id > workspaces',
        token_hash: 'key',
        email: 'text',
        role: 'text',
        invited_by: 'id',
        created_at: 'int',
        expires_at: 'int',
      },
      primary: ['id'],
      unique: [['token_hash']],
      indexes: { invitations_workspace: '(workspace_id, created_at, id)' },
    });
  },
});
