import { html } from '#kernel/text/html.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { TitleOf } from '../../kit/titles.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { drawConnected, drawConnectForms, drawDisconnect, type AccountView } from './accounts-view.ts';

const PATH = '/dashboard/accounts';

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
  { visitors, operate, send, sendLive, list }: Frame,
  setups: readonly PlatformSetup[],
  titleOf: TitleOf,
): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, refusal?: ApiError): Promise<void> {
    const [accounts, brands] = await Promise.all([
      operate(ctx, visitor, 'list_accounts'),
      operate(ctx, visitor, 'list_brands'),
    ]);
    const { data } = bodyOf<{ data: readonly AccountView[] }>(accounts);
    const field = visitors.field(visitor);
    const page = {
      name: 'accounts',
      path: PATH,
      title: 'Accounts',
      first: { setups, list_accounts: bodyOf(accounts), list_brands: bodyOf(brands) },
      scriptless: html`${drawConnected(data, titleOf, field)}
        <h2>Connect an account</h2>
        ${drawConnectForms(setups, field)}`,
    };
    await sendLive(ctx, visitor, page, refusal);
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
