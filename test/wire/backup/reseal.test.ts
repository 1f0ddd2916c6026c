import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { call, expectComplaint, runCommand, startProduct } from '../clients/product.ts';

const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];

it('seals everything anew beside a server that has the new key, and refuses beside one that has not', async () => {
  const dataDir = join(makeFolder(), 'data');
  const first = await startProduct(dataDir, { MASTER_KEY: OLD });
  const { key } = first.firstRun();
  const rotated = { DATA_DIR: dataDir, MASTER_KEY: `${NEW},${OLD}` };
  expectComplaint(await runCommand(['reseal'], rotated), /does not have the newest master key/);
  const publish = async (server: Parameters<typeof call>[0], text: string) => {
    const [{ id }] = (await call(server, key, 'GET /v1/accounts')).data;
    const post = { text, account_ids: [id], publish_now: true };
    return (await call(server, key, 'POST /v1/posts', post)).status as string;
  };
  expect(await publish(first, 'With the old key')).toBe('published');
  await first.stop();

  // One that is paused encrypts what it is given, such as the secret of an endpoint.
  const paused = await startProduct(dataDir, { MASTER_KEY: OLD, PAUSED: 'on' });
  expectComplaint(await runCommand(['reseal'], rotated), /perhaps a paused one/);
  await paused.stop();

  const second = await startProduct(dataDir, { MASTER_KEY: rotated.MASTER_KEY });
  expect(await publish(second, 'With both keys')).toBe('published');
  expect(await runCommand(['reseal'], rotated)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[1-9]\d* /) });
  expect(await publish(second, 'After it was sealed anew')).toBe('published');
  expect((await runCommand(['reseal'], rotated)).stdout).toMatch(/^0 values/);
  await second.stop();

  const third = await startProduct(dataDir, { MASTER_KEY: NEW });
  expect(await publish(third, 'With the new key alone')).toBe('published');
});
