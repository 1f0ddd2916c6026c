import type { Frame } from '../frame.ts';
import type { Clock } from '#kernel/clock.ts';
import { firstDays } from '#kernel/people/first-days.ts';
import { localDay } from '#kernel/text/local-time.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/posts';

/** The states of each view; any other value shows all. */
const VIEWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['scheduled', ['scheduled', 'publishing']],
  ['published', ['published']],
  ['failed', ['failed', 'partial']],
  ['draft', ['draft']],
]);
const LONGEST_SEARCH = 200;
const LONGEST_ID = 128;

type PostView = Readonly<{ id: string; published_at: string | null }>;

export function makePostsRoutes({ visitors, operate, sendLive }: Frame, clock: Clock): readonly Route[] {
  async function showList(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const search = query.get('search')?.slice(0, LONGEST_SEARCH) ?? '';
    const input = {
      media_id: query.get('media')?.slice(0, LONGEST_ID) || undefined,
      status: VIEWS.get(query.get('view') ?? ''),
      search: search === '' ? undefined : search,
      sort: 'scheduled_desc',
    };
    const first = { input, list_posts: bodyOf(await operate(ctx, visitor, 'list_posts', input)) };
    await sendLive(ctx, visitor, { name: 'posts', path: PATH, title: 'Posts', first });
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, post_id: string): Promise<void> {
    const post = bodyOf<PostView>(await operate(ctx, visitor, 'get_post', { post_id }));
    const { id, published_at } = post;
    const { timezone } = visitor.caller.workspace;
    const [logs, accounts, gained] = await Promise.all([
      operate(ctx, visitor, 'list_post_logs', { post_id: id }),
      operate(ctx, visitor, 'list_accounts'),
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
      list_accounts: bodyOf(accounts),
      get_analytics: gained === false ? null : (gained.body ?? null),
    };
    await sendLive(ctx, visitor, { name: 'post', path: PATH, title: 'Post', first });
  }

  return Object.freeze([
    { path: PATH, GET: visitors.signedIn(showList) },
    { path: `${PATH}/{uid}`, GET: visitors.signedIn((ctx, visitor, { uid }) => showOne(ctx, visitor, uid!)) },
  ]);
}
