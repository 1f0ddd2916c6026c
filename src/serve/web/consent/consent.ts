import type { Interactions } from '#oauth/index.ts';
import type { Preset } from '#kernel/limits/leash.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { drawLeashFields, leashIn, type BrandChoice } from '../kit/leash-fields.ts';
import { bodyOf, type Operate } from '../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { signInPath, type Visitor, type Visitors } from '../sign-in/visitors.ts';

export type ConsentDeps = Readonly<{
  interactions: Interactions;
  visitors: Visitors;
  operate: Operate;
  /** What is chosen while the person has chosen nothing. */
  preset: Preset;
}>;

/** Where a person decides whether a client may act for them. */
export function makeConsentRoutes({ interactions, visitors, operate, preset }: ConsentDeps): readonly Route[] {
  const brandsOf = async (ctx: RequestContext, visitor: Visitor) =>
    bodyOf<{ data: readonly BrandChoice[] }>(await operate(ctx, visitor, 'list_brands')).data;

  return Object.freeze([
    {
      path: '/oauth/consent/{uid}',

      async GET(ctx, parts) {
        // Before sign-in: nobody should enter a password for an expired request.
        const request = await interactions.read(parts['uid']!, ctx.get('Cookie'));
        const visitor = await visitors.visitorOf(ctx);
        if (visitor === undefined) return sendOn(ctx, signInPath(`/oauth/consent/${request.uid}`));
        const { client, redirectUri, redirectHost } = request;
        sendPage(ctx, {
          title: `Allow ${client.name}?`,
          forms: 'client',
          body: html`<h1>Allow <bdi>${client.name}</bdi> to act for you?</h1>
            <dl>
              <dt>App</dt>
              <dd><bdi>${client.name}</bdi> <small class="quiet">(unverified name)</small></dd>
              <dt>Sends you to</dt>
              <dd><strong>${redirectHost}</strong></dd>
              <dt>Signed in as</dt>
              <dd><bdi>${visitor.email}</bdi></dd>
            </dl>
            ${
              isThisMachine(redirectUri) &&
              html`<div class="note" role="note">
                That address is on your own machine: the app runs there. Allow it only if you have just started it
                yourself.
              </div>`
            }
            <form method="post" action="/oauth/consent/${request.uid}">
              ${visitors.field(visitor)} ${drawLeashFields(await brandsOf(ctx, visitor), { preset })}
              <p class="quiet">
                It never sees your password or the tokens of the platforms. You can change this or end it at any time
                under Connections.
              </p>
              <div class="actions">
                <button class="primary" name="decision" value="allow">Allow</button>
                <button name="decision" value="deny">Deny</button>
              </div>
            </form>
            <p class="quiet">Not you? <a href="/sign-out">Sign out</a>, then start again from the app.</p>`,
        });
      },

      POST: visitors.signedIn(async (ctx, visitor, parts) => {
        const uid = parts['uid']!;
        const cookie = ctx.get('Cookie');
        const fields = await visitors.read(ctx, visitor);
        const decision = fields.get('decision');
        const policy = decision === 'allow' ? leashIn(fields, await brandsOf(ctx, visitor)) : undefined;
        if (policy) sendOn(ctx, await interactions.approve(uid, cookie, visitor.caller.userId, policy));
        else if (decision === 'deny') sendOn(ctx, await interactions.deny(uid, cookie));
        else sendOn(ctx, `/oauth/consent/${uid}`);
      }),
    },
  ]);
}

function isThisMachine(uri: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/.test(new URL(uri).hostname);
}
