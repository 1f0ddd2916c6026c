import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  billing: {
    columns: {
      // No reference: the customer outlives a removed workspace, until the provider has ended what it pays for.
      workspace_id: 'id',
      network: 'text',
      customer_id: 'key?',
      email: 'text',
      status: 'text',
      subscription_id: 'text?',
      tier: 'text?',
      interval: 'text?',
      cycle_end: 'int?',
      ends_at: 'int?',
      version: 'int = 0',
      read_at: 'int = 0',
      created_at: 'int',
    },
    primary: ['workspace_id'],
    unique: [['customer_id']],
    indexes: { billing_cycles: '(cycle_end) where cycle_end is not null' },
  },
  checkouts: {
    columns: {
      id: 'id',
      workspace_id: 'id > workspaces',
      network: 'text',
      session_id: 'key?',
      kind: 'text',
      tier: 'text',
      interval: 'text',
      asked: 'text',
      state: 'text',
      created_at: 'int',
      expires_at: 'int',
    },
    primary: ['id'],
    unique: [['session_id']],
    indexes: { checkouts_workspace: '(workspace_id, state)' },
  },
};

const ADDED: readonly string[] = [
  // A workspace buys on one page at a time.
  "create unique index checkouts_open on checkouts (workspace_id) where state = 'open'",
  'alter table workspaces add column plan_since bigint',
  'alter table workspaces add column cycle_anchor bigint',
];

/** Who pays for a workspace, the pages on which they began to, and what its periods are counted from. */
export const billing = Object.freeze({
  version: 19,
  name: 'billing',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
    for (const statement of ADDED) await sql.raw(statement).execute(db);
  },
});
