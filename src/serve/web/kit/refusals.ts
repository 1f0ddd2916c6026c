import type { Middleware } from 'koa';
import { explain } from '#kernel/envelope.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { RequestContext, RequestState } from '#kernel/route.ts';
import { presentError } from '../../invoke.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { html } from '#kernel/text/html.ts';
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

function sendRefusal(ctx: RequestContext, refusal: ApiError): void {
  const { status, code } = refusal;
  ctx.set(waitHeader(refusal));
  sendPage(ctx, {
    status,
    title: 'Error',
    body: html`<h1>That did not work</h1>
      <p>${explain(refusal)}</p>
      <p class="quiet">Error <code>${code}</code>, request <code>${ctx.state.requestId}</code></p>`,
  });
}
