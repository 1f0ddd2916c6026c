import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Migration } from '#db/migrate/migrate.ts';
import { checksumsOf } from '#db/migrations/checksum.ts';
import { migrations as released, shipped } from '#db/migrations/index.ts';
import { openStore, type StoreOptions } from '#db/store/open.ts';
import { StoreError } from '#db/store/store-error.ts';
import { describePlaces, type Place } from '../../harness/stores/stores.ts';
import { ROOT } from '../../architecture/source.ts';

const open = async (options: StoreOptions) => {
  const store = await openStore(options);
  await store.close();
};

/** Opens a place with a last step that changes what the released migrations and their records look like. */
async function tamper(place: Place, statements: readonly string[], upTo = released.length): Promise<void> {
  const store = await openStore({ ...place, migrations: released.slice(0, upTo) });
  await store.write(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx.db);
  });
  await store.close();
}

const recorded = async (place: Place) => {
  const store = await openStore(place);
  const { rows } = await sql<{ version: number; checksum: string | null }>`
    select version, checksum from schema_migrations order by version`.execute(store.db);
  await store.close();
  return rows;
};

/** As stores were before checksums were recorded. */
const FORGET = ['alter table schema_migrations drop column checksum'];

/** What the first form of migration 4 made otherwise. */
const FIRST_INBOX = [
  'alter table inbox_accounts drop column begun_at',
  'alter table comments add column stored_at bigint not null default 0',
  'drop index messages_unread',
  'alter table accounts drop column connected_at',
  'alter table pushes drop column erases',
];

describePlaces('checksums of migrations', (newPlace, dialect) => {
  const expected = Object.values(shipped).map((checksums, index) => ({
    version: index + 1,
    checksum: checksums[dialect],
  }));

  it('are recorded with each migration', async () => expect(await recorded(await newPlace())).toEqual(expected));

  it('stop the start when the store was made by other SQL', async () => {
    const place = await newPlace();
    await tamper(place, ["update schema_migrations set checksum = 'other' where version = 4"]);
    const opening = open(place);
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow(
      /^schema version 4 \(inbox\) of the database was made by SQL that differs from this Rostra's: start the Rostra that made it, or start this one with an empty DATA_DIR/,
    );
  });

  it.each([released.length, 5])('are recorded for a store of version %d made before there were any', async (upTo) => {
    const place = await newPlace();
    await tamper(place, FORGET, upTo);
    expect(await recorded(place)).toEqual(expected);
    expect(await recorded(place)).toEqual(expected);
  });

  it.each([released.length, 4])('refuse a store of version %d made by the first migration 4', async (upTo) => {
    const place = await newPlace();
    await tamper(place, [...FIRST_INBOX, ...FORGET], upTo);
    const opening = open(place);
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow(/made by an unreleased Rostra .*column \w+\.\w+ is missing and 4 more/);
    // Nothing was changed: it goes on being refused.
    await expect(open(place)).rejects.toThrow('start the Rostra that made it');
  });

  it('leave the tables and indexes of an administrator alone', async () => {
    const place = await newPlace();
    await tamper(place, [
      'create table reports (id text primary key)',
      'create index reports_of_posts on posts (created_at)',
      ...FORGET,
    ]);
    expect(await recorded(place)).toEqual(expected);
  });
});

describe('a shipped migration', () => {
  it('is the one whose checksums are committed', async () => {
    expect(await checksumsOf(released, shipped), 'run npm run generate').toEqual(shipped);
    const committed = readFileSync(join(ROOT, 'db/migrations/checksums.json'), 'utf8');
    expect(committed).toBe(`${JSON.stringify(shipped, undefined, 2)}\n`);
  });

  it('can neither be edited nor removed, whatever the dialect', async () => {
    const edited = (dialect: string): readonly Migration[] =>
      released.map((migration) => ({
        ...migration,
        up: async (db, on) => {
          await migration.up(db, on);
          if (migration.version === 4 && on === dialect) await sql`select 1`.execute(db);
        },
      }));
    for (const dialect of ['sqlite', 'postgres']) {
      await expect(checksumsOf(edited(dialect), shipped)).rejects.toThrow(
        /^migration 0004-inbox runs other SQL than the one that was shipped: restore it and add a new migration/,
      );
    }
    await expect(checksumsOf(released.slice(0, -1), shipped)).rejects.toThrow('was shipped and is gone');
  });

  it('may be followed by a new one', async () => {
    const added = { version: released.length + 1, name: 'added', up: async () => {} };
    const names = Object.keys(await checksumsOf([...released, added], shipped));
    expect(names).toHaveLength(released.length + 1);
    expect(names.at(-1)).toBe(`${String(added.version).padStart(4, '0')}-added`);
  });
});
