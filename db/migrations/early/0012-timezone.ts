import { sql, type Kysely } from 'kysely';

/** Where the clocks are by which a workspace names times without an offset. */
export const timezone = Object.freeze({
  version: 12,
  name: 'timezone',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table workspaces add column timezone text not null default 'UTC'`.execute(db);
  },
});
