import type { RequestContext, Route } from '#kernel/route.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { NAMED, slim, type ListedAccount } from './account-fields.ts';

const PATH = '/dashboard/activity';
/** The categories of the log; any other value shows all. */
const TYPES: ReadonlySet<string> = new Set(['post', 'inbox', 'account', 'webhook', 'api']);

/** The events log, which updates as events happen. */
export function makeActivityRoutes({ visitors, operate, sendLive, list }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const type = query.get('type') ?? '';
    const input = {
      category: TYPES.has(type) ? [type] : undefined,
      account_id: query.get('account') || undefined,
      status: query.get('failed') === null ? undefined : 'failed',
    };
    const [events, accounts] = await Promise.all([
      operate(ctx, visitor, 'list_events', input),
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
    ]);
    const first = { input, list_events: bodyOf(events), list_accounts: { data: slim(accounts, NAMED) } };
    await sendLive(ctx, visitor, { name: 'activity', path: PATH, title: 'Activity', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
