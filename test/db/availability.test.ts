import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { isUnavailable } from '#db/store/availability.ts';
import { StoreUnavailable } from '#kernel/errors.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { addNote, noteIds, testMigrations } from '../harness/stores/test-tables.ts';

const coded = (code: string) => Object.assign(new Error('driver'), { code });
const sqlite = (code: string) => new Database.SqliteError('driver', code);

it('a store that is away or full is told apart from a fault of the statement', () => {
  const away = [
    ...['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_BUSY_TIMEOUT'].map(sqlite),
    ...['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB'].map(sqlite),
    ...['53100', '53300', '55P03', '57P01', '57P03', '08006', '58030', 'ECONNREFUSED', 'ENOENT', 'EAI_AGAIN'].map(
      coded,
    ),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ];
  const faults = [
    ...['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR'].map(sqlite),
    ...['23505', '42P01', '57014', '40P01', '25006', 'ERR_INVALID_ARG_TYPE'].map(coded),
    new Error('the transaction is over'),
    undefined,
  ];
  expect(away.filter((error) => !isUnavailable(error))).toEqual([]);
  expect(faults.filter(isUnavailable)).toEqual([]);
});

describeStores(
  'a file that another process keeps locked',
  { migrations: testMigrations, kinds: ['file'] },
  ({ open, place }) => {
    it('fails all waiting writes together, and none that is asked for afterwards', async () => {
      const where = await place();
      const store = await open({ ...where, lockTimeoutMs: 0 });
      const other = new Database(where.file);
      other.exec('begin immediate');
      const writes = Array.from({ length: 6 }, (_, index) => store.write((tx) => addNote(tx, `waiting_${index}`)));
      // Unlocked at once: a waiting write that tried by itself would succeed.
      const later = writes[0]!.catch(() => {
        other.close();
        return store.write((tx) => addNote(tx, 'later'));
      });
      for (const write of await Promise.allSettled(writes))
        expect(write).toEqual({ status: 'rejected', reason: expect.any(StoreUnavailable) });
      await later;
      expect(await noteIds(store)).toEqual(['later']);
    });
  },
);
