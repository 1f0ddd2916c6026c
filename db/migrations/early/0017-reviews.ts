import { sql, type Kysely } from 'kysely';

/** The pictures of reviews, and how far the platform has checked what was answered. */
export const reviewMedia = Object.freeze({
  version: 17,
  name: 'reviews',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table reviews add column media text not null default '[]'`.execute(db);
    await sql`alter table reviews add column reply_state text`.execute(db);
  },
});
