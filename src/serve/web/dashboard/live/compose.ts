import type { Frame } from '../frame.ts';
import { NAMED, slim, slimBrands, type BrandChoice, type ListedAccount } from './account-fields.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/compose';

type Post = Readonly<{ targets: readonly Readonly<{ platform: string }>[] }>;
type Constraints = Readonly<{
  data: Readonly<Record<string, Readonly<{ kinds?: object }>>>;
  accounts?: Readonly<Record<string, unknown>>;
}>;

/** The page for writing a new post, an existing one (`post`), or a copy (`copy`). */
export function makeComposeRoutes({ forThose, operate, sendLive, list }: Frame): readonly Route[] {
  /** The pages on which an account can post; none if they cannot be read. */
  async function pagesOf(ctx: RequestContext, visitor: Visitor, { id }: ListedAccount) {
    const operated = await operate(ctx, visitor, 'list_account_pages', { account_id: id });
    return [id, operated.refusal ? [] : bodyOf<{ data: unknown }>(operated).data] as const;
  }

  /** The kind of each account, for platforms whose rules differ by kind. */
  async function kindsOf(ctx: RequestContext, visitor: Visitor, accounts: readonly ListedAccount[]) {
    const account_ids = accounts.map(({ id }) => id);
    if (account_ids.length === 0) return {};
    const operated = await operate(ctx, visitor, 'get_constraints', { account_ids });
    return operated.refusal ? {} : bodyOf<Constraints>(operated).accounts;
  }

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const copied = query.get('copy');
    const post_id = query.get('post') ?? copied;
    const [accounts, brands, constraints, post] = await Promise.all([
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
      list<BrandChoice>(ctx, visitor, 'list_brands'),
      operate(ctx, visitor, 'get_constraints'),
      post_id === null ? undefined : operate(ctx, visitor, 'get_post', { post_id }),
    ]);
    const { data } = bodyOf<Constraints>(constraints);
    const written = post && bodyOf<Post>(post);
    const used = new Set([...accounts, ...(written?.targets ?? [])].map(({ platform }) => platform));
    const active = accounts.filter(({ status }) => status === 'active');
    const [pages, kinds] = await Promise.all([
      Promise.all(
        active
          .filter(({ capabilities }) => capabilities.includes('pages'))
          .map((account) => pagesOf(ctx, visitor, account)),
      ),
      kindsOf(
        ctx,
        visitor,
        active.filter(({ platform }) => data[platform]?.kinds !== undefined),
      ),
    ]);
    const first = {
      person: visitor.caller.userId,
      list_accounts: {
        data: slim(
          accounts.filter(({ platform }) => data[platform] !== undefined),
          [...NAMED, 'username', 'status'],
        ),
      },
      list_brands: { data: slimBrands(brands) },
      // Only the rules that are used: those of all platforms would make up most of the page.
      get_constraints: { data: Object.fromEntries(Object.entries(data).filter(([platform]) => used.has(platform))) },
      pages: Object.fromEntries(pages),
      kinds,
      ...(written !== undefined && { get_post: written, copied: copied !== null }),
    };
    await sendLive(ctx, visitor, { name: 'compose', path: PATH, title: 'New post', first });
  }

  return Object.freeze([{ path: PATH, GET: forThose('create_post', show) }]);
}
