import { ABILITIES } from '#kernel/people/abilities.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { NAMED, slim, slimBrands, type BrandChoice, type ListedAccount } from './account-fields.ts';

const PATH = '/dashboard/inbox';
const PAGE_SIZE = 50;
const MOST_ASKED = 200;

type Listed = Readonly<{ operation: string; more?: Readonly<Record<string, unknown>> }>;

/** The list that comes with the page. Lists that need requests to platforms are read afterwards. */
function listOf(query: URLSearchParams): Listed | undefined {
  const q = query.get('q')?.slice(0, MOST_ASKED) ?? '';
  if (q.trim() !== '') return { operation: 'search_inbox', more: { q, kind: query.get('kind') || undefined } };
  const view = query.get('view');
  if (view === 'messages')
    return { operation: 'list_conversations', more: { status: query.has('archived') ? 'archived' : 'active' } };
  if (view === 'comments') return { operation: 'list_inbox_posts', more: { min_comments: 1 } };
  return view === 'mentions' || view === 'reviews' ? undefined : { operation: 'list_unanswered' };
}

/** The inbox, in views by kind. Without a view, it shows what nobody has replied to yet. */
export function makeInboxRoutes({ visitors, operate, sendLive, list }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const named = (name: string) => query.get(name) || undefined;
    const filters = { account_id: named('account'), brand_id: named('brand'), platform: named('platform') };
    const listed = listOf(query);
    const [accounts, brands, items] = await Promise.all([
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
      list<BrandChoice>(ctx, visitor, 'list_brands'),
      listed && operate(ctx, visitor, listed.operation, { ...filters, ...listed.more, limit: PAGE_SIZE }),
    ]);
    const account = accounts.find(({ id }) => id === filters.account_id);
    const { brand_id = account?.brand_id, platform = account?.platform } = filters;
    if (account !== undefined && (brand_id !== account.brand_id || platform !== account.platform)) {
      // A brand or a platform was chosen that the account is not of.
      query.delete('account');
      return sendOn(ctx, `${PATH}?${query.toString()}`);
    }
    const first = {
      person: visitor.caller.userId,
      list_accounts: { data: slim(accounts, [...NAMED, 'capabilities'], ABILITIES.inbox) },
      list_brands: { data: slimBrands(brands) },
      ...(items !== undefined && { items: bodyOf(items) }),
    };
    await sendLive(ctx, visitor, { name: 'inbox', path: PATH, title: 'Inbox', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
