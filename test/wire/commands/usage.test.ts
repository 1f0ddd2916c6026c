import { expect, it } from 'vitest';
import { runCommand } from '../clients/product.ts';

it.each([
  [['key'], 'missing subcommand; try `key create` or `key list` or `key revoke`'],
  [['user', '--email'], 'missing subcommand; try `user create` or `user password` or `user list`'],
  [['user', 'remove'], 'unknown command user remove; try `user create` or `user password` or `user list`'],
  [['sing'], 'unknown command sing'],
])('%j ends with %s and the usage', async (args, why) => {
  const { code, stdout, stderr } = await runCommand(args, {});
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n').slice(0, 3)).toEqual([`rostra: ${why}`, '', 'Usage: rostra <command>']);
});
