import { explain } from '#kernel/envelope.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { RequestContext } from '#kernel/route.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { BILLING } from './billing-path.ts';
import { sendPage } from './html-page.ts';

type Words = Readonly<{ title: string; text: string; way?: Html | undefined }>;

const START = html`<p><a class="button" href="/">Go to the start page</a></p>`;

/** Shows a person why a request was refused and what to do next. */
export function sendProblem(ctx: RequestContext, refusal: ApiError, rootUrl: string): void {
  const { title, text, way = START } = wordsFor(ctx, refusal, rootUrl);
  for (const header of ['Content-Disposition', 'Content-Encoding', 'ETag']) ctx.remove(header);
  ctx.set(waitHeader(refusal));
  sendPage(ctx, {
    status: refusal.status,
    title: 'Error',
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      ${way}
      <p class="quiet">Error <code>${refusal.code}</code>, request <code>${ctx.state.requestId}</code></p>`,
  });
}

function wordsFor(ctx: RequestContext, refusal: ApiError, rootUrl: string): Words {
  const { code, message, status } = refusal;
  switch (code) {
    case 'http.404':
      return { title: 'There is no such page', text: 'The address may be incomplete or out of date.' };
    case 'http.405':
      return { title: 'This address cannot be opened', text: 'It only accepts forms and requests from programs.' };
    case 'http.413':
      return { title: 'That is too large', text: `${explain(refusal, 'person')} Go back and try again.` };
    case 'http.421':
      return {
        title: 'This server has another address',
        text: message,
        way: html`<p><a class="button primary" href="${rootUrl}">Open ${rootUrl}</a></p>
          <p class="quiet">
            The operator can change the server's address with the setting <code>ROOT_URL</code>, or add this one to
            <code>ALLOWED_HOSTS</code>.
          </p>`,
      };
    case 'http.429':
      return { title: 'Too many requests', text: explain(refusal, 'person'), way: reload(ctx) };
    case 'http.503':
      return { title: 'The server is not available', text: explain(refusal, 'person'), way: reload(ctx) };
    case 'system.internal':
      return {
        title: 'Something went wrong on the server',
        text: 'Try again. If it keeps failing, send the request number below to the operator of this server.',
        way: reload(ctx),
      };
    case 'auth.not_authenticated':
      return {
        title: 'You are not signed in',
        text: 'Sign in, then open this page again.',
        way: html`<p><a class="button primary" href="/sign-in">Sign in</a></p>`,
      };
    case 'auth.oauth.request_expired':
      return {
        title: 'This request has expired',
        text: 'Go back to the app that sent you here, and start to connect it again.',
      };
    case 'billing.past_due':
      return { title: 'The last payment failed', text: explain(refusal, 'person'), way: payment(ctx) };
    default:
      return status === 410 || isFileLink(ctx, status)
        ? { title: 'This link no longer works', text: `${message} Ask for a new link where you got this one.` }
        : { title: 'That did not work', text: explain(refusal, 'person') };
  }
}

/** Links to files expire, and the file itself can expire too. */
const isFileLink = ({ path }: RequestContext, status: number): boolean =>
  (status === 403 || status === 404) && /^\/(?:files|media)\//.test(path);

/** Offers the same page again. After a form it leads to the start, as only the browser can submit the form again. */
const reload = ({ method, path, search }: RequestContext): Html =>
  method === 'POST' ? START : html`<p><a class="button primary" href="${path + search}">Try again</a></p>`;

/** Invited guests cannot pay, nor people whose role does not allow it. */
const payment = ({ state }: RequestContext): Html | undefined =>
  state.mayPay === true ? html`<p><a class="button primary" href="${BILLING}">Pay it</a></p>` : undefined;
