import { expect, it } from 'vitest';
import { HELP } from '#cli/usage.ts';
import { runCommand } from '../clients/product.ts';

it.each([
  [['key'], 'missing subcommand; try `key create` or `key list` or `key revoke`'],
  [
    ['user', '--email'],
    'missing subcommand; try `user create` or `user password` or `user list` or `user role` or `user disable` or `user enable` or `user owner` or `user delete`',
  ],
  [['sing'], 'unknown command sing'],
])('%j ends with %s and the usage', async (args, why) => {
  const { code, stdout, stderr } = await runCommand(args, {});
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n').slice(0, 3)).toEqual([`rostra: ${why}`, '', 'Usage: rostra <command>']);
});

it('each command tells of itself, and none is left out', async () => {
  const all = (await runCommand(['--help'], {})).stdout;
  expect(all).toMatch(/^Usage: rostra <command>\n/);
  for (const { command } of HELP) expect(all).toContain(`  ${command}`);
  for (const [args, first] of [
    [['user', 'disable', '--help'], 'Usage: rostra user disable --email <address>'],
    [['help', 'backup'], 'Usage: rostra backup <file>'],
    [['serve', '-h'], 'Usage: rostra serve [--paused]'],
    [['user', '--help'], 'Usage: rostra user <command>'],
    [['receiver', '--help'], 'usage: receiver [--port 8443] [--folder ./data] [--secret <64 hex>] [--fail N]'],
  ] as const) {
    const { code, stdout } = await runCommand([...args], {});
    expect([code, stdout.split('\n')[0]]).toEqual([0, first]);
  }
});
