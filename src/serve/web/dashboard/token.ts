import type { OAuth } from '#oauth/index.ts';
import { fail } from '#kernel/errors.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { wordsOf } from '#kernel/people/roles.ts';
import type { Frame } from './frame.ts';
import { html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../sign-in/visitors.ts';

export type DashboardTokenDeps = Readonly<{
  frame: Pick<Frame, 'visitors' | 'send'>;
  clock: Clock;
  signDashboardToken: OAuth['signDashboardToken'];
}>;

const PATH = '/dashboard/token';

/** The page that exchanges a session for a token for the dashboard's operations. */
export function makeDashboardTokenRoutes({
  frame: { visitors, send },
  clock,
  signDashboardToken,
}: DashboardTokenDeps): readonly Route[] {
  async function showToken(ctx: RequestContext, visitor: Visitor, token: string): Promise<void> {
    const body = html`<p>
        Send it as <code>Authorization: Bearer …</code> within 15 minutes. It is not shown again, and you can always
        make another.
      </p>
      <p class="secret"><code>${token}</code></p>`;
    await send(ctx, visitor, { path: PATH, title: 'Your dashboard token', body });
  }

  async function showForm(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const body = html`<p>
        Some operations, such as those on redirect addresses, take neither an API key nor an app's token. This makes a
        token for them that is good for 15 minutes. Programs that have it may do what you may do:
      </p>
      <p><strong>${wordsOf(visitor.role).title}.</strong> ${wordsOf(visitor.role).meaning}</p>
      <form method="post" action="${PATH}" class="actions">
        ${visitors.field(visitor)}
        <button class="primary">Create token</button>
      </form>`;
    await send(ctx, visitor, { path: PATH, title: 'Dashboard token', body });
  }

  return Object.freeze([
    {
      path: PATH,
      GET: visitors.signedIn(showForm),
      async POST(ctx) {
        const visitor = (await visitors.visitorOf(ctx)) ?? fail('auth.not_authenticated');
        await visitors.read(ctx, visitor);
        const { token, expiresAt } = await signDashboardToken(visitor.caller.userId);
        // A client that accepts anything gets JSON.
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
