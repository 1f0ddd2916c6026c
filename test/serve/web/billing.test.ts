import { expect, it } from 'vitest';
import { call } from '../../harness/calls/operations.ts';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { makeWorld } from '../../harness/world.ts';

it('who returns from the payment page reads what became of it', async () => {
  const world = await makeBillingWorld();
  const heading = async (path: string) => {
    const page = await fetch(world.root + path);
    const policy = page.headers.get('content-security-policy');
    expect([page.status, policy]).toEqual([200, expect.stringContaining("default-src 'none'; style-src 'self'")]);
    return /<h1>(.*?)<\/h1>/s
      .exec(await page.text())![1]!
      .replaceAll(/<span.*?<\/span>/g, '')
      .trim();
  };
  const { session_id, url } = (await call(world, 'create_checkout', { tier: 'pro' })).body;
  expect(await heading(`/billing/paid?session_id=${session_id}`)).toBe('Not paid yet');
  await world.pay(session_id);
  expect(await heading(`/billing/paid?session_id=${session_id}`)).toBe('Thank you');
  expect((await fetch(url)).status).toBe(410);
  // Whoever makes an address up learns nothing.
  for (const id of ['', 'cs_none', 'x'.repeat(4000)])
    expect(await heading(`/billing/paid?session_id=${id}`)).toBe('Thank you');
  const late = (await call(world, 'create_portal_session')).body;
  expect(await heading('/billing/back')).toBe('Back from billing');
  expect(await heading('/billing/cancelled')).toBe('Nothing was bought');
  world.clock.move(3_600_000);
  expect((await fetch(late.url)).status).toBe(410);

  const off = await makeWorld({ env: { SANDBOX: 'off' } });
  const page = await fetch(`${off.root}/billing/paid?session_id=${session_id}`);
  expect(await page.text()).not.toMatch(/\bPro\b/);
  expect((await off.rest('POST /push/billing', {}, { key: null })).body.error.code).toBe('auth.invalid_secret');
});
