import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../harness/folders.ts';
import { freePort } from '../harness/sockets.ts';
import { serve } from './clients/serving.ts';

/** Several processes start one after the other. */
const SLOW = { timeout: 90_000 };

const CLONE = fileURLToPath(new URL('../..', import.meta.url));

/** Starts twice, the second time without what the first wrote down; answers what then runs until the test has ended. */
async function startAgain(dataDir: string, more: NodeJS.ProcessEnv = {}) {
  const first = await serve(dataDir, more);
  await first.stop();
  rmSync(join(dataDir, 'first-run.txt'));
  const second = await serve(dataDir, more);
  onTestFinished(second.stop);
  return second;
}

const hint = (printed: string) => /To create one.*?: (.*)$/m.exec(printed)?.[1];

it.each(['plain', 'with a space', 'o\'clock $HOME `id` \\ "it"'])(
  'prints a command that makes a key in the data folder %s',
  SLOW,
  async (name) => {
    const dataDir = join(makeFolder(), name);
    mkdirSync(dataDir);
    const { root, printed } = await startAgain(dataDir);
    const env = { PATH: process.env['PATH'] };
    const made = spawnSync('sh', ['-c', hint(printed)!], { cwd: CLONE, env, encoding: 'utf8' });
    expect([made.status, made.stdout]).toEqual([0, expect.stringMatching(/^rostra_key_\S+\n$/)]);
    const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
    expect((await fetch(`${root}/v1/users/me`, { headers })).status).toBe(200);
  },
);

it('prints no secret in it, but says which settings it needs besides', SLOW, async () => {
  const MASTER_KEY = 'ab'.repeat(32);
  const { printed } = await startAgain(makeFolder(), { MASTER_KEY });
  expect(printed).toMatch(
    /To create one \(with the MASTER_KEY of this server\): DATA_DIR=\S+ .* key create --name first$/m,
  );
  expect(printed).not.toContain(MASTER_KEY);
});

it('answers nobody before the first key is written down, so that a script may wait for any answer', SLOW, async () => {
  const dataDir = makeFolder();
  const PORT = String(await freePort());
  const served = serve(dataDir, { PORT });
  onTestFinished(async () => (await served).stop());
  const until = Date.now() + 60_000;
  let status = 0;
  // Nobody listens at first.
  while (status === 0 && Date.now() < until) {
    status = await fetch(`http://localhost:${PORT}/readyz`).then(
      (answer) => answer.status,
      () => setTimeout(20, 0),
    );
  }
  expect([status, existsSync(join(dataDir, 'first-run.txt'))]).toEqual([200, true]);
});

const network = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal);

it.skipIf(network === undefined)('is complete on an address of the network, too', SLOW, async () => {
  const served = await serve(makeFolder(), { HOST: network!.address });
  await served.stop();
  expect(served.firstRun).toContain('"publish_now":true');
});
