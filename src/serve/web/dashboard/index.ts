import type { Config } from '#kernel/config/config.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { makeAccountsRoutes } from './accounts.ts';
import { makeConnectionsRoutes, type ConnectionsDeps } from './connections.ts';
import type { Frame } from './frame.ts';
import { makeKeysRoutes } from './keys.ts';
import { makePasswordRoutes, type PasswordAccess } from './password.ts';
import { makePostsRoutes } from './posts.ts';
import { makeRedirectsRoutes } from './redirects.ts';
import { makeTimezoneRoutes } from './timezone.ts';
import { drawAccounts, type AccountView } from './view.ts';
import { MCP, REST, SANDBOX } from '../../http/areas.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn } from '../kit/html-page.ts';
import type { TitleOf } from '../kit/titles.ts';
import type { Handler, RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../sign-in/visitors.ts';

export type DashboardDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox'>;
  frame: Frame;
  signin: PasswordAccess;
  connections: ConnectionsDeps['connections'];
  titleOf: TitleOf;
  setups: readonly PlatformSetup[];
}>;

/** The pages of a person who is signed in; at `/` those who are not see what `front` draws. */
export function makeDashboardRoutes(
  { frame, config, signin, titleOf, connections, setups }: DashboardDeps,
  front: Handler,
): readonly Route[] {
  const { visitors, send, list } = frame;
  const at = (path: string) => `${config.rootUrl}${path}`;

  async function showOverview(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const accounts = await list<AccountView>(ctx, visitor, 'list_accounts');
    const body = html`<h2>Accounts</h2>
      ${drawAccounts(accounts, titleOf)}
      <h2>Addresses</h2>
      <dl>
        <dt>MCP</dt>
        <dd><code>${at(MCP)}</code></dd>
        <dt>REST</dt>
        <dd><code>${at(REST)}</code></dd>
      </dl>
      <p class="quiet">
        Add the first to your assistant as a remote MCP server: it asks for your consent here. Programs call the second
        with an <a href="/dashboard/keys">API key</a>; the few operations of the dashboard itself take a
        <a href="/dashboard/token">dashboard token</a>.
      </p>
      ${
        config.sandbox &&
        html`<p>
          The <a href="${at(SANDBOX)}">sandbox console</a> plays the social networks: people to connect, and what they
          write.
        </p>`
      }`;
    send(ctx, visitor, { path: '/', title: 'Overview', body });
  }

  return Object.freeze([
    {
      path: '/',
      trailingSlash: false,
      async GET(ctx, parts) {
        const visitor = await visitors.visitorOf(ctx);
        await (visitor === undefined ? front(ctx, parts) : showOverview(ctx, visitor));
      },
    },
    { path: '/dashboard', GET: (ctx) => sendOn(ctx, '/') },
    ...makeAccountsRoutes(frame, setups, titleOf),
    ...makePostsRoutes(frame),
    ...makeConnectionsRoutes(frame, { connections, signin }),
    ...makeKeysRoutes(frame),
    ...makeRedirectsRoutes(frame),
    ...makeTimezoneRoutes(frame),
    ...makePasswordRoutes(frame, signin),
  ]);
}
