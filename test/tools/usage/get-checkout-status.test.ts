import { DAY } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

it('get_checkout_status follows the page, for the workspace whose it is', async () => {
  const world = await makeBillingWorld();
  const { session_id } = (await call(world, 'create_checkout', { tier: 'pro', interval: 'year' })).body;
  const status = async (id = session_id) => (await call(world, 'get_checkout_status', { session_id: id })).body;
  expect(await status()).toEqual({ session_id, status: 'open', tier: 'pro', billing_blocked: false });
  const none = call(world, 'get_checkout_status', { session_id: 'cs_none' });
  await expectRefusal(none, 'resource.not_found', { resource: 'checkout_session' });
  const { key } = await world.stranger();
  await expectRefusal(call(world, 'get_checkout_status', { session_id }, { key }), 'resource.not_found');

  // Whoever asks knows of the payment before its event has come.
  await world.act('settings', { push_paused: true });
  await world.pay(session_id);
  expect((await world.me()).plan).toBe('free');
  expect(await status()).toMatchObject({ status: 'complete', tier: 'pro' });
  expect((await world.me()).plan).toBe('pro');
});

it('get_checkout_status says when the page expired', async () => {
  const world = await makeBillingWorld();
  const { session_id } = (await call(world, 'create_checkout', { tier: 'pro' })).body;
  world.clock.move(DAY);
  expect((await call(world, 'get_checkout_status', { session_id })).body.status).toBe('expired');
  const again = (await call(world, 'create_checkout', { tier: 'pro' })).body;
  expect(again.session_id).not.toBe(session_id);
});
