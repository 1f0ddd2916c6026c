import type { Frame } from '../frame.ts';
import { slim, type ListedAccount } from './account-fields.ts';
import type { Clock } from '#kernel/clock.ts';
import { firstDays } from '#kernel/people/first-days.ts';
import { localDay } from '#kernel/text/local-time.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/posts';
const IMPORT = `${PATH}/import`;

/** The states of each view; any other value shows all. */
const VIEWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['scheduled', ['scheduled', 'publishing']],
  ['published', ['published']],
  ['failed', ['failed', 'partial']],
  ['draft', ['draft']],
]);
const LONGEST_SEARCH = 200;
const LONGEST_ID = 128;

/** A filter by something that is not there, or no longer. */
const UNKNOWN: ReadonlySet<string> = new Set(['account.not_found', 'brand.not_found']);
const NOTHING = { data: [], pagination: { has_more: false, next_cursor: '' } };

type PostView = Readonly<{
  id: string;
  published_at: string | null;
  targets: readonly Readonly<{ account_id: string }>[];
}>;

export function makePostsRoutes(frame: Frame, clock: Clock): readonly Route[] {
  const { visitors, forThose, operate, sendLive, list, choices } = frame;

  async function showList(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const named = (name: string, longest = LONGEST_ID) => query.get(name)?.slice(0, longest) || undefined;
    const input = {
      media_id: named('media'),
      brand_id: named('brand'),
      account_id: named('account'),
      status: VIEWS.get(query.get('view') ?? ''),
      search: named('search', LONGEST_SEARCH),
      sort: 'scheduled_desc',
    };
    const [listed, filters] = await Promise.all([operate(ctx, visitor, 'list_posts', input), choices(ctx, visitor)]);
    const refusal = UNKNOWN.has(listed.refusal?.code ?? '') ? listed.refusal : undefined;
    const first = { input, list_posts: refusal === undefined ? bodyOf(listed) : NOTHING, ...filters };
    await sendLive(ctx, visitor, { name: 'posts', path: PATH, title: 'Posts', first }, refusal);
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, post_id: string): Promise<void> {
    const post = bodyOf<PostView>(await operate(ctx, visitor, 'get_post', { post_id }));
    const { id, published_at, targets } = post;
    const used = new Set(targets.map(({ account_id }) => account_id));
    const { timezone } = visitor.caller.workspace;
    const [logs, accounts, gained] = await Promise.all([
      operate(ctx, visitor, 'list_post_logs', { post_id: id }),
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
      published_at !== null &&
        operate(ctx, visitor, 'get_analytics', {
          post_id: id,
          group_by: 'day',
          ...firstDays(localDay(timezone, Date.parse(published_at)), localDay(timezone, clock.now())),
        }),
    ]);
    const first = {
      get_post: post,
      list_post_logs: bodyOf(logs),
      list_accounts: {
        data: slim(
          accounts.filter((account) => used.has(account.id)),
          ['id', 'name'],
        ),
      },
      get_analytics: gained === false ? null : (gained.body ?? null),
    };
    await sendLive(ctx, visitor, { name: 'post', path: PATH, title: 'Post', first });
  }

  async function sendTemplate(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const { text } = bodyOf<{ text: string }>(await operate(ctx, visitor, 'get_import_template'));
    ctx.attachment('posts.csv');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = text;
  }

  return Object.freeze([
    {
      path: IMPORT,
      GET: forThose('import_posts', (ctx, visitor) =>
        sendLive(ctx, visitor, { name: 'import', path: PATH, title: 'Import posts', first: {} }),
      ),
    },
    { path: `${IMPORT}/template`, GET: forThose('get_import_template', sendTemplate) },
    { path: PATH, GET: visitors.signedIn(showList) },
    { path: `${PATH}/{uid}`, GET: visitors.signedIn((ctx, visitor, { uid }) => showOne(ctx, visitor, uid!)) },
  ]);
}
