import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

it.each([
  [['key'], 'missing subcommand; try `key create`'],
  [['user', '--email'], 'missing subcommand; try `user create` or `user password`'],
  [['user', 'remove'], 'unknown command user remove; try `user create` or `user password`'],
  [['sing'], 'unknown command sing'],
])('%j ends with %s and the usage', (args, why) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n').slice(0, 3)).toEqual([`rostra: ${why}`, '', 'Usage: rostra <command>']);
});
