import { HOUR } from '#kernel/clock.ts';
import { makeBrowser } from '../../harness/calls/browser.ts';
import { describe, expect, test } from 'vitest';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { askStripe, makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { makeWorld } from '../../harness/world.ts';

const it = test.extend('world', () => makeBillingWorld());

describe('create_checkout', () => {
  it('answers a page on which the plan is bought, and the same one for the same request', async ({ world }) => {
    const { body } = await call(world, 'create_checkout', { tier: 'pro' });
    expect(body).toEqual({
      url: `${world.root}/sandbox/stripe/www/pay/${body.session_id}`,
      session_id: expect.stringMatching(/^cs_/),
    });
    expect((await call(world, 'create_checkout', { tier: 'pro' })).body).toEqual(body);
    expect(await world.list('checkouts')).toMatchObject([
      { client_reference_id: world.workspaceId, metadata: { workspace_id: world.workspaceId }, amount_total: 10_900 },
    ]);
    expect(await world.list('customers')).toMatchObject([{ email: 'owner@example.org' }]);
    const page = await fetch(body.url);
    expect(await page.text()).toContain('Subscribe to Pro, 109 USD a month');
  });

  it('ends the page before when another plan is chosen, so that only one is paid', async ({ world }) => {
    const first = (await call(world, 'create_checkout', { tier: 'pro' })).body;
    const second = (await call(world, 'create_checkout', { tier: 'business', interval: 'year' })).body;
    expect(second.session_id).not.toBe(first.session_id);
    expect((await fetch(first.url)).status).toBe(410);
    const status = (id: string) => call(world, 'get_checkout_status', { session_id: id });
    expect((await status(first.session_id)).body).toMatchObject({ status: 'expired', tier: 'pro' });
    expect((await status(second.session_id)).body).toMatchObject({ status: 'open', tier: 'business' });
    await world.pay(second.session_id);
    expect(await world.list('subscriptions')).toMatchObject([{ status: 'active' }]);
  });

  it('makes no other page for somebody who pays on the page before in that moment', async () => {
    const meanwhile: (() => Promise<unknown>)[] = [];
    let paying: Promise<unknown> = Promise.resolve();
    const world = await makeBillingWorld({
      surroundings: {
        openSandbox(options) {
          const sandbox = openTestSandbox(options);
          const make = sandbox.app.callback.bind(sandbox.app);
          sandbox.app.callback = () => {
            const handle = make();
            return async (req, res) => {
              // Both the request and the job behind it end the page; neither may before it is paid.
              if (req.url!.endsWith('/expire')) await (paying = meanwhile.pop()?.() ?? paying);
              return handle(req, res);
            };
          };
          return sandbox;
        },
      },
    });
    const { session_id: checkout } = (await call(world, 'create_checkout', { tier: 'starter' })).body;
    meanwhile.push(() => askStripe(world, 'POST', 'pay', { checkout, card: 'works' }));
    const { body } = await call(world, 'create_checkout', { tier: 'pro' });
    expect(await (await fetch(body.url)).text()).toContain('From Starter, 29 USD a month to Pro, 109 USD a month.');
    expect(await world.list('subscriptions')).toHaveLength(1);
    expect((await world.me()).plan).toBe('starter');
  });

  it('of a subscriber leads to the confirmation of the change, and refuses the plan there is', async ({ world }) => {
    await world.buy('starter');
    await expectRefusal(call(world, 'create_checkout', { tier: 'starter' }), 'resource.conflict');
    const { body } = await call(world, 'create_checkout', { tier: 'business' });
    expect(body.session_id).toMatch(/^chg_/);
    const page = await (await fetch(body.url)).text();
    expect(page).toContain('From Starter, 29 USD a month to Business, 349 USD a month.');
    const status = async () => (await call(world, 'get_checkout_status', { session_id: body.session_id })).body;
    const { session_id } = body;
    expect(await status()).toEqual({ session_id, status: 'open', tier: 'business', billing_blocked: false });
    const { id } = await world.subscription();
    await world.act('change_plan', { subscription: id, price: 'price_business_month' });
    expect(await status()).toMatchObject({ status: 'complete' });
    expect((await world.me()).plan).toBe('business');
  });

  it('leads a subscriber back with the id of the session, or to where nothing was changed', async ({ world }) => {
    await world.buy('starter');
    const { body } = await call(world, 'create_checkout', { tier: 'pro' });
    const browser = makeBrowser(world);
    const page = await browser.open(body.url);
    const leads = async (choice: string) => (await browser.submit(page, { choice })).headers.location;
    expect(await leads('back')).toBe(`${world.root}/billing/cancelled`);
    expect(await leads('confirm')).toBe(`${world.root}/billing/paid?session_id=${body.session_id}`);
    const { words } = await browser.open(`/billing/paid?session_id=${body.session_id}`);
    expect(words).toContain('The plan Pro is confirmed');
  });

  it('goes back to addresses of the redirect whitelist alone', async ({ world }) => {
    const success_url = 'https://app.example.org/paid?session={CHECKOUT_SESSION_ID}';
    const cancel_url = 'https://app.example.org/cancelled';
    await world.product.modules.redirects.create({ workspace: world.workspaceId } as never, success_url, undefined);
    const ask = (input: object) => call(world, 'create_checkout', { tier: 'pro', ...input });
    await expectRefusal(ask({ success_url, cancel_url }), 'auth.oauth.invalid_redirect', { field: 'cancel_url' });
    await expectInvalid(ask({ success_url: 'javascript:alert(1)' }), 'success_url');
    const { body } = await ask({ success_url });
    expect(await world.list('checkouts')).toMatchObject([
      { id: body.session_id, success_url, cancel_url: `${world.root}/billing/cancelled` },
    ]);
  });

  it('takes the plans that are sold, and says which setting is missing', async ({ world }) => {
    for (const tier of ['free', 'enterprise', 'gold', 7])
      await expectInvalid(call(world, 'create_checkout', { tier }), 'tier');
    await expectRequired(call(world, 'create_checkout'), 'tier');
    await expectInvalid(call(world, 'create_checkout', { tier: 'pro', interval: 'week' }), 'interval');
    const env = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' };
    const partly = await makeWorld({ env: { ...env, STRIPE_PRICE_PRO_MONTH: 'price_1' } });
    const yearly = call(partly, 'create_checkout', { tier: 'pro', interval: 'year' });
    await expectRefusal(yearly, 'resource.not_supported', { field: 'STRIPE_PRICE_PRO_YEAR' });
    expect((await call(partly, 'get_me')).body.plan).toBe('free');
    const without = await makeWorld({ env: { SANDBOX: 'off' } });
    for (const [name, input] of [
      ['create_checkout', { tier: 'pro' }],
      ['create_portal_session', {}],
      ['get_checkout_status', { session_id: 'cs_1' }],
    ] as const)
      await expectRefusal(call(without, name, input), 'resource.not_supported', { field: 'STRIPE_SECRET_KEY' });
    expect((await call(without, 'get_me')).body.plan).toBe('enterprise');
  });

  it('says 503 while the provider does not answer, and keeps nothing half done', async ({ world }) => {
    const { sandbox } = world.product;
    await sandbox!.open('stripe');
    const fault = { network: 'stripe', person: 'rostra', kind: 'throttled', times: 2 } as const;
    sandbox!.setFault(fault);
    const { status, headers, body: refused } = await world.rest('POST /v1/billing/checkout', { tier: 'pro' });
    expect([status, refused.error.code, headers.get('retry-after')]).toEqual([503, 'http.503', '5']);
    // The answer to the customer is lost, and that to the checkout: both are asked for again with their keys.
    await fetch(`${world.root}/sandbox/__control/faults/clear`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    sandbox!.setFault({ ...fault, kind: 'lost', method: 'POST v1/customers', times: 1 });
    sandbox!.setFault({ ...fault, kind: 'lost', method: 'POST v1/checkout/sessions', times: 1 });
    const { body } = await world.rest('POST /v1/billing/checkout', { tier: 'pro' });
    expect(await world.list('customers')).toHaveLength(1);
    expect(await world.list('checkouts')).toMatchObject([{ id: body.session_id }]);
  });

  it('leaves one page to pay on, also where the provider made the page before hours after it was asked for', async () => {
    const world = await makeBillingWorld();
    const { sandbox } = world.product;
    await sandbox!.open('stripe');
    const method = 'POST v1/checkout/sessions';
    sandbox!.setFault({ network: 'stripe', person: 'rostra', kind: 'throttled', method, times: 1 });
    const ask = (tier: string) => world.rest('POST /v1/billing/checkout', { tier });
    expect((await ask('pro')).status).toBe(503);
    world.clock.move(10 * HOUR);
    const { body: late } = await ask('pro');
    world.clock.move(15 * HOUR);
    const { body: last } = await ask('business');
    expect(await world.list('checkouts')).toMatchObject([
      { id: late.session_id, status: 'expired' },
      { id: last.session_id, status: 'open' },
    ]);
  });
});
