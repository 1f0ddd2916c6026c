/** The simulator driven by Stripe's own library as anybody has it, with its settings for another host alone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askStripe, makeBillingWorld, type BillingWorld } from '../../harness/worlds/twins/stripe.ts';

const ends: (() => Promise<void>)[] = [];
let world: BillingWorld;
let secret: string;
let stripe: Stripe;
let connect: (key: string) => Stripe;

beforeAll(async () => {
  world = await makeBillingWorld({}, (end) => ends.push(end));
  await world.product.sandbox!.open('stripe');
  const { credentials } = world.product.sandbox!.people().find(({ network }) => network === 'stripe')!;
  // The library takes a host and no path: the simulator, which lies below one, has a host of its own here.
  const server = createServer((req, res) => {
    req.url = `/sandbox/stripe/api${req.url}`;
    req.headers.host = new URL(world.root).host;
    world.product.handle(req, res);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => void server.close());
  const { port } = server.address() as AddressInfo;
  connect = (key) => new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 1 });
  stripe = connect(credentials['Secret key']!);
  secret = credentials['Webhook secret']!;
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const newCustomer = () => stripe.customers.create({ email: 'carla@example.org', metadata: { shop: 'one' } });
const urls = { success_url: 'https://app.example.org/paid', cancel_url: 'https://app.example.org/back' };
const newSession = (customer: string, price = 'price_pro_month') =>
  stripe.checkout.sessions.create({ mode: 'subscription', customer, line_items: [{ price, quantity: 1 }], ...urls });
async function subscribed(price?: string) {
  const { id } = await newCustomer();
  const session = await newSession(id, price);
  await askStripe(world, 'POST', 'pay', { checkout: session.id, card: 'works' });
  const { data } = await stripe.subscriptions.list({ customer: id });
  return { customer: id, session, subscription: data[0]! };
}

describe("Stripe's own library", () => {
  it('makes customers, changes, finds and deletes them', async () => {
    const made = await newCustomer();
    expect(made).toMatchObject({ object: 'customer', email: 'carla@example.org', metadata: { shop: 'one' } });
    expect(made.lastResponse).toMatchObject({ statusCode: 200, requestId: expect.stringMatching(/^req_/) });
    expect(await stripe.customers.update(made.id, { name: 'Carla', metadata: { shop: 'two' } })).toMatchObject({
      name: 'Carla',
      email: 'carla@example.org',
      metadata: { shop: 'two' },
    });
    expect(await stripe.customers.del(made.id)).toMatchObject({ id: made.id, deleted: true });
    expect(await stripe.customers.retrieve(made.id)).toMatchObject({ deleted: true });
    await expect(newSession(made.id)).rejects.toMatchObject({ type: 'StripeInvalidRequestError', param: 'customer' });
  });

  it('reads prices page by page', async () => {
    const ids: string[] = [];
    for await (const { id } of stripe.prices.list({ limit: 2 })) ids.push(id);
    expect(ids).toHaveLength(6);
    expect(await stripe.prices.retrieve('price_pro_year')).toMatchObject({
      unit_amount: 104_400,
      recurring: { interval: 'year' },
      product: 'prod_pro',
    });
  });

  it('opens checkouts, and ends those that nobody paid', async () => {
    const { id } = await newCustomer();
    const session = await newSession(id);
    expect(session).toMatchObject({ object: 'checkout.session', status: 'open', payment_status: 'unpaid' });
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
    await expect(stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({ statusCode: 400 });
    const paid = await subscribed();
    expect(await stripe.checkout.sessions.retrieve(paid.session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      subscription: paid.subscription.id,
    });
  });

  it('changes and cancels subscriptions, and reads their invoices', async () => {
    const { subscription } = await subscribed('price_starter_month');
    const [item] = subscription.items.data;
    expect(item).toMatchObject({ price: { id: 'price_starter_month' }, current_period_end: expect.any(Number) });
    const changed = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item!.id, price: 'price_business_month' }],
      cancel_at_period_end: true,
    });
    expect(changed).toMatchObject({ cancel_at_period_end: true, cancel_at: item!.current_period_end });
    const { data } = await stripe.invoices.list({ subscription: subscription.id, status: 'paid' });
    expect(data.map(({ amount_paid, billing_reason }) => [amount_paid, billing_reason])).toEqual([
      [32_000, 'subscription_update'],
      [2900, 'subscription_create'],
    ]);
    expect(await stripe.invoices.retrieve(data[0]!.id)).toMatchObject({ attempt_count: 1 });
    expect(await stripe.subscriptions.cancel(subscription.id)).toMatchObject({ status: 'canceled' });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ ended_at: expect.any(Number) });
    await expect(stripe.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ code: 'resource_missing' });
  });

  it('opens the portal with settings of its own', async () => {
    const { customer, subscription } = await subscribed();
    const features = {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price' as const],
        products: [{ product: 'prod_pro', prices: ['price_pro_year'] }],
      },
    };
    const { id: configuration } = await stripe.billingPortal.configurations.create({ name: 'Test', features });
    const listed = await stripe.billingPortal.configurations.list({ limit: 1 });
    expect(listed.data).toMatchObject([{ id: configuration, name: 'Test' }]);
    const session = await stripe.billingPortal.sessions.create({
      customer,
      configuration,
      return_url: urls.cancel_url,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: {
          subscription: subscription.id,
          items: [{ id: subscription.items.data[0]!.id, price: 'price_pro_year' }],
        },
      },
    });
    expect(await (await fetch(session.url)).text()).toContain('From Pro, 109 USD a month to Pro, 1044 USD a year.');
    const { id } = await askStripe(world, 'POST', 'plan_change', {
      subscription: subscription.id,
      price: 'price_starter_month',
    }).then(({ done }) => done);
    const planned = await stripe.subscriptions.retrieve(id);
    const schedule = await stripe.subscriptionSchedules.retrieve(planned.schedule as string);
    expect(schedule.phases.map(({ items }) => items[0]!.price)).toEqual(['price_pro_month', 'price_starter_month']);
  });

  it('verifies the events that are pushed, and finds them in the API', async () => {
    const { customer } = await subscribed();
    await world.settle();
    const pushed = (await world.list('pushes')).find(({ kind, body }) => kind === 'updates' && body.includes(customer));
    const { id, type, data } = JSON.parse(pushed.body) as Stripe.Event;
    expect(await stripe.events.retrieve(id)).toMatchObject({ type, data });
    const { data: newest } = await stripe.events.list({ limit: 5 });
    expect(newest).toHaveLength(5);
    const header = stripe.webhooks.generateTestHeaderString({ payload: pushed.body, secret });
    expect(stripe.webhooks.constructEvent(pushed.body, header, secret)).toMatchObject({ id });
  });

  it('asks again with the same key for an answer that was lost, and the effect is there once', async () => {
    const before = (await world.list('customers')).length;
    world.product.sandbox!.setFault({ network: 'stripe', person: 'rostra', kind: 'lost' });
    expect((await newCustomer()).lastResponse).toMatchObject({ statusCode: 200 });
    expect(await world.list('customers')).toHaveLength(before + 1);
    const key = { idempotencyKey: 'one' };
    const first = await stripe.customers.create({ name: 'One' }, key);
    expect((await stripe.customers.create({ name: 'One' }, key)).id).toBe(first.id);
    await expect(stripe.customers.create({ name: 'Two' }, key)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
  });

  it('is told what is wrong in the words of its errors', async () => {
    const wrong = connect('sk_test_wrong');
    await expect(wrong.customers.list()).rejects.toMatchObject({ statusCode: 404 });
    await expect(wrong.prices.list()).rejects.toMatchObject({ type: 'StripeAuthenticationError' });
    await expect(stripe.subscriptions.retrieve('sub_none')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'resource_missing',
      message: "No such subscription: 'sub_none'",
    });
    const { id } = await newCustomer();
    for (const [given, param] of [
      [{ mode: 'payment' }, 'mode'],
      [{ line_items: [{ price: 'price_none' }] }, 'line_items[0][price]'],
      [{ success_url: 'nowhere' }, 'success_url'],
    ] as const)
      await expect(
        stripe.checkout.sessions.create({
          mode: 'subscription',
          customer: id,
          line_items: [{ price: 'price_pro_month', quantity: 1 }],
          ...urls,
          ...given,
        } as Stripe.Checkout.SessionCreateParams),
      ).rejects.toMatchObject({ type: 'StripeInvalidRequestError', param });
    world.product.sandbox!.setFault({ network: 'stripe', person: 'rostra', kind: 'throttled' });
    await expect(newCustomer()).rejects.toMatchObject({ type: 'StripeRateLimitError' });
  });
});
