import { html } from '#kernel/text/html.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { TitleOf } from '../../kit/titles.ts';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { drawConnected, drawConnectForms, drawDisconnect, drawPager, type AccountView } from './accounts-view.ts';

const PATH = '/dashboard/accounts';
type BrandView = Readonly<{ id: string; name: string; accounts_count: number }>;
/** How many accounts come with the page. Its scripts read the others when somebody looks for them. */
const PAGE_SIZE = 24;

/** The accounts of a page: first the one just connected, then those that have to be connected again. */
function accountPage(accounts: readonly AccountView[], query: URLSearchParams) {
  const connected = query.get('connected');
  const urgency = ({ id, status }: AccountView) => Number(id === connected) * 2 + Number(status !== 'active');
  const last = Math.max(1, Math.ceil(accounts.length / PAGE_SIZE));
  const page = Math.min(last, Math.max(1, Math.trunc(Number(query.get('page'))) || 1));
  const sorted = accounts.toSorted((one, other) => urgency(other) - urgency(one));
  const shown = sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { shown, page, last };
}

/** What the page says of all accounts, also of those that do not come with it. */
const totalsOf = (accounts: readonly AccountView[]) => ({
  count: accounts.length,
  waiting: accounts.filter(({ status }) => status !== 'active').length,
  platforms: [...Map.groupBy(accounts, ({ platform }) => platform)].map(([slug, { length }]) => [slug, length]),
});

/** Finds the page of a connected account, if the signed-in person has that account. */
export function makeReturn({ visitors, list }: Pick<Frame, 'visitors' | 'list'>) {
  return async function dashboardPage(ctx: RequestContext, accountId: string): Promise<string | undefined> {
    const visitor = await visitors.visitorOf(ctx);
    if (visitor === undefined) return undefined;
    const accounts = await list<AccountView>(ctx, visitor, 'list_accounts');
    return accounts.some(({ id }) => id === accountId) ? `${PATH}?connected=${accountId}` : undefined;
  };
}

/** The accounts page. Connecting and disconnecting work without scripts too. */
export function makeAccountsRoutes(
  { visitors, may, operate, send, sendLive, list }: Frame,
  setups: readonly PlatformSetup[],
  titleOf: TitleOf,
): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, refusal?: ApiError): Promise<void> {
    const [accounts, brands] = await Promise.all([
      operate(ctx, visitor, 'list_accounts'),
      operate(ctx, visitor, 'list_brands'),
    ]);
    const { data } = bodyOf<{ data: readonly AccountView[] }>(accounts);
    const listed = bodyOf<{ data: readonly BrandView[] }>(brands).data.map(
      ({ id, name, accounts_count }): BrandView => ({ id, name, accounts_count }),
    );
    const { shown, page, last } = accountPage(data, new URLSearchParams(ctx.querystring));
    // The settings of the server's apps are for those who connect accounts.
    const mayConnect = may(visitor, 'connect_account');
    const field = mayConnect ? visitors.field(visitor) : undefined;
    const live = {
      name: 'accounts',
      path: PATH,
      title: 'Accounts',
      first: {
        setups: mayConnect ? setups : [],
        totals: totalsOf(data),
        list_accounts: { data: shown },
        list_brands: { data: listed },
      },
      scriptless: html`${drawConnected(shown, titleOf, field)} ${drawPager(PATH, page, last)}
      ${
        field === undefined
          ? html`<p class="quiet">${WHO_CONNECTS}</p>`
          : html`<h2>Connect an account</h2>
              ${drawConnectForms(setups, field)}`
      }`,
    };
    await sendLive(ctx, visitor, live, refusal);
  }

  /** Starts a connection and redirects to its first page. */
  const begin = (operation: string, fieldNames: readonly string[]) =>
    visitors.signedIn(async (ctx, visitor) => {
      const fields = await visitors.read(ctx, visitor);
      const input = Object.fromEntries(fieldNames.map((name) => [name, fields.get(name) || undefined]));
      const begun = await operate(ctx, visitor, operation, input);
      if (begun.refusal) await show(ctx, visitor, begun.refusal);
      else sendOn(ctx, bodyOf<{ auth_url: string }>(begun).auth_url);
    });

  /** Asks for confirmation on a page. With scripts, the live page asks by itself. */
  async function disconnect(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const account_id = fields.get('account_id') ?? '';
    if (!fields.has('confirmed')) {
      const accounts = await list<AccountView>(ctx, visitor, 'list_accounts');
      const account = accounts.find(({ id }) => id === account_id);
      if (account === undefined) return sendOn(ctx, PATH);
      const body = drawDisconnect(account, titleOf, visitors.field(visitor));
      return send(ctx, visitor, { path: PATH, title: 'Disconnect this account?', body });
    }
    const { refusal } = await operate(ctx, visitor, 'disconnect_account', { account_id });
    if (refusal) await show(ctx, visitor, refusal);
    else sendOn(ctx, PATH);
  }

  const back = (ctx: RequestContext) => sendOn(ctx, PATH);

  return Object.freeze([
    { path: PATH, GET: visitors.signedIn((ctx, visitor) => show(ctx, visitor)) },
    { path: `${PATH}/connect`, GET: back, POST: begin('connect_account', ['platform', 'brand_id']) },
    { path: `${PATH}/reconnect`, GET: back, POST: begin('get_oauth_url', ['account_id']) },
    { path: `${PATH}/disconnect`, GET: back, POST: visitors.signedIn(disconnect) },
  ]);
}
