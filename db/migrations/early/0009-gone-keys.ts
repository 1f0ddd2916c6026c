import type { Kysely } from 'kysely';
import { createTable, type Dialect } from '../table.ts';

/** What is left of the keys of users that were removed: enough to know one again, nothing of whose it was. */
export const goneKeys = Object.freeze({
  version: 9,
  name: 'gone-keys',
  up: (db: Kysely<never>, dialect: Dialect) =>
    createTable(db, dialect, 'gone_keys', { columns: { hash: 'key' }, primary: ['hash'] }),
});
