import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const choices: TableSpec = {
  columns: {
    id: 'id',
    workspace_id: 'id > workspaces',
    platform: 'text',
    network: 'text',
    brand_id: 'id?',
    account_id: 'id?',
    sealed: 'text',
    created_at: 'int',
    expires_at: 'int',
  },
  primary: ['id'],
  indexes: { choices_workspace: '(workspace_id)', choices_expiry: '(expires_at)' },
};

/** Logins that manage several profiles, one of which is still to be chosen. */
export const choosing = Object.freeze({
  version: 6,
  name: 'choices',
  up: (db: Kysely<never>, dialect: Dialect) => createTable(db, dialect, 'choices', choices),
});
