import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { until } from '../../harness/processes.ts';
import { call, expectComplaint, runCommand, startProduct } from '../clients/product.ts';

const inTar = (file: string, path: string) => execFileSync('tar', ['-xOf', file, path]).toString('utf8');

it('a server saves its store regularly and keeps the newest backups, which restore as a whole or not at all', async () => {
  const [folder, to] = [join(makeFolder(), 'data'), join(makeFolder(), 'backups')];
  mkdirSync(to, { recursive: true });
  const older = ['rostra-20200101T000000Z.tar', 'rostra-20210101T000000Z.tar'];
  // One was killed while it was written; what is not ours stays.
  const killed = 'rostra-20220101T000000Z.tar.part';
  for (const name of [...older, killed, 'notes.txt']) writeFileSync(join(to, name), '');
  utimesSync(join(to, killed), new Date(0), new Date(0));
  // Neither is what others put among the media.
  for (const path of ['media/lost+found', 'media/ab/cd']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['media/notes.txt', 'media/xy', 'media/ab/notes.txt']) writeFileSync(join(folder, path), '');
  const env = { BACKUP_TO: to, BACKUP_KEEP: '2', SANDBOX: 'on', METRICS_TOKEN: 'hush', PUBLISH_MAX_LATENESS: '3h' };
  const server = await startProduct(folder, env);
  const { key } = server.firstRun();
  const [name = ''] = await until(async () => {
    const made = readdirSync(to).filter(
      (one) => one.startsWith('rostra-202') && one.endsWith('.tar') && !older.includes(one),
    );
    const left = readdirSync(to);
    return made.length > 0 && !left.includes(older[0]!) && !left.includes(killed) ? made : undefined;
  });
  expect(readdirSync(to).toSorted()).toEqual(['notes.txt', older[1], name]);
  await call(server, key, 'GET /v1/accounts');
  await server.stop();

  const file = join(to, name);
  const settings = inTar(file, 'settings.env');
  expect(settings).toContain('PUBLISH_MAX_LATENESS=3h');
  expect(settings).toContain('# METRICS_TOKEN is set');
  expect(settings).not.toContain('hush');
  expect(JSON.parse(inTar(file, 'manifest.json'))).toMatchObject({ format: 1, store: 'sqlite', bucket: false });

  const empty = () => ({ DATA_DIR: join(makeFolder(), 'data') });
  const restore = (from: string, place = empty()) => runCommand(['restore', from], place);
  expectComplaint(await restore(file, { DATA_DIR: folder }), /is in use \(rostra\.db, sandbox\.db, media\)/);
  expectComplaint(await runCommand(['backup', file], { DATA_DIR: folder }), /exists already; name another file/);
  expectComplaint(await runCommand(['backup', 'x.tar'], empty()), /there is no database/);

  const begun = empty();
  mkdirSync(begun.DATA_DIR);
  const unmade = new DatabaseSync(join(begun.DATA_DIR, 'rostra.db'));
  unmade.exec('create table schema_migrations (version, name); create table settings (name, value)');
  unmade.close();
  expectComplaint(
    await runCommand(['backup', 'x.tar'], { ...begun, MASTER_KEY: '1'.repeat(64) }),
    /is still being created/,
  );

  const bytes = readFileSync(file);
  const damaged = join(to, 'damaged.tar');
  writeFileSync(damaged, bytes.subarray(0, bytes.length / 2));
  expectComplaint(await restore(damaged), /the archive is damaged or not complete/);
  const changed = Buffer.from(bytes);
  changed[512 + 200_000]! ^= 1;
  writeFileSync(damaged, changed);
  const place = empty();
  expectComplaint(await restore(damaged, place), /rostra\.db of the backup is damaged or missing/);
  expect(readdirSync(place.DATA_DIR)).toEqual([]);
  expectComplaint(await restore(join(to, 'notes.txt')), /the archive is damaged or not complete/);

  const first = await restore(file, place);
  expect(first).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('Put the master key with the id'),
  });
  expectComplaint(
    await runCommand(['serve'], { ...place, PORT: '0' }),
    /master\.key is missing, but a database exists/,
  );
  const piped = await runCommand(['restore', '-'], empty(), { input: [bytes] });
  expect(piped).toMatchObject({ code: 0, stderr: '' });
});

it('a folder for backups that cannot be made is a line in the log that says why', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'file'), '');
  const to = join(folder, 'file', 'backups');
  const server = await startProduct(join(folder, 'data'), { BACKUP_TO: to, METRICS_TOKEN: 'hush' });
  const headers = { Authorization: 'Bearer hush' };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  expect(metrics).toContain('rostra_backups_total{outcome="failed"} 1');
  const { stdout } = await server.stop();
  const line = stdout.split('\n').find((one) => one.includes('the backup failed')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', backup_to: to, why: expect.stringMatching(/^ENOTDIR/) });
});
