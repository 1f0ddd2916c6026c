import { expect } from 'vitest';
import { setUp } from '../../harness/calls/browser.ts';
import { block } from '../../harness/calls/operations.ts';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { it } from '../../harness/world.ts';

const PATH = '/dashboard/billing';

it('somebody whose payment failed is led from any page to where it is paid', async () => {
  const world = await makeBillingWorld();
  await world.buy('pro');
  const browser = await setUp(world);
  await block(world);
  const refused = await browser.open('/dashboard/posts');
  expect([refused.status, refused.text]).toEqual([402, expect.stringContaining(`href="${PATH}"`)]);
  const page = await browser.open(PATH);
  expect([page.status, page.words]).toEqual([200, expect.stringContaining('The last payment failed')]);
  expect(page.text).toContain(`href="${PATH}"`);
  const opened = await browser.submit(page, {}, PATH);
  const [, url = ''] = /<a class="button primary" href="([^"]+)"/.exec(opened.text) ?? [];
  expect((await fetch(url)).status).toBe(200);
});

it('somebody without a subscription is told so', async ({ world }) => {
  const browser = await setUp(world);
  const page = await browser.open(PATH);
  const refused = await browser.submit(page, {}, PATH);
  expect([refused.status >= 400, refused.text]).toEqual([true, expect.stringContaining('role="alert"')]);
});
