import type { Signin } from '#engine/signin/index.ts';
import { ApiError, orRefusalLater } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { drawRefusal, inFormWords } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendPage } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import { makeLinkPage } from './link-page.ts';
import { drawOtherSession, showNoCookie } from './notes.ts';
import { drawEndApps, drawPasswordFields, drawUsername, END_APPS, refuseDifferent } from './person-fields.ts';
import type { Visitors } from './visitors.ts';

const LINK_SECONDS = 3600;

export type NewPasswordDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'passwordLinks' | 'passwordLength' | 'visitor'>;
  visitors: Visitors;
  forms: Forms;
  trail: Trail;
}>;

/** A form that was refused, without its passwords. */
type Filled = Readonly<{ fields: URLSearchParams; refusal: ApiError }>;

/** The page of a mailed link on which people choose a new password. Posting its form consumes the link. */
export function makeNewPasswordRoutes({ rootUrl, signin, visitors, forms, trail }: NewPasswordDeps): readonly Route[] {
  const links = signin.passwordLinks;
  if (links === undefined) return [];
  const { use, addressOf: find } = links;
  const link = makeLinkPage({ rootUrl, signin, visitors, trail, name: 'new-password', seconds: LINK_SECONDS, find });
  // A form belongs to its link, so that nobody changes one person's password on the page of another.
  const subjectOf = (token: string) => `new password ${token}`;

  async function show(ctx: RequestContext, email: string, token: string, filled?: Filled) {
    const subject = subjectOf(token);
    forms.open(ctx, subject);
    sendPage(ctx, {
      status: filled?.refusal.status ?? 200,
      title: filled === undefined ? 'Choose a new password' : 'Error: choose a new password',
      forms: 'own',
      body: drawNewPassword({
        email,
        field: forms.token(ctx, subject),
        signedIn: (await visitors.visitorOf(ctx))?.email,
        minLength: signin.passwordLength.min,
        filled,
      }),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    const opened = await link.opened(ctx);
    if (opened === undefined) return showSpent(ctx);
    const { token, found: email } = opened;
    if (!forms.hasReturned(ctx, subjectOf(token))) return showNoCookie(ctx, rootUrl);
    const fields = await forms.read(ctx, subjectOf(token));
    const [password, endApps] = [fields.get('password') ?? '', fields.has(END_APPS)];
    const session =
      refuseDifferent(password, fields.get('repeated') ?? '') ??
      (await orRefusalLater(() => use(token, { password, endApps, agent: ctx.get('User-Agent') })));
    if (session instanceof ApiError) {
      // The same form may have been sent twice at once.
      return (await link.opened(ctx)) === undefined
        ? showSpent(ctx)
        : show(ctx, email, token, { fields, refusal: session });
    }
    await link.enter(ctx, session, email, { tool: 'reset_password', input: { end_apps: endApps } });
  }

  return Object.freeze([{ path: link.path, GET: link.open({ show, showSpent }), POST: submit }]);
}

type NewPasswordView = Readonly<{
  email: string;
  field: Html;
  /** The address of the person who is signed in in this browser. */
  signedIn: string | undefined;
  minLength: number;
  filled: Filled | undefined;
}>;

function drawNewPassword({ email, field, signedIn, minLength, filled }: NewPasswordView): Html {
  const wrong = filled?.refusal.detail.meta?.['field'];
  return html`<h1>Choose a new password</h1>
    ${drawRefusal(filled && inFormWords(filled.refusal).message)}
    <p>
      You sign in with it as <strong><bdi>${email}</bdi></strong
      >. Every browser that is signed in with the old one is signed out.
    </p>
    ${signedIn !== undefined && signedIn !== email && drawOtherSession(signedIn, 'save the password')}
    <form method="post" action="/new-password">
      ${field} ${drawUsername(email)}
      ${drawPasswordFields({ label: 'New password', minLength, wrong, autofocus: wrong === undefined })}
      ${drawEndApps(filled?.fields)}
      <div class="actions"><button class="primary">Save the password</button></div>
    </form>`;
}

function showSpent(ctx: RequestContext): void {
  sendPage(ctx, {
    status: 403,
    title: 'No link for a new password',
    body: html`<h1>This link is not valid</h1>
      <p>
        A link for a new password works once, within an hour, and until your password is changed in another way. Open it
        exactly as it is in the mail.
      </p>
      <p><a href="/forgot">Ask for a new link</a>, or <a href="/sign-in">sign in</a>.</p>`,
  });
}
