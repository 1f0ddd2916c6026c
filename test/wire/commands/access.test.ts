import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { DatabaseSync } from 'node:sqlite';
import { askRest } from '../../harness/calls/requests.ts';
import { expectComplaint, runCommand, startProduct } from '../clients/product.ts';

it('shows users, keys and sessions, and ends what should not go on, while the server runs', async () => {
  const folder = join(makeFolder(), 'data');
  const server = await startProduct(folder);
  const env = { DATA_DIR: folder };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, env);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const email = 'anna@example.org';
  const input = ['correct horse battery\n'];
  const made = await runCommand(['user', 'create', '--email', email, '--password-stdin'], env, { input });
  expect(made.code).toBe(0);
  expect(await run('user', 'list')).toMatch(
    /^id +address +name +role +workspace of +since\nusr_\w+ +owner@localhost +Owner +owner +owner@localhost +[\d-]+ +owns the server\nusr_\w+ +anna@example\.org +anna +owner +anna@example\.org +[\d-]+\n$/,
  );

  const key = (await run('key', 'create', '--name', 'n8n', '--scopes', 'posts:read', '--email', email)).trim();
  const listed = await run('key', 'list', '--email', email);
  expect(listed).toMatch(/^id +name +key +scopes +last used\nkey_\w+ +n8n +\S+ +posts:read +never\n$/);
  expect(listed).not.toContain(key);
  expect((await askRest(server.url, key, 'GET /v1/posts')).status).toBe(200);
  const [id = ''] = /key_\w+/.exec(listed)!;
  expect(await run('key', 'revoke', id, '--email', email)).toBe(`The key ${id} is revoked.\n`);
  expect((await askRest(server.url, key, 'GET /v1/posts')).status).toBe(401);

  expect(await run('session', 'list', '--email', email)).toBe('since  ends unless used\n');
  expect(await run('session', 'end', '--email', email)).toBe(`${email} is signed out of every browser.\n`);
  const store = new DatabaseSync(join(folder, 'rostra.db'));
  const rows = store.prepare(`select client, tool, effect_id from audit where facade = 'command' order by id`).all();
  store.close();
  expect(rows.map((row) => [row['client'], row['tool'], row['effect_id']])).toEqual([
    ['rostra key create', 'create_key', id],
    ['rostra key revoke', 'revoke_key', id],
    ['rostra session end', 'sign_out', null],
  ]);
  expectComplaint(await runCommand(['session', 'list', '--email', 'no@example.org'], env), /no such user/);

  const other = (await run('key', 'create', '--name', 'other', '--email', email)).trim();
  const status = async () => (await askRest(server.url, other, 'GET /v1/posts')).status;
  expect(await status()).toBe(200);
  expect(await run('user', 'disable', '--email', email)).toContain(`${email} is disabled`);
  await expect.poll(status, { timeout: 2_000 }).toBe(401);
  expect(await run('user', 'list')).toMatch(/anna@example\.org .* disabled\n$/);
  await run('user', 'enable', '--email', email);
  await expect.poll(status, { timeout: 2_000 }).toBe(200);
  const owner = ['--email', 'owner@localhost'];
  expectComplaint(await runCommand(['user', 'disable', ...owner], env), /owns the server/);
  expectComplaint(await runCommand(['user', 'delete', ...owner, '--yes'], env), /owns the server/);
  await run('user', 'owner', '--email', email);
  expectComplaint(await runCommand(['user', 'delete', ...owner], env), /add --yes/);
  expect(await run('user', 'delete', ...owner, '--yes')).toContain('are deleted');
  expect(await run('user', 'list')).toMatch(/^id .*\nusr_\w+ +anna@example\.org .* owns the server\n$/);
  expectComplaint(
    await runCommand(['forget-secrets', '--yes'], env),
    /its master key is not lost: nothing was changed/,
  );
});
