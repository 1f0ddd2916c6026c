import type { Context } from 'koa';
import { isoTime } from '#kernel/clock.ts';
import { PageError } from '../forms.ts';
import { drawTime, html, type Html } from '../html.ts';
import { nameOfPrice, priceName, priceOf, PRICES, type Portal, type Price, type Subscription } from './docs.ts';
import { asCard, drawButton, drawCards, leave, show } from './frame.ts';
import { isLive, type World } from './invoices.ts';
import type { Ledger } from './ledger.ts';

/** Whether a change has to wait for the end of the period, by the conditions of the configuration. */
function isLater(features: Readonly<Record<string, unknown>>, from: Price, to: Price): boolean {
  const update = features['subscription_update'] as
    | { schedule_at_period_end?: { conditions?: readonly { type: string }[] } }
    | undefined;
  const conditions = new Set(update?.schedule_at_period_end?.conditions?.map(({ type }) => type));
  return (
    (conditions.has('decreasing_item_amount') && to.amount < from.amount) ||
    (conditions.has('shortening_interval') && from.interval === 'year' && to.interval === 'month')
  );
}

export function makePortalPage({ docs, options: { store, forms } }: World, ledger: Ledger) {
  const featuresOf = ({ configuration }: Portal) => docs.get('configuration', configuration)?.features ?? {};

  /** The prices to which a customer can change on this page. */
  function offeredBy(portal: Portal): readonly Price[] {
    const { products = [] } = (featuresOf(portal)['subscription_update'] ?? {}) as {
      products?: readonly { prices: readonly string[] }[];
    };
    const ids = new Set(products.flatMap(({ prices }) => prices));
    return PRICES.filter(({ id }) => ids.has(id));
  }

  function changeTo(portal: Portal, subscription: Subscription, id: string): void {
    const [from, to] = [priceOf(subscription.price), offeredBy(portal).find((price) => price.id === id)];
    if (from === undefined || to === undefined || from === to) throw new PageError(400, 'Choose another plan.');
    if (isLater(featuresOf(portal), from, to)) ledger.schedule(subscription, to.id);
    else ledger.changePrice(subscription, to.id);
  }

  function drawSubscription(portal: Portal, subscription: Subscription): Html {
    const { price, status, period_end, cancel_at_period_end, scheduled, customer } = subscription;
    const end = drawTime(isoTime(period_end));
    const others = offeredBy(portal).filter(({ id }) => id !== price);
    return html`<h2>${nameOfPrice(price)}</h2>
      <p>
        ${status.replaceAll('_', ' ')}; ${cancel_at_period_end ? 'ends' : 'renews'} on ${end}
        ${scheduled !== undefined && html`as ${nameOfPrice(scheduled.price)}`}
      </p>
      ${drawCards(ledger.customerOf(customer).card)}
      <div class="buttons">${drawButton('card', 'Use this card')}</div>
      <label
        >Other plan
        <select name="price">
          ${others.map((one) => html`<option value="${one.id}">${priceName(one)}</option>`)}
        </select></label
      >
      <div class="buttons">
        ${drawButton('change', 'Change the plan')}
        ${cancel_at_period_end ? drawButton('keep', 'Keep the subscription') : drawButton('cancel', 'Cancel it')}
      </div>`;
  }

  function drawPortal(ctx: Context, portal: Portal): void {
    const token = forms.field(ctx);
    const { change } = portal;
    const live = ledger.subscriptionsOf(portal.customer).filter(isLive);
    const confirmed = live.find(({ id }) => id === change?.subscription);
    const body =
      confirmed === undefined || change === undefined
        ? live.map((one) => drawSubscription(portal, one))
        : html`<p>From ${nameOfPrice(confirmed.price)} to ${nameOfPrice(change.price)}.</p>
            <div class="buttons">${drawButton('confirm', 'Confirm', true)}</div>`;
    show(
      ctx,
      'Subscription',
      html`<h1>Your subscription</h1>
        <p>This is the customer portal of the Stripe simulator: no money moves.</p>
        <form class="dialog" method="post" action="/sandbox/stripe/www/manage/${portal.id}">
          ${token} ${body}
          <div class="buttons">${drawButton('back', 'Back to the app')}</div>
        </form>`,
    );
  }

  /** Handles a button of the portal. Returns the URL to go to when the customer is done. */
  function act(portal: Portal, subscription: Subscription | undefined, fields: URLSearchParams): string | undefined {
    const { change } = portal;
    const choice = fields.get('choice');
    if (choice === 'back') return portal.return_url;
    if (subscription === undefined) throw new PageError(409, 'There is no subscription any more.');
    if (choice === 'confirm' && change !== undefined) {
      changeTo(portal, subscription, change.price);
      return change.return_url;
    }
    if (choice === 'change') changeTo(portal, subscription, fields.get('price') ?? '');
    else if (choice === 'card') ledger.useCard(portal.customer, asCard(fields.get('card')) ?? 'works');
    else if (choice === 'cancel' || choice === 'keep') ledger.cancelLater(subscription, choice === 'cancel');
    else throw new PageError(400, 'Choose what to do.');
    return undefined;
  }

  async function answerPortal(ctx: Context, portal: Portal): Promise<void> {
    if (ctx.method !== 'POST') return drawPortal(ctx, portal);
    const fields = await forms.read(ctx);
    const live = ledger.subscriptionsOf(portal.customer).filter(isLive);
    const subscription = live.find(({ id }) => id === (portal.change?.subscription ?? id));
    const next = store.write(() => act(portal, subscription, fields));
    leave(ctx, next ?? ctx.path);
  }

  return answerPortal;
}
