import type { Stripe } from 'stripe';
import { PAID_TIERS } from '#kernel/plans.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Offer, PaymentProvider } from '../provider.ts';
import { idOf, type StripeClient } from './client.ts';

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;
/** Upgrades have their own settings, which never wait for the end of the period. */
type Kind = 'manage' | 'upgrade';

/** Changes that take effect only at the end of the period: a lower price, or a shorter interval. */
const LESS = Object.freeze([{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }]);

/** Portal pages with our own settings, as those of the account may differ. */
export function makePortal({ request, prices, priceOf }: StripeClient): Pick<PaymentProvider, 'createPortal'> {
  const configurations = new Map<Kind, Promise<string>>();

  async function featuresOf(stripe: Stripe, kind: Kind): Promise<Features> {
    const products = new Map<string, string[]>();
    for (const id of prices) {
      const product = idOf((await stripe.prices.retrieve(id)).product);
      products.set(product, [...(products.get(product) ?? []), id]);
    }
    return {
      customer_update: { enabled: true, allowed_updates: ['email', 'name', 'address', 'tax_id'] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'always_invoice',
        products: [...products].map(([product, own]) => ({ product, prices: own })),
        ...(kind === 'manage' && { schedule_at_period_end: { conditions: [...LESS] } }),
      },
    };
  }

  /** Finds the settings that an earlier process created, or creates them. */
  async function makeConfiguration(stripe: Stripe, kind: Kind): Promise<string> {
    const features = await featuresOf(stripe, kind);
    const mark = sha256(JSON.stringify(features)).slice(0, 40);
    for await (const known of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
      if (known.metadata?.['rostra'] === mark) return known.id;
    }
    const made = await stripe.billingPortal.configurations.create(
      { name: `Rostra: ${kind}`, features, metadata: { rostra: mark } },
      { idempotencyKey: `rostra-portal-${mark}` },
    );
    return made.id;
  }

  async function configurationOf(stripe: Stripe, kind: Kind): Promise<string> {
    const making = configurations.get(kind) ?? makeConfiguration(stripe, kind);
    configurations.set(kind, making);
    try {
      return await making;
    } catch (error) {
      configurations.delete(kind);
      throw error;
    }
  }

  return {
    createPortal: ({ customer, return_url, change }) =>
      request(async (stripe) => {
        const isUpgrade = change !== undefined && isBetter(change.to, change.from.offer);
        const confirm = change && {
          type: 'subscription_update_confirm' as const,
          after_completion: { type: 'redirect' as const, redirect: { return_url: change.success_url } },
          subscription_update_confirm: {
            subscription: change.from.id,
            items: [{ id: change.from.item, price: priceOf(change.to)!, quantity: 1 }],
          },
        };
        const { url } = await stripe.billingPortal.sessions.create({
          customer,
          configuration: await configurationOf(stripe, isUpgrade ? 'upgrade' : 'manage'),
          return_url,
          ...(confirm && { flow_data: confirm }),
        });
        return url;
      }),
  };
}

function isBetter(to: Offer, from: Offer | undefined): boolean {
  return from !== undefined && PAID_TIERS.indexOf(to.tier) > PAID_TIERS.indexOf(from.tier);
}
