import { INTERVALS, PAID_TIERS, PLANS, type Interval, type PaidTier } from '#kernel/plans.ts';
import type { Answered } from '../kit/api/once.ts';
import type { Blob } from '../kit/files.ts';
import type { Doc } from '../kit/docs.ts';
import type { Person } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import { priceIdOf } from './account.ts';

type Metadata = Readonly<Record<string, string>>;

export type Customer = Doc &
  Readonly<{
    email: string | null;
    name: string | null;
    metadata: Metadata;
    /** Whether the bank accepts payments. */
    card: Card;
    deleted_at?: number;
  }>;

export const CARDS = Object.freeze(['works', 'is declined', 'works once'] as const);
export type Card = (typeof CARDS)[number];

export type Checkout = Doc &
  Readonly<{
    customer: string;
    price: string;
    success_url: string;
    cancel_url: string;
    client_reference_id: string | null;
    metadata: Metadata;
    subscription_metadata: Metadata;
    status: 'open' | 'complete' | 'expired';
    subscription: string | null;
    expires_at: number;
  }>;

/** A page where a customer manages a subscription or confirms a change. */
export type Portal = Doc &
  Readonly<{
    customer: string;
    configuration: string;
    return_url: string;
    change?: Readonly<{ subscription: string; price: string; return_url: string }>;
  }>;

export type Configuration = Doc &
  Readonly<{ active: boolean; name: string | null; metadata: Metadata; features: Readonly<Record<string, unknown>> }>;

export type Subscription = Doc &
  Readonly<{
    customer: string;
    item: string;
    price: string;
    status: 'active' | 'past_due' | 'unpaid' | 'canceled';
    anchor: number;
    period_start: number;
    period_end: number;
    cancel_at_period_end: boolean;
    canceled_at: number | null;
    ended_at: number | null;
    metadata: Metadata;
    latest_invoice: string | null;
    /** The price from the next period on, if it is going to change. */
    scheduled?: Readonly<{ id: string; price: string }> | undefined;
  }>;

export type Invoice = Doc &
  Readonly<{
    customer: string;
    subscription: string;
    amount: number;
    reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
    status: 'open' | 'paid' | 'void';
    attempt_count: number;
    next_payment_attempt: number | null;
    paid_at: number | null;
  }>;

export type StripeEvent = Doc & Readonly<{ type: string; object: unknown }>;

export type StripeDocs = {
  person: Person;
  blob: Blob;
  customer: Customer;
  checkout: Checkout;
  portal: Portal;
  configuration: Configuration;
  subscription: Subscription;
  invoice: Invoice;
  event: StripeEvent;
  answered: Answered;
};

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** How often each event is sent. */
  event_copies: 1,
  /** If true, every payment fails, whatever the card. */
  payments_fail: false,
  /** What happens to a subscription after the last failed payment: cancel, unpaid or past_due. */
  after_retries: 'cancel',
});

export type Price = Readonly<{ id: string; tier: PaidTier; interval: Interval; amount: number }>;

export const PRICES: readonly Price[] = Object.freeze(
  PAID_TIERS.flatMap((tier) => {
    const { monthly_price_usd: month, annual_price_usd: year } = PLANS[tier];
    const dollars = { month, year };
    return INTERVALS.map((interval) => ({
      id: priceIdOf(tier, interval),
      tier,
      interval,
      amount: dollars[interval] * 100,
    }));
  }),
);

export const priceOf = (id: string): Price | undefined => PRICES.find((price) => price.id === id);

export function priceName({ tier, interval, amount }: Price): string {
  return `${PLANS[tier].name}, ${amount / 100} USD a ${interval}`;
}

export const nameOfPrice = (id: string): string => {
  const price = priceOf(id);
  return price === undefined ? id : priceName(price);
};
