import type { Signin } from '#engine/signin/index.ts';
import { networkOf } from '#kernel/net/addresses.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { emailOf } from '#kernel/text/email.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { drawField, drawRefusal } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendPage } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import { showNoCookie } from './notes.ts';
import type { Visitors } from './visitors.ts';

const SUBJECT = 'forgot';
const NO_ADDRESS = 'This is not an e-mail address.';

export type ForgotDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'passwordLinks'>;
  visitors: Pick<Visitors, 'deviceOf'>;
  forms: Forms;
  trail: Trail;
}>;

/** The page that mails a link for a new password. Its answer does not say whether anybody has the address. */
export function makeForgotRoutes({ rootUrl, signin, visitors, forms, trail }: ForgotDeps): readonly Route[] {
  const links = signin.passwordLinks;
  if (links === undefined) return [];

  function show(ctx: RequestContext, wrong?: string): void {
    forms.open(ctx, SUBJECT);
    sendPage(ctx, {
      status: wrong === undefined ? 200 : 400,
      title: wrong === undefined ? 'Forgot your password?' : 'Error: forgot your password?',
      forms: 'own',
      body: drawForgot(forms.token(ctx, SUBJECT), wrong),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    if (!forms.hasReturned(ctx, SUBJECT)) return showNoCookie(ctx, rootUrl);
    const given = (await forms.read(ctx, SUBJECT)).get('email') ?? '';
    const email = emailOf(given);
    if (email === undefined) return show(ctx, given);
    await links!.admit({ email, network: networkOf(ctx.ip), device: visitors.deviceOf(ctx, email) });
    trail.noteLater(ctx, async () => {
      const { person, isMailed } = await links!.mail(email);
      return { tool: 'forgot_password', person, isRefused: !isMailed };
    });
    showAsked(ctx);
  }

  return Object.freeze([{ path: '/forgot', GET: (ctx) => show(ctx), POST: submit }]);
}

function drawForgot(token: Html, wrong: string | undefined): Html {
  return html`<h1>Forgot your password?</h1>
    ${drawRefusal(wrong === undefined ? undefined : NO_ADDRESS)}
    <p>Enter the e-mail address with which you sign in. It gets a link with which you choose a new password.</p>
    <form method="post" action="/forgot">
      ${token}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        autocomplete: 'username',
        maxlength: 254,
        value: wrong,
        wrong: wrong !== undefined,
        autofocus: true,
      })}
      <div class="actions">
        <button class="primary">Send the link</button>
        <a class="button" href="/sign-in">Back to sign-in</a>
      </div>
    </form>`;
}

function showAsked(ctx: RequestContext): void {
  sendPage(ctx, {
    title: 'Check your mail',
    body: html`<h1>Check your mail</h1>
      <p role="status">If somebody signs in here with this address, a link is on its way. It works for one hour.</p>
      <p class="quiet">
        Nothing came? Look in the spam folder, and check the address. The operator of this server can set a password
        too.
      </p>
      <p><a href="/sign-in">Back to sign-in</a></p>`,
  });
}
