import { knownPrice, page, type Calls } from './calls.ts';
import { priceOf, PRICES, type Subscription } from './docs.ts';
import { missing } from './errors.ts';
import { listIn, textIn, type Fields } from './fields.ts';
import { isLive, type World } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import { showEvent, showInvoice, showPrice, showSubscription } from './objects.ts';

export function subscriptionRoutes({ docs }: World, ledger: Ledger, { found, row, idOf }: Calls) {
  const ofCustomer = (fields: Fields) => {
    const customer = textIn(fields, 'customer');
    if (customer !== undefined && docs.get('customer', customer) === undefined)
      throw missing('customer', customer, 'customer');
    const all = customer === undefined ? docs.list('subscription') : ledger.subscriptionsOf(customer);
    const status = textIn(fields, 'status');
    const isRequested = ({ status: own }: Subscription) =>
      status === 'all' || (status === undefined ? own !== 'canceled' : own === status);
    return all.filter(isRequested).toReversed();
  };
  return [
    row('GET', 'subscriptions', (call) => page(call, ofCustomer(call.fields).map(showSubscription))),
    row('GET', 'subscriptions/{id}', (call) => showSubscription(found('subscription', idOf(call)))),
    row('POST', 'subscriptions/{id}', (call) => {
      const subscription = found('subscription', idOf(call));
      if (!isLive(subscription)) throw missing('subscription', subscription.id);
      const [item = {}] = listIn(call.fields, 'items');
      const price = textIn(item, 'price');
      const cancel = textIn(call.fields, 'cancel_at_period_end');
      const changed =
        price === undefined ? subscription : ledger.changePrice(subscription, knownPrice(price, 'items[0][price]'));
      return showSubscription(cancel === undefined ? changed : ledger.cancelLater(changed, cancel === 'true'));
    }),
    row('DELETE', 'subscriptions/{id}', (call) => {
      const subscription = found('subscription', idOf(call));
      if (!isLive(subscription)) throw missing('subscription', subscription.id);
      return showSubscription(ledger.end(subscription));
    }),
    row('GET', 'subscription_schedules/{id}', (call) => {
      const id = idOf(call);
      const planned = docs.list('subscription').find(({ scheduled }) => scheduled?.id === id);
      if (planned === undefined) throw missing('subscription schedule', id);
      const phase = (price: string) => ({ items: [{ price, quantity: 1 }] });
      const phases = [phase(planned.price), phase(planned.scheduled!.price)];
      return { id, object: 'subscription_schedule', status: 'active', subscription: planned.id, phases };
    }),
  ];
}

export function readRoutes({ docs }: World, ledger: Ledger, { found, row, idOf }: Calls) {
  return [
    row('GET', 'prices', (call) => page(call, PRICES.map(showPrice))),
    row('GET', 'prices/{id}', (call) => showPrice(priceOf(knownPrice(idOf(call), 'price'))!)),
    row('GET', 'invoices', (call) => {
      const [subscription, status, customer] = ['subscription', 'status', 'customer'].map((name) =>
        textIn(call.fields, name),
      );
      const all = subscription === undefined ? docs.list('invoice') : ledger.invoicesOf(subscription);
      const request = all.filter(
        (one) => (status === undefined || one.status === status) && (customer ?? one.customer) === one.customer,
      );
      return page(call, request.toReversed().map(showInvoice));
    }),
    row('GET', 'invoices/{id}', (call) => showInvoice(found('invoice', idOf(call)))),
    row('GET', 'events', (call) => page(call, docs.list('event').toReversed().map(showEvent))),
    row('GET', 'events/{id}', (call) => showEvent(found('event', idOf(call)))),
  ];
}
