import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect } from './table.ts';

/** The weekly times to publish at. The index finds what is planned for an account; drafts are not in it. */
export const postingTimes = Object.freeze({
  version: 40,
  name: 'posting-times',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'posting_times', {
      columns: {
        owner_id: 'id',
        workspace_id: 'id > workspaces',
        brand_id: 'id? > brands',
        times: 'text',
        updated_at: 'int',
      },
      primary: ['owner_id'],
      indexes: {
        posting_times_workspace: '(workspace_id)',
        posting_times_brand: '(brand_id) where brand_id is not null',
      },
    });
    await sql`create index targets_planned on targets (account_id, due_at) where status = 'scheduled'`.execute(db);
  },
});
