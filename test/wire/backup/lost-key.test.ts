import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { call, expectComplaint, runCommand, startProduct } from '../clients/product.ts';

it('a backup whose master key is lost goes on with another, without the secrets alone', async () => {
  const place = makeFolder();
  const server = await startProduct(join(place, 'data'));
  const { key } = server.firstRun();
  const [account] = (await call(server, key, 'GET /v1/accounts')).data;
  await call(server, key, 'POST /v1/posts', { text: 'Hello', account_ids: [account.id], publish_now: true });
  const archive = join(place, 'rostra.tar');
  const wrong = { DATA_DIR: server.dataDir, MASTER_KEY: 'cd'.repeat(32) };
  expectComplaint(await runCommand(['forget-secrets', '--yes'], wrong), /a server works on this database/);
  expect((await runCommand(['backup', archive], { DATA_DIR: server.dataDir })).code).toBe(0);
  await server.stop();

  const env = { DATA_DIR: join(place, 'copy'), MASTER_KEY: 'ab'.repeat(32) };
  expect((await runCommand(['restore', archive], env)).stdout).toContain('The master key here is another one');
  expectComplaint(await runCommand(['serve'], { ...env, PORT: '0' }), /does not open this database/);
  expectComplaint(await runCommand(['forget-secrets'], env), /add --yes/);
  const done = await runCommand(['forget-secrets', '--yes'], env);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/accounts to be connected again: \d+/) });
  expectComplaint(await runCommand(['forget-secrets', '--yes'], env), /nothing is lost/);

  const again = await startProduct(env.DATA_DIR, { MASTER_KEY: env.MASTER_KEY });
  const { data } = await call(again, key, 'GET /v1/accounts');
  const seen = data.find(({ id }: { id: string }) => id === account.id);
  expect(seen).toMatchObject({ status: 'reconnect_required', username: account.username });
  const posts = await call(again, key, 'GET /v1/posts');
  expect(posts.data.map(({ text }: { text: string }) => text)).toContain('Hello');
});
