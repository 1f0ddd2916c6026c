import type { Stripe } from 'stripe';
import { PAID_TIERS } from '#kernel/plans.ts';
import type { Offer, Subscribed } from '../provider.ts';
import { idOf, type StripeClient } from './client.ts';

/** States of subscriptions that are paid for, or for which a payment is due. */
const LIVE: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due', 'unpaid']);

const millis = (seconds: number) => seconds * 1000;

/** Derives the status from all open invoices: blocked once a payment has failed twice. */
async function statusOf(stripe: Stripe, { id, status }: Stripe.Subscription): Promise<Subscribed['status']> {
  if (status === 'unpaid') return 'blocked';
  if (status !== 'past_due') return 'active';
  const { data } = await stripe.invoices.list({ subscription: id, status: 'open', limit: 100 });
  return data.some(({ attempt_count }) => attempt_count >= 2) ? 'blocked' : 'grace';
}

export function makeSubscriptions({ requestUnlessMissing, offerBy }: StripeClient) {
  /** The plan that a schedule changes a subscription to. */
  async function plannedOf(stripe: Stripe, { schedule }: Stripe.Subscription): Promise<Offer | undefined> {
    if (schedule === null) return undefined;
    const { phases } = await stripe.subscriptionSchedules.retrieve(idOf(schedule));
    const price = phases.at(-1)?.items[0]?.price;
    return price === undefined ? undefined : offerBy(idOf(price));
  }

  async function read(stripe: Stripe, subscription: Stripe.Subscription): Promise<Subscribed | undefined> {
    const [item] = subscription.items.data;
    if (item === undefined) return undefined;
    const { id, billing_cycle_anchor, start_date, cancel_at, cancel_at_period_end } = subscription;
    const cycleEnd = millis(item.current_period_end);
    const endsAt = cancel_at === null ? undefined : millis(cancel_at);
    return Object.freeze({
      id,
      item: item.id,
      offer: offerBy(item.price.id),
      status: await statusOf(stripe, subscription),
      anchor: millis(billing_cycle_anchor),
      begunAt: millis(start_date),
      cycleEnd,
      endsAt: cancel_at_period_end ? (endsAt ?? cycleEnd) : endsAt,
      planned: await plannedOf(stripe, subscription),
    });
  }

  function rankOf({ items }: Stripe.Subscription): number {
    const tier = offerBy(items.data[0]?.price.id)?.tier;
    return PAID_TIERS.findIndex((one) => one === tier);
  }

  return {
    /** The customer's running subscription; of several, the oldest one with the best plan. */
    subscriptionOf: (customer: string) =>
      requestUnlessMissing(async (stripe) => {
        const { data } = await stripe.subscriptions.list({ customer, status: 'all', limit: 100 });
        const live = data.filter(({ status }) => LIVE.has(status));
        const [best] = live.toSorted((a, b) => rankOf(b) - rankOf(a) || a.created - b.created);
        return best && (await read(stripe, best));
      }, 'unknown' as const),
  };
}
