/** What a subscription makes of a workspace, by what Stripe's simulator says and sends. */
import { SECOND, HOUR, DAY } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { expect, it, test } from 'vitest';
import { call, expectRefusal } from '../../harness/calls/operations.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeBillingWorld, type BillingWorld } from '../../harness/worlds/twins/stripe.ts';

/** What a subscription decides about the workspace of a world. */
async function stateOf(world: BillingWorld) {
  const { plan, billing_blocked, billing_blocked_at } = await world.me();
  const usage = await world.rest('GET /v1/usage');
  return [plan, billing_blocked, billing_blocked_at, usage.status];
}

const NO_DAY = null;

describeStores('a subscription', ({ place }) => {
  const it = test.extend('world', async () => makeBillingWorld({ store: await place() }));

  it('that is paid makes the plan and begins a period whose counters are 0', async ({ world }) => {
    const { id } = await world.connect(0, world.brandId);
    const scheduled_at = '2026-02-01T00:00:00Z';
    await world.rest('POST /v1/posts', { text: 'One of ten', scheduled_at, account_ids: [id] });
    expect((await call(world, 'get_usage')).body).toMatchObject({ posts_used: 1, posts_limit: 10 });
    world.clock.move(5 * DAY);
    await world.buy('pro');
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    const period = { period_start: '2026-01-20T09:00:00.000Z', period_end: '2026-02-20T09:00:00.000Z' };
    expect((await call(world, 'get_usage')).body).toMatchObject({ posts_used: 0, posts_limit: -1, ...period });
    await world.pass(40 * DAY);
    expect((await call(world, 'get_usage')).body.period_start).toBe('2026-02-20T09:00:00.000Z');
    expect(await world.list('invoices')).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
  });

  it('whose payment fails once goes on, is blocked by the second failure, and restored by the payment', async ({
    world,
  }) => {
    const account = await world.connect(0, world.brandId);
    const { id } = await world.buy('pro', 'month', 'works once');
    const post = async (text: string, ms: number) => {
      const scheduled_at = new Date(world.clock.now() + ms).toISOString();
      const made = await world.rest('POST /v1/posts', { text, account_ids: [account.id], scheduled_at });
      return made.body.id as string;
    };
    await world.pass(31 * DAY);
    expect(await world.subscription()).toMatchObject({ status: 'past_due' });
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    // The automatic retry comes three days later.
    const soon = await post('Held, then published', 3 * DAY + HOUR);
    const late = await post('Held for too long', 3 * DAY + SECOND);
    await world.pass(3 * DAY);
    expect(await stateOf(world)).toEqual(['pro', true, '2026-02-18T09:00:00.000Z', 402]);
    expect((await call(world, 'get_checkout_status', { session_id: 'cs_1' })).code).toBe('resource.not_found');
    expect((await call(world, 'create_portal_session')).ok).toBe(true);
    await world.pass(6 * HOUR + 2 * SECOND);
    await world.act('use_card', { subscription: id, card: 'works' });
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    const status = async (post_id: string) => (await call(world, 'get_post', { post_id })).body;
    expect((await status(soon)).status).toBe('published');
    expect(await status(late)).toMatchObject({ status: 'failed', targets: [{ error: { code: 'billing.past_due' } }] });
    expect((await call(world, 'list_post_logs')).body).toBeDefined();
  });

  it('that nobody pays ends at the provider, and the workspace is free and unblocked', async ({ world }) => {
    await world.buy('business', 'month', 'works once');
    await world.pass(31 * DAY);
    await world.pass(3 * DAY);
    expect(await stateOf(world)).toMatchObject(['business', true, expect.any(String), 402]);
    await world.pass(5 * DAY);
    expect(await stateOf(world)).toMatchObject(['business', true, '2026-02-18T09:00:00.000Z', 402]);
    await world.pass(7 * DAY);
    expect(await world.subscription()).toMatchObject({ status: 'canceled' });
    expect(await stateOf(world)).toEqual(['free', false, NO_DAY, 200]);
  });

  it('that is left unpaid instead stays blocked until it is paid', async ({ world }) => {
    await world.act('settings', { after_retries: 'unpaid' });
    const { id } = await world.buy('pro', 'month', 'works once');
    for (const days of [31, 3, 5, 7]) await world.pass(days * DAY);
    expect(await world.subscription()).toMatchObject({ status: 'unpaid' });
    expect(await stateOf(world)).toMatchObject(['pro', true, expect.any(String), 402]);
    await world.act('use_card', { subscription: id, card: 'works' });
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
  });

  it('goes up at once, and down or to nothing at the end of the period', async ({ world }) => {
    const { id } = await world.buy('starter');
    world.clock.move(10 * DAY);
    await world.act('change_plan', { subscription: id, price: 'price_business_month' });
    expect(await stateOf(world)).toEqual(['business', false, NO_DAY, 200]);
    const period = { period_start: '2026-01-25T09:00:00.000Z', period_end: '2026-02-15T09:00:00.000Z' };
    expect((await call(world, 'get_usage')).body).toMatchObject({ brands_limit: 200, ...period });
    await world.act('plan_change', { subscription: id, price: 'price_pro_month' });
    expect((await world.me()).plan).toBe('business');
    await expectRefusal(call(world, 'create_checkout', { tier: 'business' }), 'resource.conflict');
    await world.pass(21 * DAY);
    expect((await world.me()).plan).toBe('pro');
    expect((await call(world, 'get_usage')).body.period_start).toBe('2026-02-15T09:00:00.000Z');
    await world.act('cancel', { subscription: id });
    expect((await world.me()).plan).toBe('pro');
    await world.pass(28 * DAY);
    expect(await stateOf(world)).toEqual(['free', false, NO_DAY, 200]);
    expect((await call(world, 'get_usage')).body.period_start).toBe('2026-03-15T09:00:00.000Z');
  });

  it.for([
    ['as they were made', {}],
    ['three times each', { event_copies: 3 }],
    ['three times in the reverse order', { event_copies: 3, push_reverse: true }],
  ] as const)('is the same with its events sent %s, all at the end', async ([, switches], { world }) => {
    const { id } = await world.buy('starter', 'month', 'works once');
    await world.act('settings', { push_paused: true, ...switches });
    const from = (await world.list('pushes')).length;
    await world.pass(31 * DAY);
    await world.act('retry', { subscription: id });
    await world.act('use_card', { subscription: id, card: 'works' });
    await world.act('change_plan', { subscription: id, price: 'price_pro_year' });
    expect((await world.me()).plan).toBe('starter');
    await world.act('flush');
    const sent = (await world.list('pushes')).slice(0, -from);
    const ends = sent.map(({ state, status }: { state: string; status: number }) => `${state} ${status}`);
    expect(new Set(ends)).toEqual(new Set(['delivered 200']));
    expect(sent.length).toBeGreaterThan(8 * ((switches as { event_copies?: number }).event_copies ?? 1));
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    expect((await call(world, 'get_usage')).body).toMatchObject({ period_start: '2026-02-15T09:00:00.000Z' });
  });

  it('of two checkouts begun in one moment is one: the later page is open, or both are the same', async ({ world }) => {
    const begin = (tier: string) => world.rest('POST /v1/billing/checkout', { tier });
    const same = await Promise.all(Array.from({ length: 4 }, () => begin('pro')));
    expect(new Set(same.map(({ body }) => body.session_id)).size).toBe(1);
    const other = await Promise.all(['starter', 'business', 'starter', 'pro'].map(begin));
    await world.settle();
    const allowed = other.map(({ status }) => status).filter((status) => status !== 200);
    expect(allowed.every((status) => status === 409)).toBe(true);
    const checkouts = await world.list('checkouts');
    expect(checkouts.filter(({ status }: { status: string }) => status === 'open')).toHaveLength(1);
    expect(await world.list('customers')).toHaveLength(1);
    for (const { id } of checkouts) await world.pay(id).catch(() => {});
    expect(await world.list('subscriptions')).toHaveLength(1);
    expect((await begin((await world.me()).plan)).status).toBe(409);
  });

  it('ends with its workspace', async ({ world }) => {
    await world.buy('pro');
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    await world.settle();
    expect(await world.subscription()).toMatchObject({ status: 'canceled' });
    expect(await world.list('customers')).toMatchObject([{ deleted_at: world.clock.now() }]);
    expect(await world.product.store.db.selectFrom('billing').selectAll().execute()).toEqual([]);
  });

  it('of a customer whom the provider does not know is left as it was until another one is bought', async ({
    world,
  }) => {
    const { id } = await world.buy('pro');
    const { session_id } = (await call(world, 'create_checkout', { tier: 'business' })).body;
    // As with the key of another account, or of another mode.
    const customer_id = 'cus_elsewhere';
    await world.product.store.write(({ db }) => db.updateTable('billing').set({ customer_id }).execute());
    expect((await call(world, 'get_checkout_status', { session_id })).body.status).toBe('open');
    await expectRefusal(call(world, 'create_portal_session'), 'resource.not_found', { resource: 'subscription' });
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    await call(world, 'create_checkout', { tier: 'starter' });
    expect(await stateOf(world)).toEqual(['pro', false, NO_DAY, 200]);
    const again = await world.buy('starter');
    expect([again.id === id, (await world.me()).plan]).toEqual([false, 'starter']);
  });

  it('is read again when its period is over and no event has come', async ({ world }) => {
    const { id } = await world.buy('pro');
    await world.act('cancel', { subscription: id });
    await world.act('settings', { push_paused: true });
    await world.pass(32 * DAY);
    await world.pass(2 * HOUR);
    expect(await stateOf(world)).toEqual(['free', false, NO_DAY, 200]);
  });
});

/** Sends events to a world as Stripe does, and signs them by its secret or another. */
function pushesTo(world: BillingWorld) {
  const stripe = world.product.sandbox!.people().find(({ network }) => network === 'stripe')!;
  const secret = stripe.credentials['Webhook secret']!;
  return {
    now: Math.floor(world.clock.now() / SECOND),
    signed: (text: string, at: number, key = secret) =>
      `t=${at},v1=${createHmac('sha256', key).update(`${at}.${text}`).digest('hex')}`,
    push: (text: string, signature?: string) =>
      world.rest('POST /push/billing', text, {
        key: null,
        headers: { 'Content-Type': 'application/json', ...(signature && { 'Stripe-Signature': signature }) },
      }),
  };
}

it('takes events only with the signature of their bytes, made a short while ago', async () => {
  const world = await makeBillingWorld();
  await world.buy('pro');
  const [{ body }] = (await world.list('pushes')) as [{ body: string }];
  const { now, signed, push } = pushesTo(world);
  expect(await push(body, signed(body, now))).toMatchObject({ status: 200 });
  expect((await push(body, signed(body, now))).body).toEqual({ received: true });
  const data = { object: { customer: 'cus_none' } };
  const foreign = JSON.stringify({ id: 'evt_1', object: 'event', type: 'x', data });
  expect((await push(foreign, signed(foreign, now))).status).toBe(200);
  const wrong = [signed(`${body} `, now), signed(body, now - 301), signed(body, now, 'whsec_wrong')];
  for (const signature of [undefined, 'nonsense', ...wrong])
    expect([signature, (await push(body, signature)).body.error?.code]).toEqual([signature, 'auth.invalid_secret']);
  expect((await push('{', signed('{', now))).body.error.code).toBe('auth.invalid_secret');
  expect((await world.rest('GET /push/billing', undefined, { key: null })).status).toBe(405);
  expect((await world.me()).plan).toBe('pro');
});

it('refuses a signature that is empty, and finds nothing of its own at fault', async () => {
  const world = await makeBillingWorld();
  await world.buy('pro');
  const { now, signed, push } = pushesTo(world);
  const lines = world.log.length;
  const right = signed('{"a":1}', now);
  for (const signature of ['t=1,v1=', 't=x,v1=', `t=${now},v1`, 't=,v1=,v1=', `${right},v1=`]) {
    const { status, body } = await push('{"a":1}', signature);
    expect([signature, status, body.error?.code]).toEqual([signature, 403, 'auth.invalid_secret']);
  }
  expect(world.log.slice(lines).filter((line) => line.includes('"stack"'))).toEqual([]);
});

it('acknowledges an event of another shape, and ignores it', async () => {
  const world = await makeBillingWorld();
  await world.buy('pro');
  const { now, signed, push } = pushesTo(world);
  const plain = ['null', '{}', '[]', '5', '"x"'];
  const nested = ['{"data":null}', '{"data":{}}', '{"data":{"object":null}}', '{"data":{"object":7}}'];
  for (const text of [...plain, ...nested, '{"object":"v2.core.event","data":{"object":{}}}']) {
    const { status, body } = await push(text, signed(text, now));
    expect([text, status, body]).toEqual([text, 200, { received: true }]);
  }
});
