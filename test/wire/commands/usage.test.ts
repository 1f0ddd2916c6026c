import { expect, it } from 'vitest';
import { runProduct } from './command.ts';

it.each([
  [['key'], 'missing subcommand; try `key create`'],
  [['user', '--email'], 'missing subcommand; try `user create` or `user password`'],
  [['user', 'remove'], 'unknown command user remove; try `user create` or `user password`'],
  [['sing'], 'unknown command sing'],
])('%j ends with %s and the usage', async (args, why) => {
  const { code, out, err } = await runProduct(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n').slice(0, 3)).toEqual([`rostra: ${why}`, '', 'Usage: rostra <command>']);
});
