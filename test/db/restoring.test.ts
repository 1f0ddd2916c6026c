import { MINUTE } from '#kernel/clock.ts';
import { chmodSync, copyFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '#db/store/open.ts';
import { StoreUnavailable } from '#kernel/errors.ts';
import { makeFolder } from '../harness/folders.ts';
import { migratedFile } from '../harness/stores/files.ts';
import { addNote, noteIds, testMigrations } from '../harness/stores/test-tables.ts';
import { makeWorld } from '../harness/world.ts';

const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `note_${from + at}`);

/** The folder of a server that was killed: its database and its write-ahead log; and a copy of an hour before. */
async function killed() {
  const [running, left] = [makeFolder(), makeFolder()];
  const [file, dead, copy] = [join(running, 'rostra.db'), join(left, 'rostra.db'), join(left, 'copy.db')];
  const store = await openStore({ file, migrations: testMigrations });
  const write = async (notes: readonly string[]) => {
    await store.write(async (tx) => {
      for (const note of notes) await addNote(tx, note);
    });
  };
  await write(ids(0, 300));
  const handle = new Database(file);
  await handle.backup(copy);
  await write(ids(300, 900));
  handle.pragma('wal_checkpoint(TRUNCATE)');
  handle.close();
  await write(ids(1200, 3));
  copyFileSync(file, dead);
  copyFileSync(`${file}-wal`, `${dead}-wal`);
  await store.close();
  // Closing it was a checkpoint of the whole log.
  const checkpointed = () => copyFileSync(file, dead);
  const open = async () => {
    const again = await openStore({ file: dead, migrations: testMigrations });
    try {
      return (await noteIds(again)).length;
    } finally {
      await again.close();
    }
  };
  return { dead, copy, open, checkpointed };
}

describe('a database whose server was killed', () => {
  it('has all that its write-ahead log holds', async () => {
    const { open } = await killed();
    expect(await open()).toBe(1203);
  });

  it('is not mixed with a copy that is put in its place: the start names what is to be removed', async () => {
    const { dead, copy, open } = await killed();
    copyFileSync(copy, dead);
    // Nobody restores within the few milliseconds that a file system does not tell apart.
    utimesSync(dead, new Date(), new Date(Date.now() + 1000));
    const log = readFileSync(`${dead}-wal`);
    for (let time = 0; time < 2; time += 1)
      await expect(open()).rejects.toThrow(/^the database [^\n]* remove rostra\.db-wal and rostra\.db-shm[^\n]*$/);
    expect(readFileSync(`${dead}-wal`).equals(log)).toBe(true);
    expect(readFileSync(dead).equals(readFileSync(copy))).toBe(true);
    for (const end of ['-wal', '-shm']) rmSync(dead + end, { force: true });
    expect(await open()).toBe(300);
  });

  it('may have been changed after its log by a checkpoint, though not long after', async () => {
    const { dead, open, checkpointed } = await killed();
    const later = (ms: number) => utimesSync(dead, new Date(), new Date(Date.now() + ms));
    later(MINUTE / 2);
    await expect(open()).rejects.toThrow(`touch ${dead}-wal`);
    checkpointed();
    later(2 * MINUTE);
    await expect(open()).rejects.toThrow(`touch ${dead}-wal`);
    later(MINUTE / 2);
    expect(await open()).toBe(1203);
  });
});

describe('a database whose owner was changed', () => {
  it('opens with its log, whichever of the two came first', async () => {
    const { dead, open } = await killed();
    const written = new Date(Date.now() - MINUTE);
    utimesSync(dead, written, written);
    utimesSync(`${dead}-wal`, written, written);
    chmodSync(`${dead}-wal`, 0o600);
    chmodSync(dead, 0o600);
    expect(await open()).toBe(1203);
  });
});

describe('a damaged database', () => {
  it('does not open, and says why', async () => {
    const { file } = await migratedFile();
    writeFileSync(file, 'no database at all'.repeat(1000));
    await expect(openStore({ file })).rejects.toMatchObject({ cause: { code: 'SQLITE_NOTADB' } });
  });

  it('is said in one line by the log and by /readyz, for good', async () => {
    const { file } = await migratedFile();
    const handle = new Database(file);
    const roots = handle
      .prepare<[], number>("select rootpage from sqlite_master where tbl_name = 'posts'")
      .pluck()
      .all();
    const size = handle.pragma('page_size', { simple: true }) as number;
    handle.close();
    const bytes = readFileSync(file);
    for (const root of roots) bytes.fill(0xff, (root - 1) * size, root * size);
    writeFileSync(file, bytes);
    const lines: string[] = [];
    const record = (_: object, line: string) => void lines.push(line);
    const world = await makeWorld({ store: { file, log: { info: record, warn: record } } });
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await world.rest('GET /v1/posts');
      expect([status, body.error.code]).toEqual([503, 'http.503']);
    }
    await expect(world.product.store.db.selectFrom('posts').selectAll().execute()).rejects.toThrow(StoreUnavailable);
    const unready = await fetch(`${world.root}/readyz`);
    const problem = expect.stringMatching(/^store: the database file is damaged; [^\n]*restore a copy[^\n]*$/);
    expect([unready.status, ((await unready.json()) as { problems: string[] }).problems]).toEqual([
      503,
      expect.arrayContaining([problem]),
    ]);
    expect(lines.filter((line) => line.includes('damaged'))).toHaveLength(1);
  });
});
