import { sql, type Kysely } from 'kysely';

/** What a platform said of a failed attempt, and the public posts that a thread has been made of so far. */
export const reported = Object.freeze({
  version: 23,
  name: 'reported',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table publish_log add column reported text`.execute(db);
    await sql`alter table targets add column segments text`.execute(db);
  },
});
