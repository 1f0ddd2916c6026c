import { expect, it } from 'vitest';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { call, expectInvalid, expectRefusal } from '../../harness/calls/operations.ts';

it('create_portal_session leads to the subscription, and back to an address of the whitelist', async () => {
  const world = await makeBillingWorld();
  await expectRefusal(call(world, 'create_portal_session'), 'resource.not_found', { resource: 'subscription' });
  const { id } = await world.buy('pro');
  const { body } = await call(world, 'create_portal_session');
  expect(await (await fetch(body.url)).text()).toContain('<h2>Pro, 109 USD a month</h2>');
  const return_url = 'https://app.example.org/settings';
  await expectInvalid(call(world, 'create_portal_session', { return_url: 'ftp://x' }), 'return_url');
  await world.product.modules.redirects.create({ workspace: world.workspaceId } as never, return_url, undefined);
  expect((await call(world, 'create_portal_session', { return_url })).ok).toBe(true);
  const elsewhere = call(world, 'create_portal_session', { return_url: `${return_url}/` });
  await expectRefusal(elsewhere, 'auth.oauth.invalid_redirect', { field: 'return_url' });
  await world.act('end', { subscription: id });
  await expectRefusal(call(world, 'create_portal_session'), 'resource.not_found', { resource: 'subscription' });
});
