import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const TABLES: Readonly<Record<string, TableSpec>> = {
  oauth_clients: {
    columns: {
      id: 'id',
      name: 'text',
      redirect_uris: 'text',
      secret_hash: 'key?',
      address: 'key',
      created_at: 'int',
      granted_at: 'int?',
    },
    primary: ['id'],
    indexes: {
      oauth_clients_recent: '(created_at)',
      oauth_clients_address: '(address, created_at)',
      oauth_clients_idle: '(created_at) where granted_at is null',
    },
  },
  oauth_records: {
    columns: {
      id: 'id',
      model: 'key',
      client_id: 'id',
      user_id: 'id? > users',
      grant_id: 'id?',
      address: 'key?',
      payload: 'text',
      created_at: 'int',
      expires_at: 'int',
      spent_at: 'int?',
    },
    primary: ['id'],
    indexes: {
      oauth_records_expiry: '(expires_at)',
      oauth_records_spent: '(spent_at) where spent_at is not null',
      oauth_records_grant: '(grant_id)',
      oauth_records_user: '(user_id, model)',
      oauth_records_client: '(client_id)',
      oauth_records_open: "(expires_at, address) where model = 'Interaction'",
    },
  },
  oauth_keys: {
    columns: { generation: 'int', kid: 'id', sealed: 'text', created_at: 'int', signs_from: 'int' },
    primary: ['generation'],
    unique: [['kid']],
  },
};

export const oauth = {
  version: 2,
  name: 'oauth',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    for (const [name, spec] of Object.entries(TABLES)) await createTable(db, dialect, name, spec);
  },
};
