import type { Middleware } from 'koa';
import { explain } from '#kernel/envelope.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { RequestContext, RequestState } from '#kernel/route.ts';
import { presentError } from '../../invoke.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { html } from '#kernel/text/html.ts';
import { BILLING } from './billing-path.ts';
import { sendPage } from './html-page.ts';

/** Shows errors of page handlers as a page. */
export function showRefusals(log: Log): Middleware<RequestState> {
  return async function page(ctx, next) {
    try {
      await next();
    } catch (thrown) {
      sendRefusal(ctx, presentError(thrown, undefined, ctx.state.requestId, log));
    }
  };
}

/** Whether somebody is refused who can pay; guests of an invite cannot. */
const isDue = ({ path }: RequestContext, { code }: ApiError): boolean =>
  code === 'billing.past_due' && path.startsWith('/dashboard');

function sendRefusal(ctx: RequestContext, refusal: ApiError): void {
  const { status, code } = refusal;
  ctx.set(waitHeader(refusal));
  sendPage(ctx, {
    status,
    title: 'Error',
    body: html`<h1>That did not work</h1>
      <p>${explain(refusal)}</p>
      ${isDue(ctx, refusal) && html`<p><a class="button primary" href="${BILLING}">Pay it</a></p>`}
      <p class="quiet">Error <code>${code}</code>, request <code>${ctx.state.requestId}</code></p>`,
  });
}
