import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serve, stop } from './clients/serving.ts';

/** Several processes start one after the other. */
const SLOW = { timeout: 90_000 };

const CLONE = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-first-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts twice, the second time without what the first wrote down; answers what then runs and what it printed. */
async function startAgain(dataDir: string, more: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', DATA_DIR: dataDir, ...more };
  const first = await serve(env);
  await stop(first.child);
  rmSync(join(dataDir, 'first-run.txt'));
  return serve(env);
}

const hint = (printed: string) => /To create one.*?: (.*)$/m.exec(printed)?.[1];

it.each(['plain', 'with a space', 'o\'clock $HOME `id` \\ "it"'])(
  'prints a command that makes a key in the data folder %s',
  SLOW,
  async (name) => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    const { child, root, printed } = await startAgain(dataDir);
    try {
      const command = hint(printed)!;
      const made = spawnSync('sh', ['-c', command], {
        cwd: CLONE,
        env: { PATH: process.env['PATH'] },
        encoding: 'utf8',
      });
      expect([made.status, made.stdout]).toEqual([0, expect.stringMatching(/^rostra_key_\S+\n$/)]);
      const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
      expect((await fetch(`${root}/v1/users/me`, { headers })).status).toBe(200);
    } finally {
      await stop(child);
    }
  },
);

it('prints no secret in it, but says which settings it needs besides', SLOW, async () => {
  const MASTER_KEY = 'ab'.repeat(32);
  const { child, printed } = await startAgain(folder, { MASTER_KEY });
  await stop(child);
  expect(printed).toMatch(
    /To create one \(with the MASTER_KEY of this server\): DATA_DIR=\S+ .* key create --name first$/m,
  );
  expect(printed).not.toContain(MASTER_KEY);
});
