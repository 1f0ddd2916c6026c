import type { Signin } from '#engine/signin/index.ts';
import { emailOf } from '#kernel/text/email.ts';
import { ApiError } from '#kernel/errors.ts';
import { makeCookie } from '../kit/cookies.ts';
import { drawField, drawRefusal, inFormWords } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { isName, LONGEST_NAME } from '../kit/person-name.ts';
import type { Trail } from '../kit/trail.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { asSeen } from '#kernel/text/blank.ts';
import { showNoCookie } from './notes.ts';
import { personOf, type Visitors } from './visitors.ts';

const SUBJECT = 'set-up';
const LINK_SECONDS = 3600;
const TOKEN = /^[0-9a-f]{64}$/;
/** Tells a browser that blocks cookies from one that came without the link. */
const THROUGH_LINK = 'via=link';

export type SetupDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'isSetupOpen' | 'setUp' | 'passwordLength' | 'visitor'>;
  visitors: Visitors;
  forms: Forms;
  trail: Trail;
}>;

type Filled = Readonly<{ email: string; name: string; refusal: ApiError }>;

/** First-run set-up. The token moves to a cookie; posting consumes it: docs/contract/security.md#set-up-link. */
export function makeSetupRoutes({ rootUrl, signin, visitors, forms, trail }: SetupDeps): readonly Route[] {
  const link = makeCookie({ rootUrl, name: 'setup', seconds: LINK_SECONDS });

  async function openToken(ctx: RequestContext): Promise<string | undefined> {
    const token = link.read(ctx) ?? '';
    return TOKEN.test(token) && (await signin.isSetupOpen(token)) ? token : undefined;
  }

  function show(ctx: RequestContext, filled?: Filled): void {
    forms.open(ctx, SUBJECT);
    sendPage(ctx, {
      status: filled === undefined ? 200 : 400,
      title: filled === undefined ? 'Set up this server' : 'Error: set up this server',
      forms: 'own',
      body: drawSetup(forms.token(ctx, SUBJECT), signin.passwordLength.min, filled),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    if (!forms.hasReturned(ctx, SUBJECT)) return showNoCookie(ctx, rootUrl);
    const fields = await forms.read(ctx, SUBJECT);
    const token = await openToken(ctx);
    if (token === undefined) return showSpent(ctx);
    const text = (name: string) => fields.get(name) ?? '';
    const [given, name, password] = [text('email'), asSeen(text('name')).trim(), text('password')];
    const email = emailOf(given);
    const again = (refusal: ApiError) => show(ctx, { email: given, name, refusal });
    const wrong = (field: string, message: string) =>
      again(new ApiError('validation.field_invalid', { message, meta: { field } }));
    if (email === undefined) return wrong('email', 'This is not an e-mail address.');
    if (!isName(name)) return wrong('name', 'Enter your name.');
    if (text('repeated') !== password) return wrong('repeated', 'The passwords differ; type the same twice.');
    const session = await signin.setUp(token, { email, name, password, agent: ctx.get('User-Agent') });
    if (session instanceof ApiError) return again(session);
    const owner = await signin.visitor(session);
    await trail.note(ctx, { tool: 'set_up', person: owner && personOf(owner) });
    await visitors.enter(ctx, session, email);
    link.clear(ctx);
    sendOn(ctx, '/');
  }

  return Object.freeze([
    {
      path: '/setup',
      async GET(ctx) {
        const { token } = ctx.query;
        if (token !== undefined) {
          if (typeof token !== 'string' || !TOKEN.test(token)) return showSpent(ctx);
          link.write(ctx, token);
          return sendOn(ctx, `/setup?${THROUGH_LINK}`);
        }
        if ((await openToken(ctx)) !== undefined) return show(ctx);
        if ((await visitors.visitorOf(ctx)) !== undefined) return sendOn(ctx, '/');
        if (ctx.querystring === THROUGH_LINK && link.read(ctx) === undefined) return showNoCookie(ctx, rootUrl);
        showSpent(ctx);
      },
      POST: submit,
    },
  ]);
}

function drawSetup(token: Html, minLength: number, filled: Filled | undefined): Html {
  const wrong = filled?.refusal.detail.meta?.['field'];
  return html`<h1>Set up this server</h1>
    ${drawRefusal(filled && inFormWords(filled.refusal).message)}
    <p>You become the owner of this Rostra server. From now on, sign in with this e-mail address and password.</p>
    <form method="post" action="/setup">
      ${token}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        hint: 'It is your sign-in name; nothing is sent to it.',
        autocomplete: 'username',
        maxlength: 254,
        value: filled?.email,
        wrong: wrong === 'email',
        autofocus: wrong === undefined,
      })}
      ${drawField({
        name: 'name',
        label: 'Your name',
        hint: 'People see it when they connect an account to your workspace.',
        autocomplete: 'name',
        maxlength: LONGEST_NAME,
        value: filled?.name,
        wrong: wrong === 'name',
      })}
      ${drawField({
        name: 'password',
        label: 'Password',
        type: 'password',
        hint: `At least ${minLength} characters.`,
        autocomplete: 'new-password',
        minlength: minLength,
        wrong: wrong === 'password',
      })}
      ${drawField({
        name: 'repeated',
        label: 'Password once more',
        type: 'password',
        autocomplete: 'new-password',
        minlength: minLength,
        wrong: wrong === 'repeated',
      })}
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
