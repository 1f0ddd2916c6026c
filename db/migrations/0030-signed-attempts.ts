import { sql, type Kysely } from 'kysely';
import type { Dialect } from './table.ts';

/** When each attempt of a delivery was signed, so that its request can be shown as it was sent. */
export const signedAttempts = Object.freeze({
  version: 30,
  name: 'signed-attempts',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    const type = dialect === 'postgres' ? 'bigint' : 'integer';
    await sql.raw(`alter table delivery_attempts add column signed_at ${type}`).execute(db);
  },
});
