import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendPage } from '../kit/html-page.ts';

export type PaymentOutcome = (
  sessionId: string,
) => Promise<Readonly<{ status: 'open' | 'complete' | 'expired'; plan: string }> | undefined>;

const LONGEST_SESSION = 255;

/** The default pages to which the payment provider sends people back. */
export function makeBillingReturns(outcomeOf: PaymentOutcome): readonly Route[] {
  return Object.freeze<Route[]>([
    {
      path: '/billing/paid',
      async GET(ctx) {
        const session = new URLSearchParams(ctx.querystring).get('session_id') ?? '';
        const isId = session !== '' && session.length <= LONGEST_SESSION;
        showOutcome(ctx, session, isId ? await outcomeOf(session) : undefined);
      },
    },
    {
      path: '/billing/cancelled',
      GET: (ctx) =>
        show(ctx, 'Nothing was bought', html`<p>The plan has not changed, and nothing was charged.</p>`, '✕', 'quiet'),
    },
    {
      path: '/billing/back',
      GET: (ctx) =>
        show(
          ctx,
          'Back from billing',
          html`<p>Changes apply within a few seconds. A downgrade applies at the end of the period.</p>`,
        ),
    },
  ]);
}

function showOutcome(ctx: RequestContext, session: string, outcome: Awaited<ReturnType<PaymentOutcome>>): void {
  if (outcome === undefined) {
    show(ctx, 'Thank you', html`<p>The plan changes as soon as the payment is confirmed, within a few seconds.</p>`);
  } else if (outcome.status === 'complete') {
    show(ctx, 'Thank you', html`<p>The plan ${outcome.plan} is confirmed.</p>`, '✓', 'good');
  } else if (outcome.status === 'expired') {
    show(ctx, 'The payment page has expired', html`<p>Nothing was charged. Start again from where you came.</p>`);
  } else {
    show(
      ctx,
      'Not paid yet',
      html`<p>The payment for ${outcome.plan} is not confirmed yet.</p>
        <p><a class="button" href="/billing/paid?session_id=${encodeURIComponent(session)}">Look again</a></p>`,
    );
  }
}

function show(ctx: RequestContext, title: string, words: Html, sign?: string, tone = 'quiet'): void {
  sendPage(ctx, {
    title,
    body: html`<h1>${sign !== undefined && html`<span class="${tone}" aria-hidden="true">${sign}</span> `}${title}</h1>
      ${words}
      <p>You can close this page and go back to where you came from, or <a href="/dashboard">to the dashboard</a>.</p>`,
  });
}
