import { expect } from 'vitest';
import { setUp } from '../../harness/calls/browser.ts';
import { block } from '../../harness/calls/operations.ts';
import { personWith } from '../../harness/calls/people.ts';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { it, makeWorld } from '../../harness/world.ts';

const PATH = '/dashboard/billing';

it('somebody whose payment failed is led from any page to where it is paid, if their role pays', async () => {
  const world = await makeBillingWorld();
  await world.buy('pro');
  const browser = await setUp(world);
  const { browser: editor } = await personWith(world, 'editor');
  await block(world);
  const refused = await browser.open('/dashboard/posts');
  expect([refused.status, refused.text]).toEqual([402, expect.stringContaining(`href="${PATH}"`)]);
  const told = await editor.open('/dashboard/posts');
  expect([told.status, told.words]).toEqual([402, expect.stringContaining('Ask an administrator')]);
  expect(told.text).not.toContain(PATH);
  const page = await browser.open(PATH);
  expect([page.status, page.words]).toEqual([200, expect.stringContaining('The last payment failed')]);
  expect(page.text).toContain(`href="${PATH}"`);
  const opened = await browser.submit(page, {}, PATH);
  const [, url = ''] = /<a class="button primary" href="([^"]+)"/.exec(opened.text) ?? [];
  expect((await fetch(url)).status).toBe(200);
});

it('the page that hands the workspace over says whose address the payment provider keeps', async () => {
  const world = await makeWorld({
    env: {
      STRIPE_SECRET_KEY: 'sk_test_0123456789',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
      STRIPE_PRICE_PRO_MONTH: 'price_1',
    },
  });
  const browser = await setUp(world);
  const { id } = await personWith(world, 'admin');
  const asked = await browser.open(`/dashboard/people/hand-over?person=${id}`);
  expect(asked.words).toContain('keeps the e-mail address that it has for this workspace, until it is changed');
  expect(asked.text).toContain(`href="${PATH}"`);
});

it('somebody without a subscription is told so', async ({ world }) => {
  const browser = await setUp(world);
  const page = await browser.open(PATH);
  const refused = await browser.submit(page, {}, PATH);
  expect([refused.status >= 400, refused.text]).toEqual([true, expect.stringContaining('role="alert"')]);
});
