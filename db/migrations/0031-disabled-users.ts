import { sql, type Kysely } from 'kysely';
import type { Dialect } from './table.ts';

/** Since when a user is disabled. */
export const disabledUsers = Object.freeze({
  version: 31,
  name: 'disabled-users',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    const type = dialect === 'postgres' ? 'bigint' : 'integer';
    await sql.raw(`alter table users add column disabled_at ${type}`).execute(db);
  },
});
