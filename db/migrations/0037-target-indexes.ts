import { sql, type Kysely } from 'kysely';

/** New targets have no id of the platform yet, and a smaller index is preferred to that of an account. */
export const targetIndexes = Object.freeze({
  version: 37,
  name: 'target-indexes',
  async up(db: Kysely<never>): Promise<void> {
    await sql`drop index targets_platform_post`.execute(db);
    await sql`create index targets_platform_post on targets (workspace_id, platform_post_id)
      where platform_post_id is not null`.execute(db);
  },
});
