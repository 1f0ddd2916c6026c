import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';
import { WORK } from './0001-first-work.ts';

const workspace = 'id > workspaces';

const TABLES: Readonly<Record<string, TableSpec>> = {
  settings: { columns: { name: 'key', value: 'text' }, primary: ['name'] },
  workspaces: {
    columns: {
      id: 'id',
      plan: 'text',
      created_at: 'int',
      blocked_at: 'int?',
      brands_count: 'int = 0',
      storage_bytes: 'int = 0',
      pending_bytes: 'int = 0',
      allowed_platforms: 'text?',
      removed_at: 'int?',
    },
    primary: ['id'],
    indexes: { workspaces_removed: '(removed_at) where removed_at is not null' },
  },
  users: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      email: 'key',
      name: 'text',
      password_hash: 'text?',
      onboarding: 'int',
      use_case: 'text?',
      referral: 'text?',
      avatar_url: 'text?',
      lock_accounts_to_brand: 'int',
      created_at: 'int',
    },
    primary: ['id'],
    unique: [['email']],
    indexes: { users_workspace: '(workspace_id)' },
  },
  brands: {
    columns: { id: 'id', workspace_id: workspace, name: 'text', created_at: 'int', updated_at: 'int' },
    primary: ['id'],
    indexes: { brands_newest: '(workspace_id, created_at, id)' },
  },
  keys: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      user_id: 'id > users',
      name: 'text',
      hash: 'key',
      preview: 'text',
      scopes: 'text',
      brand_ids: 'text',
      is_active: 'int',
      created_at: 'int',
      last_used_at: 'int?',
    },
    primary: ['id'],
    unique: [['hash']],
    indexes: { keys_newest: '(workspace_id, created_at, id)' },
  },
  usage: {
    columns: {
      workspace_id: workspace,
      period_start: 'int',
      posts: 'int = 0',
      interactions: 'int = 0',
      exports: 'int = 0',
    },
    primary: ['workspace_id', 'period_start'],
  },
  accounts: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      brand_id: 'id > brands',
      platform: 'key',
      network: 'key',
      platform_user_id: 'key',
      name: 'text',
      username: 'text',
      bio: 'text?',
      profile_picture_url: 'text?',
      profile_url: 'text?',
      user_email: 'text?',
      status: 'key',
      reconnect_reason: 'text?',
      metadata: 'text',
      session: 'text',
      refresh_at: 'int',
      lease_token: 'key?',
      lease_until: 'int = 0',
      created_at: 'int',
      updated_at: 'int',
    },
    primary: ['id'],
    unique: [
      ['brand_id', 'platform'],
      ['platform', 'network', 'platform_user_id'],
    ],
    indexes: {
      accounts_newest: '(workspace_id, created_at, id)',
      accounts_refresh: "(refresh_at) where status = 'active'",
    },
  },
  connects: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      platform: 'key',
      network: 'key',
      brand_id: 'id?',
      account_id: 'id?',
      redirect_uri: 'text?',
      client_state: 'text',
      sealed: 'text',
      created_at: 'int',
      expires_at: 'int',
      used_at: 'int?',
    },
    primary: ['id'],
    indexes: { connects_expiry: '(expires_at)' },
  },
  media: {
    columns: {
      id: 'id',
      workspace_id: workspace,
      status: 'key',
      filename: 'text',
      content_type: 'text',
      size_bytes: 'int',
      held_bytes: 'int = 0',
      width: 'int?',
      height: 'int?',
      duration_ms: 'int?',
      sha256: 'key?',
      created_at: 'int',
    },
    primary: ['id'],
    indexes: {
      media_newest: '(workspace_id, status, created_at, id)',
      media_pending: "(created_at) where status = 'pending'",
    },
  },
};

export const first = {
  version: 1,
  name: 'first',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    for (const [name, spec] of Object.entries({ ...TABLES, ...WORK })) await createTable(db, dialect, name, spec);
  },
};
