import { DAY, type Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { Handler, RequestContext, Route } from '#kernel/route.ts';
import { MCP, SANDBOX } from '#serve/http/areas.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { slim, type ListedAccount } from './account-fields.ts';

const PATH = '/dashboard';

/** What the page shows of accounts to connect again. */
const SHOWN = ['id', 'name', 'platform', 'status', 'reconnect_reason'] as const;

type TodayDeps = Readonly<{
  frame: Frame;
  config: Pick<Config, 'rootUrl' | 'sandbox'>;
  clock: Clock;
}>;

type List = Readonly<{
  data: readonly Readonly<{ status?: string; kind?: string }>[];
  pagination: Readonly<{ has_more: boolean }>;
}>;

/** The page of what needs attention and what comes next. `/` redirects here, or shows `front` to others. */
export function makeTodayRoutes(deps: TodayDeps, front: Handler): readonly Route[] {
  const { frame, config, clock } = deps;
  const { visitors, operate, sendLive, list } = frame;

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const read = async (name: string, input = {}) => bodyOf<List>(await operate(ctx, visitor, name, input));
    const [failed, next, unanswered, accounts, connections, any] = await Promise.all([
      read('list_posts', { status: ['failed', 'partial'], sort: 'scheduled_desc' }),
      read('list_posts', {
        status: ['scheduled', 'publishing'],
        to: new Date(clock.now() + DAY).toISOString(),
        sort: 'scheduled_asc',
      }),
      read('list_unanswered'),
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
      read('list_connections'),
      read('list_posts', { limit: 1 }),
    ]);
    const today = { failed, next, unanswered, accounts: { data: slim(accounts, SHOWN) } };
    const steps = {
      hasAccount: accounts.length > 0,
      hasPost: any.data.length > 0,
      hasAssistant: connections.data.some(({ kind }) => kind === 'oauth'),
      mcp: `${config.rootUrl}${MCP}`,
    };
    const sandbox = config.sandbox ? `${config.rootUrl}${SANDBOX}` : null;
    const scriptless = drawCounts(today, steps.mcp, sandbox);
    await sendLive(ctx, visitor, {
      name: 'today',
      path: PATH,
      title: 'Today',
      first: { today, steps, sandbox },
      scriptless,
    });
  }

  return Object.freeze([
    {
      path: '/',
      trailingSlash: false,
      async GET(ctx, parts) {
        const visitor = await visitors.visitorOf(ctx);
        await (visitor === undefined ? front(ctx, parts) : sendOn(ctx, PATH));
      },
    },
    { path: PATH, GET: visitors.signedIn(show) },
  ]);
}

type Counted = Readonly<Record<'failed' | 'next' | 'unanswered', List>> &
  Readonly<{ accounts: Readonly<{ data: readonly Readonly<{ status?: string }>[] }> }>;

const countOf = ({ data, pagination: { has_more } }: List): string => `${data.length}${has_more ? ' or more' : ''}`;

/** Counts, for browsers without scripts. */
function drawCounts({ failed, next, unanswered, accounts }: Counted, mcp: string, sandbox: string | null): Html {
  const lost = accounts.data.filter(({ status }) => status !== 'active').length;
  return html`<dl>
      <dt>Posts that failed</dt>
      <dd>${countOf(failed)}</dd>
      <dt>Next 24 hours</dt>
      <dd>${countOf(next)}</dd>
      <dt>To answer</dt>
      <dd>${countOf(unanswered)}</dd>
      <dt>Accounts</dt>
      <dd><a href="/dashboard/accounts">${accounts.data.length}</a>${lost > 0 && `, to connect again: ${lost}`}</dd>
      <dt>MCP</dt>
      <dd><code>${mcp}</code></dd>
    </dl>
    ${
      sandbox !== null &&
      html`<p>
        The <a href="${sandbox}">sandbox console</a> simulates the social networks: there you act as other people.
      </p>`
    }`;
}
