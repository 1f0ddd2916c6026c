import { sql, type Kysely } from 'kysely';

/** What a step keeps for its next try, and the results of steps that are secret; both sealed. */
export const stepProgress = Object.freeze({
  version: 15,
  name: 'step-progress',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table steps add column progress text`.execute(db);
    await sql`alter table steps add column sealed_result text`.execute(db);
  },
});
