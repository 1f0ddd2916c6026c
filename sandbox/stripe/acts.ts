import { actsIn, oneOf, pickKept, type ActTable } from '../kit/acts.ts';
import { worldActs } from '../kit/world.ts';
import { PageError } from '../forms.ts';
import { CARDS, nameOfPrice, PRICES, type Card, type Checkout, type Subscription } from './docs.ts';
import { isLive, type World } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import { showCheckout, showSubscription } from './objects.ts';

export function stripeActs(world: World, ledger: Ledger, host: () => string): ActTable {
  const { docs, options } = world;
  const act = actsIn(options.store);
  const labelOf = ({ id, price }: Checkout | Subscription) => `${nameOfPrice(price)} (${id.slice(0, 14)}…)`;
  const checkout = pickKept(
    'Checkout',
    (id) => docs.get('checkout', id),
    () => docs.list('checkout').filter(({ status }) => status === 'open'),
    labelOf,
  );
  const subscription = pickKept(
    'Subscription',
    (id) => {
      const found = docs.get('subscription', id);
      return found && isLive(found) ? found : undefined;
    },
    () => docs.list('subscription').filter(isLive),
    labelOf,
  );
  const card = oneOf('Card', CARDS);
  const price = oneOf(
    'Plan',
    PRICES.map(({ id }) => id),
  );
  const viewOf = ({ id }: Subscription) => showSubscription(docs.get('subscription', id)!);

  return {
    groups: { customers: 'What customers do', time: 'What time and banks do', twin: 'How Stripe behaves' },
    acts: {
      pay: act('customers', 'Pay a checkout', { checkout, card }, ({ checkout: one, card: used }) => {
        if (one.status !== 'open') throw new PageError(409, `The checkout is ${one.status}.`);
        docs.change('customer', one.customer, { card: used as Card });
        if (!ledger.pay(one)) throw new PageError(402, 'The card was declined.');
        return showCheckout(docs.get('checkout', one.id)!, host());
      }),
      use_card: act('customers', 'Use another card', { subscription, card }, ({ subscription: one, card: used }) => {
        ledger.useCard(one.customer, used as Card);
        return viewOf(one);
      }),
      change_plan: act('customers', 'Change the plan at once', { subscription, price }, (given) =>
        showSubscription(ledger.changePrice(given.subscription, given.price)),
      ),
      plan_change: act('customers', 'Change the plan at the end of the period', { subscription, price }, (given) =>
        showSubscription(ledger.schedule(given.subscription, given.price)),
      ),
      cancel: act('customers', 'Cancel at the end of the period', { subscription }, ({ subscription: one }) =>
        showSubscription(ledger.cancelLater(one, true)),
      ),
      expire: act('time', 'Let a checkout expire', { checkout }, ({ checkout: one }) =>
        showCheckout(ledger.expire(one), host()),
      ),
      end_period: act('time', 'End the period now', { subscription }, ({ subscription: one }) => {
        ledger.endPeriod(one, options.clock.now());
        return viewOf(one);
      }),
      retry: act('time', 'Try an open invoice again', { subscription }, ({ subscription: one }) => {
        for (const { id, status } of ledger.invoicesOf(one.id)) if (status === 'open') ledger.collect(id);
        return viewOf(one);
      }),
      end: act('time', 'End a subscription at once', { subscription }, ({ subscription: one }) =>
        showSubscription(ledger.end(one)),
      ),
      ...worldActs(world),
    },
  };
}
