import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect } from './table.ts';

/** Mails that wait to be sent, notifications that wait to be mailed, and links for a new password. */
export const mails = Object.freeze({
  version: 44,
  name: 'mails',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'mails', {
      columns: {
        id: 'id',
        workspace_id: 'id > workspaces',
        user_id: 'id? > users',
        kind: 'text',
        sealed: 'text',
        created_at: 'int',
        expires_at: 'int',
      },
      primary: ['id'],
      indexes: { mails_workspace: '(workspace_id)', mails_user: '(user_id) where user_id is not null' },
    });
    await createTable(db, dialect, 'mail_notifications', {
      columns: {
        event_id: 'id',
        workspace_id: 'id > workspaces',
        kind: 'text',
        resource_id: 'text',
        summary: 'text',
        created_at: 'int',
      },
      primary: ['event_id'],
      indexes: { mail_notifications_workspace: '(workspace_id, event_id)' },
    });
    await createTable(db, dialect, 'password_links', {
      columns: { token_hash: 'key', user_id: 'id > users', created_at: 'int', expires_at: 'int' },
      primary: ['token_hash'],
      indexes: { password_links_user: '(user_id)', password_links_expires: '(expires_at)' },
    });
    const int = dialect === 'sqlite' ? 'integer' : 'bigint';
    await sql`alter table workspaces add column notified_at ${sql.raw(int)}`.execute(db);
    await sql`alter table users add column mailed_notifications text`.execute(db);
  },
});
