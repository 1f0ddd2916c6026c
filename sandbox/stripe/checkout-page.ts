import type { Context } from 'koa';
import { html } from '../html.ts';
import { nameOfPrice, type Checkout } from './docs.ts';
import { asCard, drawButton, drawCards, leave, show } from './frame.ts';
import type { World } from './invoices.ts';
import type { Ledger } from './ledger.ts';

const SESSION = /\{CHECKOUT_SESSION_ID\}/g;

export function makeCheckoutPage({ docs, options: { store, forms } }: World, ledger: Ledger) {
  function drawCheckout(ctx: Context, { id, price, customer }: Checkout, refused = false): void {
    const token = forms.field(ctx);
    show(
      ctx,
      'Checkout',
      html`<h1>Subscribe to ${nameOfPrice(price)}</h1>
        ${refused && html`<p class="note" role="alert">The card was declined; nothing was charged.</p>`}
        <p>This is the checkout page of the Stripe simulator: no money moves. Then you return to the app.</p>
        <form class="dialog" method="post" action="/sandbox/stripe/www/pay/${id}">
          ${token} ${drawCards(ledger.customerOf(customer).card)}
          <div class="buttons">${drawButton('pay', 'Pay', true)} ${drawButton('back', 'Back')}</div>
        </form>`,
      refused ? 402 : 200,
    );
  }

  async function answerCheckout(ctx: Context, checkout: Checkout): Promise<void> {
    const fields = ctx.method === 'POST' ? await forms.read(ctx) : undefined;
    if (fields?.get('choice') === 'back') return leave(ctx, checkout.cancel_url);
    if (checkout.status !== 'open')
      return show(
        ctx,
        'Checkout',
        html`<h1>This page has ${checkout.status === 'complete' ? 'been paid' : 'expired'}</h1>`,
        410,
      );
    if (fields === undefined) return drawCheckout(ctx, checkout);
    const card = asCard(fields.get('card'));
    const isPaid = store.write(() => {
      if (card !== undefined) docs.change('customer', checkout.customer, { card });
      return ledger.pay(checkout);
    });
    if (!isPaid) return drawCheckout(ctx, checkout, true);
    leave(ctx, checkout.success_url.replaceAll(SESSION, checkout.id));
  }

  return answerCheckout;
}
