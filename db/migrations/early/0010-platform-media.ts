import { sql, type Kysely } from 'kysely';

/** Where a platform shows the media of what is published there; null until a sync has read it. */
export const platformMedia = Object.freeze({
  version: 10,
  name: 'platform-media',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table targets add column platform_media text`.execute(db);
  },
});
