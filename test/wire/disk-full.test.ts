import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { askRest } from '../harness/calls/requests.ts';
import { makeFolder } from '../harness/folders.ts';
import { fill, mountSmallDisk } from '../harness/operating/small-disk.ts';
import { until } from '../harness/processes.ts';
import { MAIN } from '../harness/program.ts';
import { freePort } from '../harness/sockets.ts';
import { expectComplaint, runCommand, startProduct } from './clients/product.ts';

it('a disk that is full is said once, and over when there is room again', { timeout: 60_000 }, async ({ skip }) => {
  const disk = join(makeFolder(), 'disk');
  mkdirSync(disk);
  if (!mountSmallDisk(disk)) return skip('no file system can be mounted here');
  const server = await startProduct(join(disk, 'data'));
  const { key } = server.firstRun();
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  const draft = () => askRest(server.url, key, 'POST /v1/posts', { text: 'x'.repeat(60_000) });
  const upload = (bytes: number) => {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
    return askRest(server.url, key, 'POST /v1/media/upload', body);
  };
  expect([await ready(), (await draft()).status]).toEqual([200, 201]);

  fill(join(disk, 'ballast'));
  for (let count = 0; count < 3; count += 1) {
    const refused = await draft();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  }
  // Longer than the store has to be without a failure to count as back: the loops go on, and change nothing.
  await wait(7_000);
  expect(await ready()).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await askRest(server.url, key, 'GET /v1/posts')).status).toBe(200);
  for (const bytes of [1_000, 3_000_000]) {
    const { status, body } = await upload(bytes);
    expect([status, body.error.code]).toEqual([503, 'http.503']);
  }
  const env = { DATA_DIR: join(disk, 'data') };
  expectComplaint(await runCommand(['key', 'list'], env), /ENOSPC.*; make room on its disk/);
  expect(readdirSync(env.DATA_DIR).filter((name) => name.startsWith('.write-test'))).toEqual([]);
  const { stdout: report } = await runCommand(['doctor'], env);
  expect(report).toMatch(/failure {2}disk .*\n.*→ make room/);
  expect(report).toMatch(/failure {2}database .*\n.*→ make room/);

  rmSync(join(disk, 'ballast'));
  await wait(6_000);
  expect([await ready(), (await draft()).status]).toEqual([200, 201]);
  const { code, stdout } = await server.stop();
  expect(code).toBe(0);
  const said = stdout.split('\n').filter((line) => line.includes('the store is'));
  expect(said.map((line) => JSON.parse(line).msg)).toEqual([
    'the store is unavailable; requests are answered with 503',
    'the store is available again',
  ]);
  expect(stdout).not.toContain('"level":"error"');
});

it.skipIf(process.platform !== 'linux')('a log that cannot be written costs lines and nothing else', async () => {
  const port = await freePort();
  const child = spawn('sh', ['-c', 'exec "$0" "$@" >/dev/full', process.execPath, MAIN, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: makeFolder(), PORT: String(port) },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => undefined))?.status;
  await until(async () => ((await ready()) === 200 ? true : undefined));
  for (let count = 0; count < 20; count += 1)
    expect((await fetch(`http://localhost:${port}/v1/posts`)).status).toBe(401);
  await wait(500);
  expect(await ready()).toBe(200);
  // What a closed terminal sends is no reason to break off.
  child.kill('SIGHUP');
  expect(await ended).toEqual([0, null]);
});
