/** Invoices and their events: charging customers, and payments of subscriptions that fail. */
import { DAY } from '#kernel/clock.ts';
import { randomText } from '../kit/ids.ts';
import type { TwinWorld } from '../kit/world.ts';
import type { Customer, Invoice, SETTINGS, StripeDocs, Subscription } from './docs.ts';
import { invalid } from './errors.ts';
import { showEvent, showInvoice, showSubscription } from './objects.ts';

export type World = TwinWorld<StripeDocs, typeof SETTINGS, never>;

export const BUSINESS = 'acct_sandbox';

const RETRIES = Object.freeze([3 * DAY, 5 * DAY, 7 * DAY]);

export const newId = (kind: string): string => `${kind}_${randomText(24).replaceAll(/[-_]/g, 'x')}`;

export const isLive = ({ status }: Subscription): boolean => status !== 'canceled';

/** Charges what customers owe. Call everything here inside a transaction. */
export function makeInvoicing({ docs, settings, pushes, options: { clock } }: World) {
  const customerOf = (id: string): Customer => {
    const found = docs.get('customer', id);
    if (found === undefined) throw invalid(`No such customer: '${id}'`);
    return found;
  };

  function emit(type: string, object: unknown): void {
    const event = docs.put('event', { id: newId('evt'), at: clock.now(), type, object });
    pushes.add({ page_id: BUSINESS, kind: type, item: showEvent(event) });
  }
  const tellOf = (subscription: Subscription, what: 'created' | 'updated' | 'deleted') =>
    emit(`customer.subscription.${what}`, showSubscription(subscription));

  function change(id: string, patch: Partial<Subscription>): Subscription {
    return docs.change('subscription', id, patch);
  }

  /** Whether the bank accepts a payment. A card that works once is used up. */
  function isTaken(customer: string): boolean {
    const { card } = customerOf(customer);
    if (settings.get('payments_fail') || card === 'is declined') return false;
    if (card === 'works once') docs.change('customer', customer, { card: 'is declined' });
    return true;
  }

  function settlePaid(invoice: Invoice): void {
    const now = clock.now();
    const paid = docs.change('invoice', invoice.id, { status: 'paid', paid_at: now, next_payment_attempt: null });
    emit('invoice.paid', showInvoice(paid));
    emit('invoice.payment_succeeded', showInvoice(paid));
    const subscription = docs.get('subscription', invoice.subscription);
    const isOwing = docs.list('invoice', { page: invoice.subscription }).some(({ status }) => status === 'open');
    if (subscription === undefined || !isLive(subscription) || subscription.status === 'active' || isOwing) return;
    tellOf(change(subscription.id, { status: 'active' }), 'updated');
  }

  /** After a failed payment, plans a retry or ends the subscription as the settings say. */
  function settleFailed(invoice: Invoice): void {
    const wait = RETRIES[invoice.attempt_count - 1];
    const next = wait === undefined ? null : clock.now() + wait;
    emit('invoice.payment_failed', showInvoice(docs.change('invoice', invoice.id, { next_payment_attempt: next })));
    const subscription = docs.get('subscription', invoice.subscription);
    if (subscription === undefined || !isLive(subscription)) return;
    const after = settings.get('after_retries');
    if (next === null && after === 'cancel') end(subscription);
    else {
      const status = next === null && after === 'unpaid' ? 'unpaid' : 'past_due';
      tellOf(change(subscription.id, { status }), 'updated');
    }
  }

  /** Tries to collect an invoice; false if the bank refuses the payment. */
  function collect(id: string): boolean {
    const known = docs.get('invoice', id);
    if (known?.status !== 'open') return known?.status === 'paid';
    const invoice = docs.change('invoice', id, { attempt_count: known.attempt_count + 1 });
    const isPaid = isTaken(invoice.customer);
    if (isPaid) settlePaid(invoice);
    else settleFailed(invoice);
    return isPaid;
  }

  function bill(subscription: Subscription, amount: number, reason: Invoice['reason']): boolean {
    const invoice = docs.put('invoice', {
      id: newId('in'),
      at: clock.now(),
      page_id: subscription.id,
      customer: subscription.customer,
      subscription: subscription.id,
      amount,
      reason,
      status: 'open',
      attempt_count: 0,
      next_payment_attempt: null,
      paid_at: null,
    });
    change(subscription.id, { latest_invoice: invoice.id });
    emit('invoice.created', showInvoice(invoice));
    emit('invoice.finalized', showInvoice(invoice));
    return collect(invoice.id);
  }

  function end({ id }: Subscription): Subscription {
    const now = clock.now();
    for (const { id: owed, status } of docs.list('invoice', { page: id }))
      if (status === 'open') docs.change('invoice', owed, { status: 'void', next_payment_attempt: null });
    const ended = change(id, { status: 'canceled', canceled_at: now, ended_at: now, scheduled: undefined });
    tellOf(ended, 'deleted');
    return ended;
  }

  return { customerOf, emit, tellOf, change, collect, bill, end };
}

export type Invoicing = ReturnType<typeof makeInvoicing>;
