import { expect, it } from 'vitest';
import { sha256 } from '#kernel/sign.ts';
import { expectComplaint } from '../clients/product.ts';
import { useDataFolder } from './command.ts';

const { run, withStore, addUsers } = useDataFolder();

const create = (...args: string[]) => run(['key', 'create', ...args]);
/** The owner and a second user; ids by e-mail address. */
const furnish = () => addUsers('owner@example.org', 'second@example.org');
const keys = () => withStore(({ db }) => db.selectFrom('keys').selectAll().orderBy('created_at').execute());

it('prints a key of the owner, or of the user who is named, alone', async () => {
  const users = await furnish();
  const made = [
    await create('--name', 'Bot'),
    await create('--name', 'Other', '--email', ' Second@Example.org', '--scopes', 'posts:read, accounts:read,'),
  ];
  for (const { code, stdout } of made)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^rostra_key_[0-9a-f]{62}\n$/)]);
  const [first, second] = await keys();
  expect(first).toMatchObject({
    name: 'Bot',
    user_id: users['owner@example.org'],
    scopes: [],
    hash: sha256(made[0]!.stdout.trim()),
  });
  expect(second).toMatchObject({
    name: 'Other',
    user_id: users['second@example.org'],
    scopes: ['posts:read', 'accounts:read'],
    hash: sha256(made[1]!.stdout.trim()),
  });
});

it('makes no key without limits out of limits that are empty, nor one of nobody', async () => {
  await furnish();
  for (const [args, said] of [
    [['--scopes', ''], /--scopes is empty/],
    [['--scopes', ' , '], /--scopes is empty/],
    [['--brands', ''], /--brands is empty/],
    [['--scopes', 'posts:fly'], /no scope posts:fly/],
    [['--email', 'nobody@example.org'], /no such user/],
    [['--email', ''], /no such user/],
  ] as const)
    expectComplaint(await create('--name', 'Bot', ...args), said);
  expect(await keys()).toEqual([]);
});
