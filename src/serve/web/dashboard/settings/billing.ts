import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { BILLING } from '../../kit/billing-path.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Filled, Frame } from '../frame.ts';

/** The page with a link to the payment provider. It stays available while a payment is due. */
export function makeBillingRoutes({ visitors, operate, send, forThose }: Frame): readonly Route[] {
  const sendPage = (ctx: RequestContext, visitor: Visitor, body: Html, filled?: Filled) =>
    send(ctx, visitor, { path: BILLING, title: 'Billing', body }, filled);

  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const { plan } = bodyOf<{ plan: string }>(await operate(ctx, visitor, 'get_me'));
    const body = html`<p>
        Your plan is ${plan}. Its card, invoices and changes are on the page of the payment provider.
      </p>
      <form method="post" action="${BILLING}" class="actions">
        ${visitors.field(visitor)}
        <button class="primary">Open that page</button>
      </form>`;
    await sendPage(ctx, visitor, body, filled);
  }

  /** Forms must not redirect to another site, so a link leads to the provider. */
  async function open(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const opened = await operate(ctx, visitor, 'create_portal_session');
    if (opened.refusal) return show(ctx, visitor, { refusal: opened.refusal, fields });
    const { url } = bodyOf<{ url: string }>(opened);
    const body = html`<p>The page of the payment provider is ready. It brings you back here.</p>
      <div class="actions"><a class="button primary" href="${url}">Continue</a></div>`;
    await sendPage(ctx, visitor, body);
  }

  return Object.freeze([
    {
      path: BILLING,
      GET: forThose('create_portal_session', (ctx, visitor) => show(ctx, visitor)),
      POST: forThose('create_portal_session', open),
    },
  ]);
}
