import { attributes } from '#kernel/text/html.ts';
import type { Context } from 'koa';
import { html, HOME, navLinkOf, page, type Html } from '../html.ts';
import { ABOUT } from './about.ts';
import { CARDS, type Card } from './docs.ts';

export const asCard = (value: string | null): Card | undefined => CARDS.find((card) => card === value);

/** Shows a page whose form may redirect to another site, which form-action would block. */
export function show(ctx: Context, title: string, body: Html, status = 200): void {
  const policy = ctx.response.get('Content-Security-Policy');
  ctx.set('Content-Security-Policy', policy.replace("form-action 'self'; ", ''));
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.type = 'html';
  ctx.body = page(title, body, [HOME, navLinkOf(ABOUT.slug, ABOUT.title)]);
}

export const drawButton = (choice: string, label: string, isMain = false): Html =>
  html`<button ${attributes({ class: isMain && 'primary' })} name="choice" value="${choice}">${label}</button>`;

export const drawCards = (chosen: Card): Html =>
  html`<fieldset>
    <legend>Card</legend>
    ${CARDS.map(
      (card) =>
        html`<label class="tick"
          ><input type="radio" name="card" value="${card}" ${attributes({ checked: card === chosen })} required /> A
          card that ${card}</label
        >`,
    )}
  </fieldset>`;

export function leave(ctx: Context, address: string): void {
  ctx.redirect(address);
  ctx.status = 303;
}
