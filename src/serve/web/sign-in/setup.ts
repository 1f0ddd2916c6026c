import type { Signin } from '#engine/signin/index.ts';
import { emailOf } from '#kernel/text/email.ts';
import { ApiError } from '#kernel/errors.ts';
import { drawField, drawRefusal, inFormWords } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendPage } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { makeLinkPage } from './link-page.ts';
import { showNoCookie, whatIsSent } from './notes.ts';
import { drawPersonFields, personIn, refuseField, wrongFieldOf, type FilledPerson } from './person-fields.ts';
import type { Visitors } from './visitors.ts';

const SUBJECT = 'set-up';
const LINK_SECONDS = 3600;

export type SetupDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'isSetupOpen' | 'setUp' | 'passwordLength' | 'passwordLinks' | 'visitor'>;
  visitors: Visitors;
  forms: Forms;
  trail: Trail;
}>;

/** First-run set-up. The token moves to a cookie; posting consumes it: docs/contract/security.md#set-up-link. */
export function makeSetupRoutes({ rootUrl, signin, visitors, forms, trail }: SetupDeps): readonly Route[] {
  const link = makeLinkPage({
    rootUrl,
    signin,
    visitors,
    trail,
    name: 'setup',
    seconds: LINK_SECONDS,
    find: async (token) => (await signin.isSetupOpen(token)) || undefined,
  });

  function show(ctx: RequestContext, filled?: FilledPerson): void {
    forms.open(ctx, SUBJECT);
    sendPage(ctx, {
      status: filled === undefined ? 200 : 400,
      title: filled === undefined ? 'Set up this server' : 'Error: set up this server',
      forms: 'own',
      body: drawSetup({
        token: forms.token(ctx, SUBJECT),
        minLength: signin.passwordLength.min,
        byMail: signin.passwordLinks !== undefined,
        filled,
      }),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    if (!forms.hasReturned(ctx, SUBJECT)) return showNoCookie(ctx, rootUrl);
    const fields = await forms.read(ctx, SUBJECT);
    const token = (await link.opened(ctx))?.token;
    if (token === undefined) return showSpent(ctx);
    const given = fields.get('email') ?? '';
    const email = emailOf(given);
    const { name, password, refusal } = personIn(fields);
    const again = (wrong: ApiError) => show(ctx, { email: given, name, refusal: wrong });
    if (email === undefined) return again(refuseField('email', 'This is not an e-mail address.'));
    if (refusal) return again(refusal);
    const session = await signin.setUp(token, { email, name, password, agent: ctx.get('User-Agent') });
    if (session instanceof ApiError) return again(session);
    await link.enter(ctx, session, email, { tool: 'set_up' });
  }

  return Object.freeze([{ path: link.path, GET: link.open({ show: (ctx) => show(ctx), showSpent }), POST: submit }]);
}

type SetupView = Readonly<{ token: Html; minLength: number; byMail: boolean; filled: FilledPerson | undefined }>;

function drawSetup({ token, minLength, byMail, filled }: SetupView): Html {
  const wrong = wrongFieldOf(filled);
  return html`<h1>Set up this server</h1>
    ${drawRefusal(filled && inFormWords(filled.refusal).message)}
    <p>You become the owner of this Rostra server. From now on, sign in with this e-mail address and password.</p>
    <form method="post" action="/setup">
      ${token}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        hint: `It is your sign-in name; ${whatIsSent(byMail)}.`,
        autocomplete: 'username',
        maxlength: 254,
        value: filled?.email,
        wrong: wrong === 'email',
        autofocus: wrong === undefined,
      })}
      ${drawPersonFields({ filled, nameHint: 'People see it when they connect an account to your workspace.', minLength })}
      <div class="actions"><button class="primary">Become the owner</button></div>
    </form>`;
}

function showSpent(ctx: RequestContext): void {
  sendPage(ctx, {
    status: 403,
    title: 'No set-up link',
    body: html`<h1>This set-up link is not valid</h1>
      <p>A set-up link works once, within an hour, and only while this server has no owner.</p>
      <p>
        To get a new link, restart the server: it prints the link, or writes it to <code>first-run.txt</code> in its
        data folder. If the server has an owner, <a href="/sign-in">sign in</a>.
      </p>`,
  });
}
