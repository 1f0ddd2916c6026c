import type { Kysely } from 'kysely';
import { createTable, type Dialect, type TableSpec } from '../table.ts';

const templates: TableSpec = {
  columns: {
    account_id: 'id',
    id: 'key',
    workspace_id: 'id > workspaces',
    name: 'key',
    language: 'key',
    body: 'text',
  },
  primary: ['account_id', 'id'],
  indexes: {
    templates_id: '(workspace_id, id)',
    templates_name: '(account_id, name, language)',
  },
};

/** Which accounts have which message templates, as far as platforms have told. */
export const messageTemplates = Object.freeze({
  version: 16,
  name: 'templates',
  async up(db: Kysely<never>, dialect: Dialect) {
    await createTable(db, dialect, 'templates', templates);
  },
});
