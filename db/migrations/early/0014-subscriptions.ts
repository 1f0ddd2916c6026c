import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  subscriptions: {
    columns: {
      account_id: 'id',
      path: 'key?',
      secret: 'text?',
      callback: 'text',
      until: 'int?',
      kept: 'text?',
      state: 'text',
      caught_up: 'int',
      made_at: 'int',
    },
    primary: ['account_id'],
    unique: [['path']],
  },
  aliases: {
    columns: {
      account_id: 'id',
      thing: 'key',
      alias: 'key',
      workspace_id: 'id > workspaces',
      platform_id: 'key',
    },
    primary: ['account_id', 'thing', 'alias'],
    indexes: {
      aliases_of: '(account_id, thing, platform_id)',
      aliases_workspace: '(workspace_id, alias)',
    },
  },
};

/** Subscriptions to the pushes of accounts, and the other ids of what platforms call by several. */
export const subscriptions = Object.freeze({
  version: 14,
  name: 'subscriptions',
  async up(db: Kysely<never>, dialect: Dialect) {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
    await sql`alter table pushes add column account_id text`.execute(db);
  },
});
