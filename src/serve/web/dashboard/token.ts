import type { OAuth } from '#oauth/index.ts';
import { fail } from '#kernel/errors.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { drawRail } from './rail.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendPage } from '../kit/html-page.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor, Visitors } from '../sign-in/visitors.ts';

export type DashboardTokenDeps = Readonly<{
  visitors: Visitors;
  clock: Clock;
  signDashboardToken: OAuth['signDashboardToken'];
}>;

const PATH = '/dashboard/token';

/** The page that exchanges a session for a token of dashboard operations. */
export function makeDashboardTokenRoutes({
  visitors,
  clock,
  signDashboardToken,
}: DashboardTokenDeps): readonly Route[] {
  const send = (ctx: RequestContext, visitor: Visitor, body: Html) =>
    sendPage(ctx, {
      title: 'Dashboard token',
      rail: drawRail(visitor, visitors.field(visitor), PATH),
      forms: 'own',
      body,
    });

  const showToken = (ctx: RequestContext, visitor: Visitor, token: string) =>
    send(
      ctx,
      visitor,
      html`<h1>Your dashboard token</h1>
        <p>
          Send it as <code>Authorization: Bearer …</code> within 15 minutes. It is not shown again, and you can always
          make another.
        </p>
        <p class="secret"><code>${token}</code></p>`,
    );

  return Object.freeze([
    {
      path: PATH,

      GET: visitors.signedIn((ctx, visitor) =>
        send(
          ctx,
          visitor,
          html`<h1>Dashboard token</h1>
            <p>
              Some operations, such as those on redirect addresses, take neither an API key nor an app's token. This
              makes a token for them that is good for 15 minutes.
            </p>
            <form method="post" action="${PATH}" class="actions">
              ${visitors.field(visitor)}
              <button class="primary">Create token</button>
            </form>`,
        ),
      ),

      async POST(ctx) {
        const visitor = (await visitors.visitorOf(ctx)) ?? fail('auth.not_authenticated');
        await visitors.read(ctx, visitor);
        const { token, expiresAt } = await signDashboardToken(visitor.caller.userId);
        // A client that accepts anything gets the first.
        if (ctx.accepts('json', 'html') === 'html') return showToken(ctx, visitor, token);
        ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' });
        ctx.status = 200;
        ctx.body = {
          token,
          token_type: 'Bearer',
          expires_in: Math.max(0, Math.round((expiresAt - clock.now()) / 1000)),
          expires_at: isoTime(expiresAt),
        };
      },
    },
  ]);
}
