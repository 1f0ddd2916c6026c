import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const apps: TableSpec = {
  columns: {
    id: 'id',
    workspace_id: 'id > workspaces',
    platform: 'key',
    brand_id: 'id? > brands',
    client_id: 'text',
    sealed: 'text',
    created_at: 'int',
    updated_at: 'int',
    retired_at: 'int?',
  },
  primary: ['id'],
  indexes: { apps_retired: '(retired_at) where retired_at is not null' },
};

const quotas: TableSpec = {
  columns: { bucket: 'key', window_start: 'int', used: 'int', ends_at: 'int' },
  primary: ['bucket', 'window_start'],
  indexes: { quotas_end: '(ends_at)' },
};

const ADDED: readonly string[] = [
  'alter table accounts add column kind text',
  'alter table accounts add column by_key integer not null default 0',
  'alter table accounts add column grant_id text',
  'alter table accounts add column app_id text',
  'alter table accounts add column notice text',
  'alter table connects add column app_id text',
  "alter table connects add column metadata text not null default '{}'",
  'alter table choices add column app_id text',
  'create index accounts_grant on accounts (grant_id) where grant_id is not null',
  'create index accounts_app on accounts (app_id) where app_id is not null',
  "create unique index apps_current on apps (workspace_id, platform, coalesce(brand_id, '')) where retired_at is null",
];

/** Kinds and grants of accounts, apps of customers, and what was used of the quotas of platforms. */
export const appsAndQuotas = Object.freeze({
  version: 13,
  name: 'apps',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'apps', apps);
    await createTable(db, dialect, 'quotas', quotas);
    for (const statement of ADDED) await sql.raw(statement).execute(db);
  },
});
