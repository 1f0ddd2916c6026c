import { sql, type Kysely } from 'kysely';

/** Which accounts have a target in hand is asked with every look for due ones, however many are due. */
export const leases = Object.freeze({
  version: 8,
  name: 'leases',
  async up(db: Kysely<never>): Promise<void> {
    await sql`create index targets_leased on targets (due_at, account_id) where lease_token is not null`.execute(db);
  },
});
