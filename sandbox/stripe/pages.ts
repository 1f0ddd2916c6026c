import { HOUR } from '#kernel/clock.ts';
import type { Context } from 'koa';
import { html } from '../html.ts';
import { makeCheckoutPage } from './checkout-page.ts';
import { show } from './frame.ts';
import type { World } from './invoices.ts';
import type { Ledger } from './ledger.ts';
import { makePortalPage } from './portal-page.ts';

export function makePages(world: World, ledger: Ledger) {
  const { docs, options } = world;
  const answerCheckout = makeCheckoutPage(world, ledger);
  const answerPortal = makePortalPage(world, ledger);

  return async function answerPage(ctx: Context, [kind, id = '', ...more]: readonly string[]): Promise<void> {
    if (more.length > 0 || !['GET', 'HEAD', 'POST'].includes(ctx.method)) return;
    const checkout = kind === 'pay' ? docs.get('checkout', id) : undefined;
    const portal = kind === 'manage' ? docs.get('portal', id) : undefined;
    if (checkout !== undefined) await answerCheckout(ctx, checkout);
    else if (portal !== undefined && portal.at + HOUR > options.clock.now()) await answerPortal(ctx, portal);
    else if (portal !== undefined) show(ctx, 'Subscription', html`<h1>This page has expired</h1>`, 410);
  };
}
