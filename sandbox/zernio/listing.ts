/** The list of posts, with its filters, orders and pages. */
import { DAY } from '#kernel/clock.ts';
import type { Call, Calls } from './calls.ts';
import { POST_STATES, type Post } from './docs.ts';
import { invalid } from './errors.ts';
import { makeShow, makeSight } from './posts.ts';
import { stateOf } from './publishing.ts';
import type { World } from './world.ts';

const USUAL = 10;
const MOST = 500;
const DATE = /^\d{4}-\d\d-\d\d(?:T.+)?$/;
const FILTERS = Object.freeze(
  [
    'page limit offset source status platform profileId createdBy fromDate toDate dateFrom dateTo includeHidden',
    'search sortBy accountId',
  ].flatMap((names) => names.split(' ')),
);

const timeOf = ({ scheduled_at, at }: Post) => scheduled_at ?? at;
const ORDERS = Object.freeze({
  'scheduled-desc': (a: Post, b: Post) => timeOf(b) - timeOf(a),
  'scheduled-asc': (a: Post, b: Post) => timeOf(a) - timeOf(b),
  'created-desc': (a: Post, b: Post) => b.at - a.at,
  'created-asc': (a: Post, b: Post) => a.at - b.at,
  status: (a: Post, b: Post) => stateOf(a).localeCompare(stateOf(b)),
  platform: (a: Post, b: Post) => (a.targets[0]?.platform ?? '').localeCompare(b.targets[0]?.platform ?? ''),
});
const ORDER_NAMES = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

/** The limit of a filter. A date without a time means its beginning or, for `isEnd`, its end. */
function dateIn({ params }: Call, names: readonly string[], isEnd = false): number | undefined {
  const given = names.map(params.text).find(Boolean);
  if (given === undefined) return undefined;
  if (!DATE.test(given) || Number.isNaN(Date.parse(given))) throw invalid('Invalid date', names[0]);
  return Date.parse(given) + (isEnd && given.length === 10 ? DAY - 1 : 0);
}

export function listingRoute(world: World, calls: Calls) {
  const { docs } = world;
  const [show, isSeen] = [makeShow(world), makeSight(world, calls)];

  /** Whether a post matches a call's filters. Filters about accounts have to match the same account. */
  function filterIn(call: Call): (post: Post) => boolean {
    const { params } = call;
    const profile = params.text('profileId') === 'all' ? undefined : calls.filterOf(call);
    const [from = 0, to = Infinity] = [
      dateIn(call, ['fromDate', 'dateFrom']),
      dateIn(call, ['toDate', 'dateTo'], true),
    ];
    const [platform, account, by] = ['platform', 'accountId', 'createdBy'].map((name) => params.text(name));
    const [status, search] = [params.oneOf('status', POST_STATES), params.text('search')?.toLowerCase()];
    const isFree = [profile, platform, account].every((one) => one === undefined);
    return (post) =>
      isSeen(call, post) &&
      (by ?? post.page_id) === post.page_id &&
      timeOf(post) >= from &&
      timeOf(post) <= to &&
      (status ?? stateOf(post)) === stateOf(post) &&
      (post.fields.content ?? '').toLowerCase().includes(search ?? '') &&
      (isFree ||
        post.targets.some(
          (one) =>
            (platform ?? one.platform) === one.platform &&
            (account ?? one.account) === one.account &&
            (profile === undefined || docs.get('account', one.account)?.parent_id === profile),
        ));
  }

  return calls.row(
    'GET',
    'posts',
    'publishing',
    (call) => {
      const { params, team } = call;
      const isExternal = params.oneOf('source', ['zernio', 'external']) === 'external';
      const limit = calls.wholeIn(call, 'limit', 1, MOST) ?? USUAL;
      const offset = params.whole('offset') ?? ((calls.wholeIn(call, 'page', 1, Infinity) ?? 1) - 1) * limit;
      const all = (isExternal ? [] : docs.list('post', { page: team }))
        .filter(filterIn(call))
        .toSorted(ORDERS[params.oneOf('sortBy', ORDER_NAMES) ?? 'scheduled-desc']);
      const [page, pages] = [Math.floor(offset / limit) + 1, Math.ceil(all.length / limit)];
      const posts = all.slice(offset, offset + limit).map(show);
      return { posts, pagination: { page, limit, total: all.length, pages } };
    },
    FILTERS,
  );
}
