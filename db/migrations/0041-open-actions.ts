import { sql, type Kysely } from 'kysely';

/** Finds the actions of a workspace that are not finished, of which there are few. */
export const openActions = Object.freeze({
  version: 41,
  name: 'open-actions',
  async up(db: Kysely<never>): Promise<void> {
    await sql`create index actions_open on actions (workspace_id) where open_key is not null`.execute(db);
  },
});
