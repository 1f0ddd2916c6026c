import type { Signin } from '#engine/signin/index.ts';
import { networkOf } from '#kernel/net/addresses.ts';
import { emailOf } from '#kernel/text/email.ts';
import { drawField, drawRefusal } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { drawLostPassword, drawNoOwner, showNoCookie } from './notes.ts';
import { destinationOf, personOf, type Visitors } from './visitors.ts';

const SUBJECT = 'sign-in';
const WRONG = 'The e-mail address or the password is wrong.';

export type SignInDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'signIn' | 'isSetupNeeded' | 'passwordLinks'>;
  visitors: Visitors;
  forms: Forms;
  trail: Trail;
}>;

export function makeSignInRoutes({ rootUrl, signin, visitors, forms, trail }: SignInDeps): readonly Route[] {
  async function show(ctx: RequestContext, refusal?: string, email?: string): Promise<void> {
    forms.open(ctx, SUBJECT);
    const destination = destinationOf(ctx.query['next']);
    const action = destination === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(destination)}`;
    const setUp = await signin.isSetupNeeded();
    sendPage(ctx, {
      status: refusal === undefined ? 200 : 400,
      title: refusal === undefined ? 'Sign in' : 'Error: sign in',
      forms: 'own',
      body: drawSignIn({
        action,
        token: forms.token(ctx, SUBJECT),
        setUp,
        refusal,
        email,
        byMail: signin.passwordLinks !== undefined,
      }),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    if (!forms.hasReturned(ctx, SUBJECT)) return showNoCookie(ctx, rootUrl);
    const fields = await forms.read(ctx, SUBJECT);
    const given = fields.get('email') ?? '';
    const password = fields.get('password') ?? '';
    const email = emailOf(given);
    if (email === undefined || password === '') return show(ctx, WRONG, given);
    const origin = { email, network: networkOf(ctx.ip), device: visitors.deviceOf(ctx, email) };
    const { token, person } = await signin.signIn({ ...origin, password, agent: ctx.get('User-Agent') });
    if (token === undefined) {
      trail.noteAside(ctx, { tool: 'sign_in', person, isRefused: true });
      return show(ctx, WRONG, given);
    }
    await trail.note(ctx, { tool: 'sign_in', person });
    await visitors.enter(ctx, token, email);
    sendOn(ctx, destinationOf(ctx.query['next']));
  }

  return Object.freeze([
    {
      path: '/sign-in',
      async GET(ctx) {
        if ((await visitors.visitorOf(ctx)) === undefined) await show(ctx);
        else sendOn(ctx, destinationOf(ctx.query['next']));
      },
      POST: submit,
    },
    {
      path: '/sign-out',
      async GET(ctx) {
        const visitor = await visitors.visitorOf(ctx);
        if (visitor === undefined) showSignedOut(ctx);
        else showSignOut(ctx, visitor.email, visitors.field(visitor));
      },
      async POST(ctx) {
        const visitor = await visitors.visitorOf(ctx);
        if (visitor !== undefined) {
          await visitors.read(ctx, visitor);
          await visitors.signOut(ctx);
          await trail.note(ctx, { tool: 'sign_out', person: personOf(visitor) });
        }
        sendOn(ctx, '/sign-out');
      },
    },
  ]);
}

type SignInView = Readonly<{
  action: string;
  token: Html;
  setUp: boolean;
  byMail: boolean;
  refusal: string | undefined;
  email: string | undefined;
}>;

function drawSignIn({ action, token, setUp, byMail, refusal, email }: SignInView): Html {
  return html`<h1>Sign in</h1>
    ${drawRefusal(refusal)} ${setUp && drawNoOwner()}
    <form method="post" action="${action}">
      ${token}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        autocomplete: 'username',
        value: email,
        autofocus: email === undefined,
      })}
      ${drawField({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        autofocus: email !== undefined,
      })}
      <div class="actions"><button class="primary">Sign in</button></div>
    </form>
    ${drawLostPassword(byMail)}`;
}

function showSignOut(ctx: RequestContext, email: string, token: Html): void {
  sendPage(ctx, {
    title: 'Sign out',
    forms: 'own',
    body: html`<h1>Sign out</h1>
      <p>You are signed in as <bdi>${email}</bdi>.</p>
      <form method="post" action="/sign-out" class="actions">
        ${token}
        <button class="primary">Sign out</button>
        <a class="button" href="/">Stay</a>
      </form>`,
  });
}

function showSignedOut(ctx: RequestContext): void {
  sendPage(ctx, {
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
      <p><a href="/sign-in">Sign in again</a></p>`,
  });
}
