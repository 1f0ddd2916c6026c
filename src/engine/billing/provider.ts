import type { Network } from '#db/schema/database.ts';
import type { Interval, PaidTier } from '#kernel/plans.ts';

/** A plan and how often it is paid for. */
export type Offer = Readonly<{ tier: PaidTier; interval: Interval }>;

/** A subscription as the provider knows it now. */
export type Subscribed = Readonly<{
  id: string;
  /** The one thing it consists of, which a change of plan replaces. */
  item: string;
  /** Undefined for a price that is none of the configured ones. */
  offer: Offer | undefined;
  /** All is paid, a payment failed once, or it failed again. */
  status: 'active' | 'grace' | 'blocked';
  /** A time at which a period of it began. */
  anchor: number;
  begunAt: number;
  cycleEnd: number;
  /** When it ends, where it was cancelled. */
  endsAt: number | undefined;
  /** What it changes to at the end of the period. */
  planned: Offer | undefined;
}>;

/** A page of the provider; its url is where to send a browser. */
export type ProviderPage = Readonly<{ id: string; url: string }>;

/**
 * Whoever takes the money. What is given a `key` is done once, however often it is asked with the same key and the same
 * words. Fails with http.503 where the provider cannot be reached or is busy.
 */
export type PaymentProvider = Readonly<{
  network: Network;
  /** Whether a plan is sold. */
  sells(offer: Offer): boolean;
  createCustomer(key: string, given: Readonly<{ workspace: string; email: string }>): Promise<string>;
  /** Whether there still is such a customer. */
  hasCustomer(id: string): Promise<boolean>;
  /** Removes a customer, and with it all subscriptions. */
  removeCustomer(id: string): Promise<void>;
  /**
   * The running subscription of a customer: of several, the one that is paid for the best plan. `unknown` where there
   * never was such a customer, as under the key of another account, so that nothing follows about what is paid.
   */
  subscriptionOf(customer: string): Promise<Subscribed | undefined | 'unknown'>;
  /** A page on which a plan is bought. */
  createCheckout(
    key: string,
    given: Readonly<{ customer: string; workspace: string; offer: Offer; success_url: string; cancel_url: string }>,
  ): Promise<ProviderPage>;
  checkout(id: string): Promise<Readonly<{ status: 'open' | 'complete' | 'expired'; url: string | undefined }>>;
  /** Ends a page, so that nothing can be bought on it; says what it is now. */
  expireCheckout(id: string): Promise<'complete' | 'expired'>;
  /** The address of a page on which a subscription is managed, or one change of it is confirmed. */
  createPortal(
    given: Readonly<{
      customer: string;
      return_url: string;
      change?: Readonly<{ from: Subscribed; to: Offer; success_url: string }>;
    }>,
  ): Promise<string>;
  /** The customer that an event is about; undefined for one that is about none. Fails with auth.invalid_secret. */
  customerOf(body: Uint8Array, signature: string): Promise<string | undefined>;
}>;
