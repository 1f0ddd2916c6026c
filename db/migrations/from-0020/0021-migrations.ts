import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const MIGRATIONS: TableSpec = {
  columns: {
    id: 'id',
    workspace_id: 'id > workspaces',
    provider: 'key',
    network: 'text',
    sealed: 'text',
    key_hash: 'key',
    key_hint: 'text',
    authorisation_version: 'text',
    found: 'text?',
    assessed_at: 'int?',
    failure: 'text?',
    read_at: 'int = 0',
    forwarded_calls: 'int = 0',
    created_at: 'int',
  },
  primary: ['id'],
  unique: [['workspace_id', 'provider']],
  indexes: { migrations_key: '(key_hash, provider)' },
};

/** Moves of workspaces from other providers. */
export const migrating = Object.freeze({
  version: 21,
  name: 'migrations',
  up: (db: Kysely<never>, dialect: Dialect): Promise<void> => createTable(db, dialect, 'migrations', MIGRATIONS),
});
