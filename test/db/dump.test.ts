import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backUp } from '#db/store/backup.ts';
import { openStore } from '#db/store/open.ts';
import { addressOf } from '#db/store/postgres/dump.ts';
import { HOME, readSetting } from '#db/store/settings.ts';
import { makeFolder } from '../harness/folders.ts';

it('gives the programs of PostgreSQL an address as they read it', () => {
  expect(addressOf('postgres://me:a%40b@[::1]:5433/my%20posts?sslmode=no-verify')).toEqual({
    PGHOST: '::1',
    PGPORT: '5433',
    PGUSER: 'me',
    PGPASSWORD: 'a@b',
    PGDATABASE: 'my posts',
    PGSSLMODE: 'require',
  });
});

it('marks the copy of an upgrade, so that a server which is given it starts paused', async () => {
  const file = join(makeFolder(), 'rostra.db');
  const store = await openStore({ file });
  onTestFinished(() => store.close());
  const copy = await openStore({ file: await backUp(file, 1) });
  onTestFinished(() => copy.close());
  expect(await readSetting(copy.db, HOME)).toContain('backupOf');
  expect(await readSetting(store.db, HOME)).toBe(undefined);
});
