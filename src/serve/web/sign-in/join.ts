import type { Invitation } from '#engine/signin/join.ts';
import type { Signin } from '#engine/signin/index.ts';
import { ApiError, orRefusalLater } from '#kernel/errors.ts';
import { wordsOf } from '#kernel/people/roles.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { drawField, drawRefusal, inFormWords } from '../kit/form-fields.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendPage } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import { makeLinkPage } from './link-page.ts';
import { drawOtherSession, showNoCookie, whatIsSent } from './notes.ts';
import { drawPersonFields, personIn, wrongFieldOf, type FilledPerson } from './person-fields.ts';
import type { Visitors } from './visitors.ts';

const LINK_SECONDS = 86_400;

export type JoinDeps = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'invitation' | 'join' | 'passwordLength' | 'passwordLinks' | 'visitor'>;
  visitors: Visitors;
  forms: Forms;
  trail: Trail;
}>;

/** The page of an invitation to a workspace. Posting its form consumes the link. */
export function makeJoinRoutes({ rootUrl, signin, visitors, forms, trail }: JoinDeps): readonly Route[] {
  const link = makeLinkPage({
    rootUrl,
    signin,
    visitors,
    trail,
    name: 'join',
    seconds: LINK_SECONDS,
    find: signin.invitation,
  });
  // A form belongs to its link, so that nobody joins with one invitation after reading another.
  const subjectOf = (token: string) => `join ${token}`;

  async function show(ctx: RequestContext, invitation: Invitation, token: string, filled?: FilledPerson) {
    const subject = subjectOf(token);
    forms.open(ctx, subject);
    const title = `Join the workspace of ${invitation.owner}`;
    sendPage(ctx, {
      status: filled?.refusal.status ?? 200,
      title: filled === undefined ? title : `Error: ${title}`,
      forms: 'own',
      body: drawJoin({
        title,
        invitation,
        field: forms.token(ctx, subject),
        signedIn: (await visitors.visitorOf(ctx))?.email,
        minLength: signin.passwordLength.min,
        byMail: signin.passwordLinks !== undefined,
        filled,
      }),
    });
  }

  async function submit(ctx: RequestContext): Promise<void> {
    const opened = await link.opened(ctx);
    if (opened === undefined) return showSpent(ctx);
    const { token, found } = opened;
    if (!forms.hasReturned(ctx, subjectOf(token))) return showNoCookie(ctx, rootUrl);
    const { name, password, refusal } = personIn(await forms.read(ctx, subjectOf(token)));
    const again = (wrong: ApiError) => show(ctx, found, token, { email: found.email, name, refusal: wrong });
    if (refusal) return again(refusal);
    const session = await orRefusalLater(() => signin.join(token, { name, password, agent: ctx.get('User-Agent') }));
    if (session instanceof ApiError) {
      // The same form may have been sent twice at once.
      return (await link.opened(ctx)) === undefined ? showSpent(ctx) : again(session);
    }
    await link.enter(ctx, session, found.email, { tool: 'join' });
  }

  return Object.freeze([{ path: link.path, GET: link.open({ show, showSpent }), POST: submit }]);
}

type JoinView = Readonly<{
  title: string;
  invitation: Invitation;
  field: Html;
  /** The address of the person who is signed in in this browser. */
  signedIn: string | undefined;
  minLength: number;
  byMail: boolean;
  filled: FilledPerson | undefined;
}>;

function drawJoin({ title, invitation, field, signedIn, minLength, byMail, filled }: JoinView): Html {
  const { email, role, invitedBy } = invitation;
  const words = wordsOf(role);
  const wrong = wrongFieldOf(filled);
  return html`<h1>${title}</h1>
    ${drawRefusal(filled && inFormWords(filled.refusal).message)}
    ${
      wrong === 'email' &&
      html`<p>
        If it is yours, <a href="/sign-in">sign in</a> with it. Otherwise ask <bdi>${invitedBy}</bdi> to invite another
        address.
      </p>`
    }
    <p><bdi>${invitedBy}</bdi> invites you to work on the social accounts of this workspace.</p>
    <dl>
      <dt>Your role</dt>
      <dd><strong>${words.title}</strong><br />${words.meaning}</dd>
    </dl>
    ${signedIn !== undefined && drawOtherSession(signedIn, 'join')}
    <form method="post" action="/join">
      ${field}
      ${drawField({
        name: 'email',
        label: 'E-mail address',
        type: 'email',
        hint: `From now on you sign in with it; ${whatIsSent(byMail)}.`,
        autocomplete: 'username',
        value: email,
        readonly: true,
        wrong: wrong === 'email',
      })}
      ${drawPersonFields({ filled, nameHint: 'The others in the workspace see it.', minLength }, wrong === undefined)}
      <div class="actions"><button class="primary">Join</button></div>
    </form>`;
}

function showSpent(ctx: RequestContext): void {
  sendPage(ctx, {
    status: 403,
    title: 'No invitation',
    body: html`<h1>This invitation is not valid</h1>
      <p>
        The link of an invitation works once, within 7 days, and until it is revoked. Open it exactly as it was sent to
        you, or ask whoever sent it for a new one.
      </p>
      <p>Have you joined already? Then <a href="/sign-in">sign in</a>.</p>`,
  });
}
