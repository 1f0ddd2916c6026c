import type { Interaction, Interactions } from '#oauth/index.ts';
import type { Signin } from '#engine/signin/index.ts';
import { ApiError } from '#kernel/errors.ts';
import { isFull, isWider, policyOf, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { wordsOf } from '#kernel/people/roles.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { drawRefusal, inFormWords } from '../kit/form-fields.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { drawLeashFields, drawPasswordToWiden, titleOfPreset } from '../kit/leash-fields.ts';
import { leashIn, type BrandView } from '../kit/leash-form.ts';
import { listedIn, type Operate } from '../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Trail } from '../kit/trail.ts';
import { personOf, signInPath, type Visitor, type Visitors } from '../sign-in/visitors.ts';

export type ConsentDeps = Readonly<{
  interactions: Interactions;
  visitors: Visitors;
  operate: Operate;
  signin: Pick<Signin, 'confirmPassword'>;
  trail: Trail;
  /** The limits that are selected at first. */
  preset: Preset;
}>;

/** The page on which a person decides whether a client may act for them. */
export function makeConsentRoutes(deps: ConsentDeps): readonly Route[] {
  const { interactions, visitors, operate, signin, trail, preset } = deps;

  /** The brands to choose from, the proposed limits, and what the client is already allowed. */
  async function choicesOf(ctx: RequestContext, visitor: Visitor, { client }: Interaction) {
    const [listed, before] = await Promise.all([
      operate(ctx, visitor, 'list_brands'),
      interactions.allowedBefore(client.id, visitor.caller.userId),
    ]);
    // Empty while a payment is due. An app can still be connected then, but is as restricted as the person.
    const brands = listedIn<BrandView>(listed);
    const usual = policyOf(preset);
    return { brands, before, proposed: before && isWider(usual, before) ? before : usual };
  }

  async function show(
    ctx: RequestContext,
    visitor: Visitor,
    request: Interaction,
    filled?: Readonly<{ refusal: ApiError; fields: URLSearchParams }>,
  ): Promise<void> {
    const choices = await choicesOf(ctx, visitor, request);
    const entered = filled && leashIn(filled.fields, choices.brands, choices.proposed);
    const chosen = entered === undefined || entered instanceof ApiError ? choices.proposed : entered;
    const refusal = filled?.refusal;
    if (refusal) ctx.set(waitHeader(refusal));
    const { name } = request.client;
    sendPage(ctx, {
      status: refusal?.status ?? 200,
      title: `${refusal ? 'Error: ' : ''}Allow ${name}?`,
      forms: 'client',
      body: html`<h1>Allow <bdi>${name}</bdi> to act for you?</h1>
        ${drawRefusal(refusal && inFormWords(refusal).message)} ${drawRequest(request, visitor, choices.before)}
        <form method="post" action="/oauth/consent/${request.uid}">
          ${visitors.field(visitor)} ${drawLeashFields(choices.brands, chosen)} ${drawPassword(choices.before, refusal)}
          <p class="quiet">
            It never sees your password or the tokens of the platforms. You can change this or end it at any time under
            Assistants.
          </p>
          <div class="actions">
            <button class="primary" name="decision" value="allow">Allow</button>
            <button name="decision" value="deny">Deny</button>
          </div>
        </form>
        <p class="quiet">Not you? <a href="/sign-out">Sign out</a>, then start again from the app.</p>`,
    });
  }

  async function allow(
    ctx: RequestContext,
    visitor: Visitor,
    request: Interaction,
    fields: URLSearchParams,
  ): Promise<void> {
    const { brands, before, proposed } = await choicesOf(ctx, visitor, request);
    const policy = leashIn(fields, brands, proposed);
    if (policy instanceof ApiError) return show(ctx, visitor, request, { refusal: policy, fields });
    const widens = before !== undefined && isWider(policy, before);
    const refusal = widens ? await signin.confirmPassword(visitor.caller, fields.get('password') ?? '') : undefined;
    const person = personOf(visitor);
    if (refusal) {
      await trail.note(ctx, { tool: 'confirm_password', person, isRefused: true });
      return show(ctx, visitor, request, { refusal, fields });
    }
    await trail.note(ctx, { tool: 'allow_app', person, input: inputOf(request, policy) });
    sendOn(ctx, await interactions.approve(request.uid, ctx.get('Cookie'), visitor.caller.userId, policy));
  }

  async function deny(ctx: RequestContext, visitor: Visitor, request: Interaction): Promise<void> {
    await trail.note(ctx, { tool: 'allow_app', person: personOf(visitor), input: inputOf(request), isRefused: true });
    sendOn(ctx, await interactions.deny(request.uid, ctx.get('Cookie')));
  }

  return Object.freeze([
    {
      path: '/oauth/consent/{uid}',

      async GET(ctx, parts) {
        // Checked before sign-in, so that nobody enters a password for an expired request.
        const request = await interactions.read(parts['uid']!, ctx.get('Cookie'));
        const visitor = await visitors.visitorOf(ctx);
        if (visitor === undefined) return sendOn(ctx, signInPath(`/oauth/consent/${request.uid}`));
        await show(ctx, visitor, request);
      },

      POST: visitors.signedIn(async (ctx, visitor, parts) => {
        const uid = parts['uid']!;
        const cookie = ctx.get('Cookie');
        const fields = await visitors.read(ctx, visitor);
        const decision = fields.get('decision');
        if (decision === 'allow') await allow(ctx, visitor, await interactions.read(uid, cookie), fields);
        else if (decision === 'deny') await deny(ctx, visitor, await interactions.read(uid, cookie));
        else sendOn(ctx, `/oauth/consent/${uid}`);
      }),
    },
  ]);
}

/** What an app requested, and how much of it was allowed. */
const inputOf = ({ client, redirectHost }: Interaction, policy?: Policy) => ({
  client_id: client.id,
  name: client.name,
  host: redirectHost,
  ...(policy && { preset: policy.preset, brand_ids: policy.brand_ids ?? [] }),
});

function drawRequest(
  { client, redirectUri, redirectHost }: Interaction,
  visitor: Visitor,
  before: Policy | undefined,
): Html {
  const role = wordsOf(visitor.role);
  return html`<dl>
      <dt>App</dt>
      <dd><bdi>${client.name}</bdi> <small class="quiet">(unverified name)</small></dd>
      <dt>Sends you to</dt>
      <dd><strong>${redirectHost}</strong></dd>
      <dt>Signed in as</dt>
      <dd><bdi>${visitor.email}</bdi></dd>
      ${
        visitor.role !== 'owner' &&
        html`<dt>Your role</dt>
          <dd><strong>${role.title}</strong><br />${role.meaning}</dd>`
      }
      ${
        before &&
        html`<dt>Allowed so far</dt>
          <dd>${titleOfPreset(before.preset)}${before.brand_ids !== undefined && html`, only some brands`}</dd>`
      }
    </dl>
    ${visitor.role !== 'owner' && html`<p>Whatever you choose below, the app may do at most what your role allows.</p>`}
    ${
      isThisMachine(redirectUri) &&
      html`<div class="note" role="note">
        That address is on your own machine: the app runs there. Allow it only if you have just started it yourself.
      </div>`
    }`;
}

/** The password field, shown if any choice could allow more than the client may do already. */
function drawPassword(before: Policy | undefined, refusal: ApiError | undefined): Html | undefined {
  if (before === undefined || isFull(before)) return undefined;
  return drawPasswordToWiden(refusal?.detail.meta?.['field'] === 'password');
}

function isThisMachine(uri: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/.test(new URL(uri).hostname);
}
