import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  connections: {
    columns: {
      id: 'id',
      workspace_id: 'id > workspaces',
      user_id: 'id',
      kind: 'key',
      ref: 'key',
      policy: 'text',
      decides: 'int',
      ended_at: 'int?',
      created_at: 'int',
      updated_at: 'int',
      updated_by: 'id',
    },
    primary: ['id'],
    unique: [['ref']],
    indexes: { connections_workspace: '(workspace_id, created_at, id)' },
  },
  // No reference from here on: rows of these tables go with the workspace, step by step.
  connection_counts: {
    columns: { connection_id: 'id', workspace_id: 'id', day: 'int', act: 'key', n: 'int' },
    primary: ['connection_id', 'day', 'act'],
    indexes: { connection_counts_day: '(workspace_id, day)' },
  },
  answered: {
    columns: { connection_id: 'id', workspace_id: 'id', item: 'key', digest: 'key', at: 'int' },
    primary: ['connection_id', 'item'],
    indexes: { answered_workspace: '(workspace_id)' },
  },
  actions: {
    columns: {
      id: 'id',
      workspace_id: 'id',
      connection_id: 'id',
      user_id: 'id',
      tool: 'key',
      facade: 'key',
      act: 'key',
      state: 'key',
      open_key: 'key?',
      digest: 'key',
      sealed: 'text',
      reasons: 'text',
      account_ids: 'text',
      brand_ids: 'text',
      bound_post: 'id?',
      bound_version: 'key?',
      expires_at: 'int',
      decided_by: 'id?',
      decided_via: 'key?',
      note: 'text?',
      started_at: 'int?',
      error_code: 'key?',
      created_at: 'int',
      finished_at: 'int?',
    },
    primary: ['id'],
    unique: [['open_key']],
    indexes: {
      actions_workspace: '(workspace_id, created_at, id)',
      actions_repeated: '(connection_id, digest, created_at)',
      actions_created: '(created_at)',
    },
  },
  audit: {
    columns: {
      id: 'id',
      workspace_id: 'id',
      at: 'int',
      user_id: 'id?',
      connection_id: 'id?',
      caller_kind: 'key',
      client: 'text',
      facade: 'key',
      request_id: 'key',
      tool: 'key',
      act: 'key?',
      verdict: 'key',
      args: 'text',
      address: 'key?',
      status: 'int?',
      code: 'key?',
      effect_id: 'key?',
      action_id: 'id?',
      ms: 'int?',
    },
    primary: ['id'],
    indexes: { audit_workspace: '(workspace_id, at, id)', audit_at: '(at)' },
  },
};

/** What connections may do, what they asked for and a person decides on, and what they did. */
export const connections = Object.freeze({
  version: 28,
  name: 'connections',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
  },
});
