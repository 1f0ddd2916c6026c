import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { expectComplaint, runCommand, startProduct, type Product } from '../clients/product.ts';

const problemsOf = async ({ url }: Product) =>
  ((await (await fetch(`${url}/readyz`)).json()) as { problems?: readonly string[] }).problems;

it('take-over ends the pause of a server whose store had another name, beside that server', async () => {
  const folder = join(makeFolder(), 'data');
  const env = { DATA_DIR: folder };
  const first = await startProduct(folder, { INSTALLATION: 'production' });
  expectComplaint(await runCommand(['take-over'], env), /no server has found this store moved/);
  expect(await problemsOf(first)).toBeUndefined();
  await first.stop();

  const renamed = await startProduct(folder);
  expect(await problemsOf(renamed)).toEqual([expect.stringContaining('(INSTALLATION)')]);
  const { code, stdout, stderr } = await runCommand(['take-over'], env);
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('Taken over'), '']);
  await expect.poll(() => problemsOf(renamed)).toBeUndefined();
  await renamed.stop();
});
