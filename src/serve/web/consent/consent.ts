import type { Interactions } from '#oauth/index.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import type { Route } from '#kernel/route.ts';
import { signInPath, type Visitors } from '../sign-in/visitors.ts';

export type ConsentDeps = Readonly<{
  interactions: Interactions;
  visitors: Visitors;
}>;

/** Where a person decides whether a client may act for them. */
export function makeConsentRoutes({ interactions, visitors }: ConsentDeps): readonly Route[] {
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
            <h2>It will be able to</h2>
            <ul>
              <li>see and connect the social accounts of your workspace, and remove them</li>
              <li>read, write, publish and delete posts and uploaded media</li>
              <li>read comments, messages and reviews, and answer them in your name</li>
              <li>change webhooks, brands and API keys, and delete your whole workspace</li>
            </ul>
            <p class="quiet">
              It never sees your password or the tokens of the platforms. You can take this back at any time under
              Connected apps.
            </p>
            <form method="post" action="/oauth/consent/${request.uid}" class="actions">
              ${visitors.field(visitor)}
              <button class="primary" name="decision" value="allow">Allow</button>
              <button name="decision" value="deny">Deny</button>
            </form>
            <p class="quiet">Not you? <a href="/sign-out">Sign out</a>, then start again from the app.</p>`,
        });
      },

      POST: visitors.signedIn(async (ctx, visitor, parts) => {
        const uid = parts['uid']!;
        const cookie = ctx.get('Cookie');
        const decision = (await visitors.read(ctx, visitor)).get('decision');
        if (decision === 'allow') sendOn(ctx, await interactions.approve(uid, cookie, visitor.caller.userId));
        else if (decision === 'deny') sendOn(ctx, await interactions.deny(uid, cookie));
        else sendOn(ctx, `/oauth/consent/${uid}`);
      }),
    },
  ]);
}

function isThisMachine(uri: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/.test(new URL(uri).hostname);
}
