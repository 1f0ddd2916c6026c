import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { pending, type Migration } from '#db/migrate/migrate.ts';
import { migrations as released } from '#db/migrations/index.ts';
import { openStore, type Store } from '#db/store/open.ts';
import { StoreError } from '#db/store/store-error.ts';
import { makeFolder } from '../../harness/folders.ts';
import { describePlaces } from '../../harness/stores/stores.ts';
import { rebuild } from './rebuild-migrations.ts';

async function rows(store: Store, text: string): Promise<unknown[]> {
  return (await sql.raw(text).execute(store.db)).rows;
}

/** Opens and closes; answers what `look` finds in between. */
async function visit<R>(options: Parameters<typeof openStore>[0], look: (store: Store) => Promise<R>): Promise<R> {
  const store = await openStore(options);
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

const nothing = async () => {};
/** The first of two migrations, and what there is after either. */
const first = rebuild().slice(0, 1);
const FAMILY = [{ name: 'old', id: 'c' }];
const family = (store: Store) => rows(store, 'select p.name, c.id from parents p join children c on c.parent = p.id');
const versions = (store: Store) => rows(store, 'select version, name from schema_migrations order by version');

describePlaces('migrations', (newPlace) => {
  it('run once, in order, and are recorded', async () => {
    const place = await newPlace();
    const runs: string[] = [];
    const step = (version: number, name: string): Migration => ({
      version,
      name,
      up: async () => void runs.push(name),
    });
    const migrations = [step(1, 'one'), step(2, 'two')];
    await visit({ ...place, migrations }, nothing);
    const found = await visit({ ...place, migrations: [...migrations, step(3, 'three')] }, versions);
    expect(runs).toEqual(['one', 'two', 'three']);
    expect(found).toEqual([
      { version: 1, name: 'one' },
      { version: 2, name: 'two' },
      { version: 3, name: 'three' },
    ]);
  });

  it('make every table of the product', async () => {
    const found = await visit(await newPlace(), async (store) => [
      await versions(store),
      await store.db.selectFrom('posts').selectAll().execute(),
    ]);
    expect(found).toEqual([released.map(({ version, name }) => ({ version, name })), []]);
  });

  it('rebuild a parent without losing a child', async () => {
    const place = await newPlace();
    expect(await visit({ ...place, migrations: first }, family)).toEqual(FAMILY);
    expect(await visit({ ...place, migrations: rebuild() }, family)).toEqual(FAMILY);
  });

  it('are undone as a whole when they fail, and say which one it was', async () => {
    const place = await newPlace();
    const failing = rebuild(async () => {
      throw new Error('half way');
    });
    const opening = openStore({ ...place, migrations: failing });
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow('migration 2 (rebuild) failed and was undone: half way');
    const found = await visit({ ...place, migrations: first }, async (store) => [
      await versions(store),
      await family(store),
    ]);
    expect(found).toEqual([[{ version: 1, name: 'family' }], FAMILY]);
    expect(await visit({ ...place, migrations: rebuild() }, versions)).toHaveLength(2);
  });

  it('refuse a database that is newer, or of another origin, in one line', async () => {
    const place = await newPlace();
    await visit({ ...place, migrations: rebuild() }, nothing);
    const older = openStore({ ...place, migrations: first });
    await expect(older).rejects.toThrow(/^the database has schema version 2, .* no later one than 1: .*$/);
    const stranger = rebuild().map((migration) => ({ ...migration, name: `other ${migration.version}` }));
    await expect(openStore({ ...place, migrations: stranger })).rejects.toThrow('different origins');
    expect(await visit({ ...place, migrations: rebuild() }, family)).toHaveLength(1);
  });

  it('end well when several processes start at once', async () => {
    const place = await newPlace();
    let runs = 0;
    const slow = rebuild(async () => {
      runs += 1;
      for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    });
    const found = await Promise.all([1, 2, 3].map(() => visit({ ...place, migrations: slow }, family)));
    expect(found).toEqual([1, 2, 3].map(() => FAMILY));
    expect(runs).toBe(1);
  });
});

describe('migrations of a file', () => {
  let folder = '';
  beforeEach(() => void (folder = makeFolder()));
  const file = () => join(folder, 'rostra.db');
  const backups = () =>
    readdirSync(folder)
      .filter((name) => name.includes('.bak'))
      .sort();
  const tablesIn = (path: string) => {
    const handle = new Database(path, { readonly: true });
    const names = handle.prepare<[], { name: string }>("select name from sqlite_master where type = 'table'").all();
    handle.close();
    return names.map(({ name }) => name).sort();
  };

  it('refuse to leave references to nothing', async () => {
    const broken: Migration = {
      version: 2,
      name: 'orphans',
      up: async (db) => void (await sql`delete from parents`.execute(db)),
    };
    const opening = openStore({ file: file(), migrations: [rebuild()[0]!, broken] });
    await expect(opening).rejects.toThrow('1 rows would refer to nothing, the first in children');
    expect(await visit({ file: file(), migrations: first }, family)).toHaveLength(1);
  });

  it('make a file only its owner can read, without a copy of nothing', async () => {
    await visit({ file: file(), migrations: rebuild() }, nothing);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(backups()).toEqual([]);
  });

  it('make a file that can give space back', async () => {
    await visit({ file: file(), migrations: rebuild() }, nothing);
    const handle = new Database(file(), { readonly: true });
    expect(handle.pragma('auto_vacuum', { simple: true })).toBe(2);
    handle.close();
  });

  it('copy what was there first, and nothing when there is nothing to do', async () => {
    await visit({ file: file(), migrations: first }, nothing);
    await visit({ file: file(), migrations: first }, nothing);
    expect(backups()).toEqual([]);
    await visit({ file: file(), migrations: rebuild() }, nothing);
    expect(backups()).toEqual(['rostra.db.v1.bak']);
    const copy = join(folder, 'rostra.db.v1.bak');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(tablesIn(copy)).toEqual(['children', 'parents', 'schema_migrations']);
    // The copy is a database of its own, from which the same step can be taken again.
    expect(await visit({ file: copy, migrations: first }, family)).toEqual(FAMILY);
  });

  it('refuse a newer store by its own version, and name the copy that can be gone back to', async () => {
    const step = (version: number): Migration => ({ version, name: `s${version}`, up: nothing });
    const steps = [1, 2, 3, 4].map(step);
    await visit({ file: file(), migrations: steps.slice(0, 1) }, nothing);
    const older = () => openStore({ file: file(), migrations: steps.slice(0, 2) });
    await visit({ file: file(), migrations: steps.slice(0, 2) }, nothing);
    await visit({ file: file(), migrations: steps }, nothing);
    expect(backups()).toEqual(['rostra.db.v1.bak', 'rostra.db.v2.bak']);
    await expect(older()).rejects.toThrow(
      `schema version 4, this Rostra knows no later one than 2: start a newer Rostra, or go back to the copy ${file()}.v2.bak`,
    );
    rmSync(`${file()}.v2.bak`);
    await expect(older()).rejects.toThrow('v1.bak');
    rmSync(`${file()}.v1.bak`);
    await expect(older()).rejects.toThrow(/start a newer Rostra$/);
  });

  it('keep the newest three copies', async () => {
    const steps = Array.from({ length: 6 }, (_, index) => ({ version: index + 1, name: `s${index + 1}`, up: nothing }));
    for (let count = 1; count <= steps.length; count += 1) {
      await visit({ file: file(), migrations: steps.slice(0, count) }, nothing);
      for (const name of backups()) {
        const age = (steps.length - Number(/v(\d+)/.exec(name)![1])) * 60;
        utimesSync(join(folder, name), 1_700_000_000 - age, 1_700_000_000 - age);
      }
    }
    expect(backups()).toEqual(['rostra.db.v3.bak', 'rostra.db.v4.bak', 'rostra.db.v5.bak']);
  });

  it('are as if never begun when the process is killed inside one', async () => {
    const child = async (end: string) => {
      const script = fileURLToPath(new URL('migrate-child.ts', import.meta.url));
      const running = spawn(process.execPath, [script, file(), end], { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      running.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
      return { code, signal, said };
    };
    expect(await child('kill')).toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(`${file()}-wal`)).toBe(true);
    // All of them are one transaction.
    expect(tablesIn(file())).toEqual([]);
    expect(await visit({ file: file(), migrations: first }, family)).toEqual([{ name: 'old', id: 'c' }]);

    const both = await Promise.all([child('open'), child('open')]);
    expect(both).toEqual([1, 2].map(() => ({ code: 0, signal: null, said: '' })));
    expect(await visit({ file: file(), migrations: rebuild() }, family)).toEqual(FAMILY);
  });
});

describe('the list of migrations', () => {
  it('counts up from one without a gap', () => {
    const gap = [rebuild()[0]!, { ...rebuild()[1]!, version: 3 }];
    expect(() => pending([], gap, 'sqlite')).toThrow('migration rebuild must have version 2');
  });
});
