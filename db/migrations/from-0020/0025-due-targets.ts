import { sql, type Kysely } from 'kysely';

/** All that is asked of a due target before it is taken, so that hundreds are passed over without reading their rows. */
export const dueTargets = Object.freeze({
  version: 25,
  name: 'due-targets',
  async up(db: Kysely<never>): Promise<void> {
    await sql`drop index targets_due`.execute(db);
    await sql`create index targets_due on targets (due_at, id, account_id, platform, lease_token)
      where status in ('scheduled', 'publishing')`.execute(db);
  },
});
