import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
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
    /^id +address +name +since\nusr_\w+ +owner@localhost +Owner +[\d-]+ +owner\nusr_\w+ +anna@example\.org +anna +[\d-]+\n$/,
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
  expectComplaint(await runCommand(['session', 'list', '--email', 'no@example.org'], env), /no such user/);
});
