import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  exports: {
    columns: {
      id: 'id',
      workspace_id: 'id > workspaces',
      brand_id: 'id',
      account_id: 'id',
      platform: 'text',
      account_name: 'text',
      plan: 'text',
      status: 'text',
      transcripts: 'int',
      vision: 'int',
      reading: 'text?',
      posts: 'int',
      processed: 'int',
      warnings: 'text',
      extra_names: 'text',
      failure: 'text?',
      failures: 'int',
      version: 'int',
      charged: 'int',
      created_at: 'int',
      completed_at: 'int?',
      expires_at: 'int',
    },
    primary: ['id'],
    indexes: {
      exports_workspace: '(workspace_id, created_at, id)',
      exports_account: '(account_id, created_at)',
      exports_expiry: '(expires_at)',
    },
  },
  export_posts: {
    columns: {
      export_id: 'id > exports',
      platform_id: 'key',
      workspace_id: 'id > workspaces',
      position: 'int',
      published_at: 'int',
      page_id: 'key?',
      title: 'text?',
      text: 'text',
      permalink: 'text?',
      media: 'text',
      duration_ms: 'int?',
      width: 'int?',
      height: 'int?',
      metrics: 'text?',
      insight: 'text?',
    },
    primary: ['export_id', 'platform_id'],
    indexes: {
      export_posts_order: '(export_id, position)',
      export_posts_workspace: '(workspace_id)',
    },
  },
};

/** Exports of the posts of accounts, and what was read for them. */
export const exporting = Object.freeze({
  version: 20,
  name: 'exports',
  async up(db: Kysely<never>, dialect: Dialect) {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
  },
});
