import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { makeFolder } from '../harness/folders.ts';
import { call, expectComplaint, runCommand, startProduct } from './clients/product.ts';

it('a copy that is restored over the folder of a killed server is not mixed with what that left', async () => {
  const folder = join(makeFolder(), 'data');
  const file = join(folder, 'rostra.db');
  const server = await startProduct(folder);
  const { key } = server.firstRun();
  const draft = (text: string) => call(server, key, 'POST /v1/posts', { text });
  await draft('before the copy');
  const handle = new Database(file);
  await handle.backup(join(folder, 'copy.db'));
  for (let count = 0; count < 20; count += 1) await draft(`after the copy ${'x'.repeat(4_000)}`);
  handle.pragma('wal_checkpoint(PASSIVE)');
  handle.close();
  await draft('the last one');
  await server.kill();

  copyFileSync(join(folder, 'copy.db'), file);
  const start = () => runCommand(['serve'], { DATA_DIR: folder, PORT: '0' });
  expectComplaint(await start(), /if you restored a copy, remove rostra\.db-wal and rostra\.db-shm/);
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  const again = await startProduct(folder);
  const { data } = await call(again, key, 'GET /v1/posts');
  expect(data.map(({ text }: { text: string }) => text)).toEqual(['before the copy']);
  await again.kill();

  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  writeFileSync(file, 'no database at all'.repeat(1000));
  expectComplaint(await start(), /the database file is damaged; restore a copy of it/);
});
