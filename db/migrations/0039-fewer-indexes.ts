import { sql, type Kysely } from 'kysely';

/**
 * Each index costs each draft a page. Of drafts, only those of imports are compared by content, and the targets of an
 * account that are no drafts are found by the index of fingerprints.
 */
export const fewerIndexes = Object.freeze({
  version: 39,
  name: 'fewer-indexes',
  async up(db: Kysely<never>): Promise<void> {
    await sql`drop index targets_drafted`.execute(db);
    await sql`drop index targets_account`.execute(db);
    await sql`create index posts_imported on posts (workspace_id, created_at) where source = 'import'`.execute(db);
  },
});
