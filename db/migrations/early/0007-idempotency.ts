import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const table: TableSpec = {
  columns: {
    id: 'key',
    workspace_id: 'id > workspaces',
    sealed: 'text',
    lease_token: 'key?',
    lease_until: 'int?',
    expires_at: 'int',
  },
  primary: ['id'],
  indexes: { idempotency_workspace: '(workspace_id)', idempotency_expiry: '(expires_at)' },
};

/** What requests with an Idempotency-Key were answered. */
export const idempotency = Object.freeze({
  version: 7,
  name: 'idempotency',
  up: (db: Kysely<never>, dialect: Dialect) => createTable(db, dialect, 'idempotency', table),
});
