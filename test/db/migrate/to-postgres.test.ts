import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyToPostgres } from '#db/migrate/to-postgres.ts';
import { migrations } from '#db/migrations/index.ts';
import { openStore } from '#db/store/open.ts';
import { summaryOfPostgres } from '#db/store/postgres/dump.ts';
import { makeFolder } from '../../harness/folders.ts';
import { freshDatabase, noPostgres } from '../../harness/stores/postgres.ts';

type Column = Readonly<{ name: string; type: string; notnull: 0 | 1 }>;

/** The texts of two rows, which are also their ids and what refers to them. */
const TEXTS = [`a\\b"c'd,{e} null 😀\n`, 'NULL'];

/** A database file of an older version with two rows in every table; what may be empty is so in the second. */
async function fullFile(): Promise<{ file: string; rows: ReadonlyMap<string, readonly object[]> }> {
  const file = join(makeFolder(), 'rostra.db');
  await (await openStore({ file, migrations: migrations.slice(0, -2) })).close();
  const handle = new Database(file);
  handle.pragma('foreign_keys = off');
  const named = `select name from sqlite_master where type = 'table' and name not like 'inbox_word_index%'
    and name <> 'schema_migrations'`;
  const tables = handle.prepare<[], string>(named).pluck().all();
  const rows = new Map<string, readonly object[]>();
  for (const table of tables) {
    const columns = handle.prepare<[string], Column>('select * from pragma_table_info(?)').all(table);
    const insert = handle.prepare(`insert into "${table}" values (${columns.map(() => '?').join(', ')})`);
    for (const [index, text] of TEXTS.entries()) {
      insert.run(
        columns.map(({ name, type, notnull }) => {
          if (index === 1 && notnull === 0) return null;
          return type.toLowerCase() === 'text' ? text : name.endsWith('_at') ? 1_796_005_268_123 : index;
        }),
      );
    }
    rows.set(table, handle.prepare<[], object>(`select * from "${table}"`).all());
  }
  handle.close();
  return { file, rows };
}

describe.skipIf(noPostgres !== undefined)(
  `SQLite to PostgreSQL${noPostgres ? ` [skipped: ${noPostgres}]` : ''}`,
  () => {
    it('copies every row of every table of an older file, and a server opens the result', async () => {
      const { file, rows } = await fullFile();
      const url = await freshDatabase('move');
      await copyToPostgres(file, url, migrations);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      for (const [table, expected] of rows) {
        const { rows: found } = await client.query(`select to_jsonb(t) - 'vector' as row from "${table}" t`);
        expect([table, found.map(({ row }) => row)]).toEqual([
          table,
          expect.arrayContaining(expected.map((row) => expect.objectContaining(row))),
        ]);
        expect([table, found.length]).toEqual([table, TEXTS.length]);
      }
      await (await openStore({ url })).close();
      await expect(copyToPostgres(file, url, migrations)).rejects.toThrow('in use');
    });

    it('leaves the database empty if anything fails', async () => {
      const { file } = await fullFile();
      const handle = new Database(file);
      handle.pragma('foreign_keys = off');
      handle.prepare("update brands set workspace_id = 'none'").run();
      handle.close();
      const url = await freshDatabase('move');
      await expect(copyToPostgres(file, url, migrations)).rejects.toThrow();
      expect(await summaryOfPostgres(url)).toBe(undefined);
    });
  },
);
