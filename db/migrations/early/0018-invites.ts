import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const invites: TableSpec = {
  columns: {
    id: 'id',
    workspace_id: 'id > workspaces',
    // No reference: invites outlive their brand, so that its links are refused as invalid and not as unknown.
    brand_id: 'id',
    platform: 'key',
    token_hash: 'key',
    sealed: 'text',
    account_id: 'id?',
    created_at: 'int',
    expires_at: 'int',
    used_at: 'int?',
    revoked_at: 'int?',
  },
  primary: ['id'],
  unique: [['token_hash']],
  indexes: { invites_brand: '(workspace_id, brand_id, created_at)' },
};

/** Links by which people outside connect an account to a brand, and the connections begun by them. */
export const invitations = Object.freeze({
  version: 18,
  name: 'invites',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'invites', invites);
    await sql`alter table connects add column invite_id text`.execute(db);
    await sql`alter table choices add column invite_id text`.execute(db);
  },
});
