import type { Network } from '#db/schema/database.ts';
import type { PaymentProvider } from '../provider.ts';
import { makeClient, type StripeClient, type StripeOptions } from './client.ts';
import { makePortal } from './portal.ts';
import { makeSubscriptions } from './subscriptions.ts';

/** Stripe, or its simulator in the sandbox. */
export function makeStripe(options: StripeOptions & Readonly<{ network: Network }>): PaymentProvider {
  const client = makeClient(options);
  const { priceOf, objectOf } = client;
  return Object.freeze<PaymentProvider>({
    network: options.network,
    sells: (offer) => priceOf(offer) !== undefined,
    ...customersOf(client),
    ...checkoutsOf(client),
    ...makeSubscriptions(client),
    ...makePortal(client),
    customerOf: async (body, signature) => customerIn(await objectOf(body, signature)),
  });
}

function customersOf({
  request,
  requestUnlessMissing,
}: StripeClient): Pick<PaymentProvider, 'createCustomer' | 'hasCustomer' | 'removeCustomer'> {
  return {
    createCustomer: (key, { workspace, email }) =>
      request(async (stripe) => {
        const given = { metadata: { workspace_id: workspace }, ...(email !== '' && { email }) };
        return (await stripe.customers.create(given, { idempotencyKey: key })).id;
      }),

    hasCustomer: (id) =>
      requestUnlessMissing(async (stripe) => (await stripe.customers.retrieve(id)).deleted !== true, false),

    removeCustomer: async (id) => void (await requestUnlessMissing((stripe) => stripe.customers.del(id), undefined)),
  };
}

function checkoutsOf({
  request,
  requestUnlessMissing,
  isRefused,
  priceOf,
}: StripeClient): Pick<PaymentProvider, 'createCheckout' | 'checkout' | 'expireCheckout'> {
  const checkout: PaymentProvider['checkout'] = (id) =>
    requestUnlessMissing(
      async (stripe) => {
        const { status, url } = await stripe.checkout.sessions.retrieve(id);
        const known = (['complete', 'expired'] as const).find((one) => one === status) ?? 'open';
        return { status: known, url: url ?? undefined };
      },
      { status: 'expired', url: undefined },
    );

  return {
    checkout,

    createCheckout: (key, { customer, workspace, offer, success_url, cancel_url }) =>
      request(async (stripe) => {
        const metadata = { workspace_id: workspace };
        const { id, url } = await stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer,
            client_reference_id: workspace,
            line_items: [{ price: priceOf(offer)!, quantity: 1 }],
            success_url,
            cancel_url,
            metadata,
            subscription_data: { metadata },
          },
          { idempotencyKey: key },
        );
        return { id, url: url ?? '' };
      }),

    async expireCheckout(id) {
      try {
        await request((stripe) => stripe.checkout.sessions.expire(id));
        return 'expired';
      } catch (error) {
        if (!(await isRefused(error))) throw error;
        // The page had already ended: it was paid, or had expired by itself.
        const { status } = await checkout(id);
        return status === 'complete' ? 'complete' : 'expired';
      }
    },
  };
}

/** The customer of an object. Nothing else is read from events, as their form depends on the endpoint's version. */
function customerIn(thing: unknown): string | undefined {
  const { object, id, customer } = (thing ?? {}) as { object?: unknown; id?: unknown; customer?: unknown };
  if (object === 'customer') return typeof id === 'string' ? id : undefined;
  if (typeof customer === 'string') return customer;
  const inner = (customer as { id?: unknown } | null | undefined)?.id;
  return typeof inner === 'string' ? inner : undefined;
}
