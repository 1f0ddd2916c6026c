import { expect } from 'vitest';
import { setUp } from '../../../harness/calls/browser.ts';
import { it } from '../../../harness/world.ts';

it('the inbox of a brand or platform lets go of an account of another, and keeps the rest of its address', async ({
  world,
  account,
}) => {
  const browser = await setUp(world);
  const { body: brand } = await world.rest('POST /v1/brands', { name: 'Bakery' });
  const open = (brandId: string) =>
    browser.open(`/dashboard/inbox?view=messages&brand=${brandId}&account=${account.id}&platform=bluesky`);
  expect((await open(account.brand_id)).status).toBe(200);
  const { status, headers } = await open(brand.id);
  expect([status, headers.location]).toEqual([
    302,
    `/dashboard/inbox?view=messages&brand=${brand.id}&platform=bluesky`,
  ]);
  const other = await browser.open(`/dashboard/inbox?view=messages&account=${account.id}&platform=threads`);
  expect([other.status, other.headers.location]).toEqual([302, '/dashboard/inbox?view=messages&platform=threads']);
});
