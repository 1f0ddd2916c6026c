import { sql, type Kysely } from 'kysely';
import type { Dialect } from './table.ts';

/** When somebody deleted an export: it is shown no longer, and a job removes its posts. */
export const deletedExports = Object.freeze({
  version: 35,
  name: 'deleted-exports',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    const type = dialect === 'postgres' ? 'bigint' : 'integer';
    await sql.raw(`alter table exports add column deleted_at ${type}`).execute(db);
  },
});
