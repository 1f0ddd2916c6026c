import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  web_sessions: {
    columns: { id: 'key', user_id: 'id > users', created_at: 'int', expires_at: 'int' },
    primary: ['id'],
    indexes: { web_sessions_user: '(user_id)', web_sessions_expiry: '(expires_at)' },
  },
  setup_links: { columns: { id: 'key', expires_at: 'int' }, primary: ['id'] },
  redirect_uris: {
    columns: {
      id: 'id',
      workspace_id: 'id > workspaces',
      uri: 'text',
      uri_hash: 'key',
      label: 'text?',
      created_at: 'int',
    },
    primary: ['id'],
    // By hash: a long address would not fit into an index of PostgreSQL.
    unique: [['workspace_id', 'uri_hash']],
  },
};

/** What people sign in with, and where connections may end. */
export const signin = Object.freeze({
  version: 3,
  name: 'signin',
  async up(db: Kysely<never>, dialect: Dialect) {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
  },
});
