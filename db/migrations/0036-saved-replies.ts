import type { Kysely } from 'kysely';
import { createTable, type Dialect } from './table.ts';

/** Texts that people answer with again and again. */
export const savedReplies = Object.freeze({
  version: 36,
  name: 'saved-replies',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'saved_replies', {
      columns: {
        id: 'id',
        workspace_id: 'id > workspaces',
        brand_id: 'id? > brands',
        name: 'text',
        text: 'text',
        created_at: 'int',
        updated_at: 'int',
      },
      primary: ['id'],
      indexes: {
        saved_replies_workspace: '(workspace_id, created_at, id)',
        saved_replies_brand: '(brand_id)',
      },
    });
  },
});
