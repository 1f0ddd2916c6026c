import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect } from '../table.ts';

/** The processes on a store, and what is leased, so that the leases of one that died are found at once. */
export const processes = Object.freeze({
  version: 24,
  name: 'processes',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'processes', {
      columns: { id: 'id', started_at: 'int' },
      primary: ['id'],
    });
    for (const table of ['accounts', 'idempotency', 'sends']) {
      await sql.raw(`create index ${table}_leased on ${table} (lease_token) where lease_token is not null`).execute(db);
    }
  },
});
