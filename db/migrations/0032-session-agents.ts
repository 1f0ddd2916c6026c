import { sql, type Kysely } from 'kysely';

/** What browser a session is in, as it names itself. */
export const sessionAgents = Object.freeze({
  version: 32,
  name: 'session agents',
  async up(db: Kysely<never>): Promise<void> {
    await sql.raw('alter table "web_sessions" add column "agent" text').execute(db);
  },
});
