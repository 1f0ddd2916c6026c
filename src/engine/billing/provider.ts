import type { Network } from '#db/schema/database.ts';
import type { Interval, PaidTier } from '#kernel/plans.ts';

/** A plan and its billing interval. */
export type Offer = Readonly<{ tier: PaidTier; interval: Interval }>;

export type Subscribed = Readonly<{
  id: string;
  /** The only item of the subscription; a change of plan replaces it. */
  item: string;
  /** Undefined if the price is not configured. */
  offer: Offer | undefined;
  /** Everything is paid, a payment has failed once, or it has failed again. */
  status: 'active' | 'grace' | 'blocked';
  /** When any of its periods began. */
  anchor: number;
  begunAt: number;
  cycleEnd: number;
  /** When it ends, if it was cancelled. */
  endsAt: number | undefined;
  /** The plan for the next period, if it changes. */
  planned: Offer | undefined;
}>;

export type ProviderPage = Readonly<{ id: string; url: string }>;

/** A payment provider. Repeated calls with the same `key` have one effect; throws http.503 if unreachable or busy. */
export type PaymentProvider = Readonly<{
  network: Network;
  sells(offer: Offer): boolean;
  createCustomer(key: string, given: Readonly<{ workspace: string; email: string }>): Promise<string>;
  hasCustomer(id: string): Promise<boolean>;
  removeCustomer(id: string): Promise<void>;
  /** The customer's running subscription, or the best of several; `unknown` if there is no such customer. */
  subscriptionOf(customer: string): Promise<Subscribed | undefined | 'unknown'>;
  createCheckout(
    key: string,
    given: Readonly<{ customer: string; workspace: string; offer: Offer; success_url: string; cancel_url: string }>,
  ): Promise<ProviderPage>;
  checkout(id: string): Promise<Readonly<{ status: 'open' | 'complete' | 'expired'; url: string | undefined }>>;
  /** Expires a page so that nothing can be bought on it; returns its final state. */
  expireCheckout(id: string): Promise<'complete' | 'expired'>;
  /** The URL for managing a subscription, or for confirming a change to it. */
  createPortal(
    given: Readonly<{
      customer: string;
      return_url: string;
      change?: Readonly<{ from: Subscribed; to: Offer; success_url: string }>;
    }>,
  ): Promise<string>;
  /** The customer that an event is about, if any; throws auth.invalid_secret. */
  customerOf(body: Uint8Array, signature: string): Promise<string | undefined>;
}>;
