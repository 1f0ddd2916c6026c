import { copyFileSync, createReadStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MANIFEST } from '#cli/archive/manifest.ts';
import { readTar, writeTar, type Entry } from '#cli/archive/tar.ts';
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

it('a restore finds the key of MASTER_KEY_FILE, and reads a long manifest letter by letter', async () => {
  const place = makeFolder();
  const server = await startProduct(join(place, 'data'));
  const archive = join(place, 'rostra.tar');
  expect((await runCommand(['backup', archive], { DATA_DIR: server.dataDir })).code).toBe(0);
  await server.stop();
  // A file is read in pieces of 65,536 bytes, which is no multiple of three.
  const folder = `/srv/${'€'.repeat(100_000)}`;
  const entries: Entry[] = [];
  await readTar(createReadStream(archive), async ({ path, body }) => {
    const bytes = await buffer(body);
    const manifest = path === MANIFEST ? JSON.parse(bytes.toString()) : undefined;
    const now = manifest ? Buffer.from(JSON.stringify({ ...manifest, home: { ...manifest.home, folder } })) : bytes;
    entries.push({ path, size: now.length, body: Readable.from([now]) });
  });
  writeFileSync(archive, await buffer(writeTar(Readable.from(entries), 0)));

  const env = { DATA_DIR: join(place, 'copy'), MASTER_KEY_FILE: join(server.dataDir, 'master.key') };
  expect((await runCommand(['restore', archive], env)).stdout).toContain('The master key here opens it');
  const copy = new Database(join(env.DATA_DIR, 'rostra.db'), { readonly: true });
  const home = copy.prepare<[], string>("select value from settings where name = 'home'").pluck().get();
  copy.close();
  expect(JSON.parse(home!)).toMatchObject({ folder });
});
