import type { Interval } from '#kernel/plans.ts';
import { priceOf, type Checkout, type Customer, type Subscription } from './docs.ts';
import { isLive, makeInvoicing, newId, type Invoicing, type World } from './invoices.ts';
import { showCheckout } from './objects.ts';

/** The same day some months later, or the last day of a shorter month. */
function later(ms: number, interval: Interval, anchor: number): number {
  const from = new Date(ms);
  const months = from.getUTCFullYear() * 12 + from.getUTCMonth() + (interval === 'year' ? 12 : 1);
  const last = new Date(Date.UTC(0, months + 1, 0)).getUTCDate();
  from.setUTCMonth(from.getUTCMonth() + (interval === 'year' ? 12 : 1), 1);
  return from.setUTCDate(Math.min(new Date(anchor).getUTCDate(), last));
}

export type Ledger = ReturnType<typeof makeLedger>;

/** Changes what customers have. Call everything here inside a transaction. */
export function makeLedger(world: World, pageHost: () => string) {
  const { docs, settings, options } = world;
  const { clock } = options;
  const invoicing = makeInvoicing(world);
  const { customerOf, emit, tellOf, change, collect, bill, end } = invoicing;
  const amountOf = (price: string) => priceOf(price)?.amount ?? 0;
  function start(customer: string, price: string, metadata: Subscription['metadata']): Subscription {
    const now = clock.now();
    const made = docs.put('subscription', {
      id: newId('sub'),
      at: now,
      page_id: customer,
      customer,
      item: newId('si'),
      price,
      status: 'active',
      anchor: now,
      period_start: now,
      period_end: later(now, priceOf(price)?.interval ?? 'month', now),
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      metadata,
      latest_invoice: null,
    });
    tellOf(made, 'created');
    bill(made, amountOf(price), 'subscription_create');
    return docs.get('subscription', made.id)!;
  }

  /** Changes the price at once and charges the difference. With another interval, a new cycle begins. */
  function changePrice(subscription: Subscription, price: string): Subscription {
    const now = clock.now();
    const interval = priceOf(price)?.interval ?? 'month';
    const isOther = interval !== priceOf(subscription.price)?.interval;
    const cycle = isOther ? { anchor: now, period_start: now, period_end: later(now, interval, now) } : {};
    const changed = change(subscription.id, { price, scheduled: undefined, ...cycle });
    tellOf(changed, 'updated');
    const share = isOther
      ? 1
      : (subscription.period_end - now) / Math.max(1, subscription.period_end - subscription.period_start);
    const owed = Math.round((amountOf(price) - (isOther ? 0 : amountOf(subscription.price))) * share);
    if (owed > 0) bill(changed, owed, 'subscription_update');
    return docs.get('subscription', subscription.id)!;
  }

  /** Ends a period. The next one begins with the planned changes, or the subscription ends. */
  function endPeriod(subscription: Subscription, at: number): void {
    if (subscription.cancel_at_period_end) {
      end(subscription);
      return;
    }
    const price = subscription.scheduled?.price ?? subscription.price;
    const interval = priceOf(price)?.interval ?? 'month';
    const anchor = at === subscription.period_end ? subscription.anchor : at;
    const next = { price, anchor, scheduled: undefined, period_start: at, period_end: later(at, interval, anchor) };
    const renewed = change(subscription.id, next);
    tellOf(renewed, 'updated');
    bill(renewed, amountOf(price), 'subscription_cycle');
  }

  function expire(checkout: Checkout): Checkout {
    const expired = docs.change('checkout', checkout.id, { status: 'expired' });
    emit('checkout.session.expired', showCheckout(expired, pageHost()));
    return expired;
  }

  return Object.freeze({
    customerOf,
    emit,
    expire,
    collect,
    end,
    changePrice,
    endPeriod,
    subscriptionsOf: (customer: string) => docs.list('subscription', { page: customer }),
    invoicesOf: (subscription: string) => docs.list('invoice', { page: subscription }),

    /** Pays a checkout; false, and nothing changes, if the bank refuses the payment. */
    pay(checkout: Checkout): boolean {
      if (settings.get('payments_fail') || customerOf(checkout.customer).card === 'is declined') return false;
      const { id: subscription } = start(checkout.customer, checkout.price, checkout.subscription_metadata);
      const complete = docs.change('checkout', checkout.id, { status: 'complete', subscription });
      emit('checkout.session.completed', showCheckout(complete, pageHost()));
      return true;
    },

    ...makeOrders(world, invoicing),

    next: makeNext(world, { collect, endPeriod, expire }),
  });
}

type Does = Readonly<{
  collect(invoice: string): unknown;
  endPeriod(subscription: Subscription, at: number): void;
  expire(checkout: Checkout): unknown;
}>;
type Coming = Readonly<{ at: number; run(): void }>;

const makeNext =
  ({ docs }: World, does: Does) =>
  (): Coming | undefined => {
    const renewals = docs
      .list('subscription')
      .flatMap((subscription) =>
        isLive(subscription)
          ? [{ at: subscription.period_end, run: () => does.endPeriod(subscription, subscription.period_end) }]
          : [],
      );
    const retries = docs
      .list('invoice')
      .flatMap(({ id, status, next_payment_attempt: at }) =>
        status === 'open' && at !== null ? [{ at, run: () => void does.collect(id) }] : [],
      );
    const expiries = docs
      .list('checkout')
      .flatMap((checkout) =>
        checkout.status === 'open' ? [{ at: checkout.expires_at, run: () => void does.expire(checkout) }] : [],
      );
    return [...renewals, ...retries, ...expiries].toSorted((a, b) => a.at - b.at)[0];
  };

/** Changes that a customer orders, some for the end of the period. */
function makeOrders({ docs, options: { clock } }: World, { change, tellOf, collect }: Invoicing) {
  return {
    schedule(subscription: Subscription, price: string): Subscription {
      const planned = change(subscription.id, { scheduled: { id: newId('sub_sched'), price } });
      tellOf(planned, 'updated');
      return planned;
    },

    /** Plans to cancel at the end of the period, or no longer does. */
    cancelLater(subscription: Subscription, isOn: boolean): Subscription {
      const canceled_at = isOn ? clock.now() : null;
      const changed = change(subscription.id, { cancel_at_period_end: isOn, canceled_at });
      tellOf(changed, 'updated');
      return changed;
    },

    /** Replaces the card and charges what is owed. */
    useCard(customer: string, card: Customer['card']): void {
      docs.change('customer', customer, { card });
      for (const subscription of docs.list('subscription', { page: customer }))
        for (const { id, status } of docs.list('invoice', { page: subscription.id }))
          if (status === 'open') collect(id);
    },
  };
}
