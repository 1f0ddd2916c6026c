/** How often posts are seen and what people did with them, by post and by account. */
import { badParam } from '../graph/api/errors.ts';
import { graphTime } from '../graph/ids.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { lifetime, metricOf } from '../graph/insights.ts';
import type { Metrics } from '../graph/insights.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Post } from './docs.ts';
import type { Posts } from './posts.ts';
import { readable } from './reading.ts';
import type { World } from './world.ts';

const DAY = 86_400_000;
const RIGHTS = ['threads_basic', 'threads_manage_insights'] as const;
/** Nothing was counted before. */
const FIRST_DAY = 1_712_991_600_000;

/** The insights of the API. */
export function insightsMethods(world: World, posts: Posts): Methods {
  const { people, clock } = world;
  const count = (wanted: (post: Post) => boolean) => posts.everything().filter(wanted).length;

  const ofPost: Metrics<Post> = {
    views: ({ views }) => views,
    likes: ({ likes }) => likes.length,
    replies: ({ id }) => posts.answers(id).length,
    reposts: ({ id }) => count(({ reposted }) => reposted === id),
    quotes: ({ id }) => count(({ quoted }) => quoted === id),
    shares: () => 0,
  };
  const SUMMED = ['likes', 'replies', 'reposts', 'quotes'] as const;

  /** A metric of an account over a time: some are a sum, views a row of days. */
  function valueOf(name: string, person: string, since: number, until: number): object {
    const own = [...posts.of(person), ...posts.of(person, true)].filter(({ at }) => at >= since && at <= until);
    const sum = (metric: (post: Post) => number, of = own) => of.reduce((total, post) => total + metric(post), 0);
    if (name === 'followers_count') return { total_value: { value: people.followers().length } };
    if (name === 'clicks') return { link_total_values: [] };
    const summed = SUMMED.find((one) => one === name);
    if (summed !== undefined) return { total_value: { value: sum((post) => Number(ofPost[summed]?.(post))) } };
    if (name !== 'views') throw badParam('The value must be a valid insights metric');
    const days = Math.max(1, Math.ceil((until - since) / DAY));
    return {
      values: Array.from({ length: days }, (_, day) => {
        const [from, to] = [since + day * DAY, since + (day + 1) * DAY];
        const ofDay = own.filter(({ at }) => at >= from && at < to);
        return { value: sum(({ views }) => views, ofDay), end_time: graphTime(to) };
      }),
    };
  }

  return Object.freeze({
    'GET post/insights': {
      params: ['metric'],
      run(call: Call, id: string) {
        const post = readable(world, callerWith(call, ...RIGHTS), id);
        return post.reposted === undefined ? lifetime(ofPost, post, metricOf(call), 'insights') : { data: [] };
      },
    },
    'GET person/threads_insights': {
      params: ['metric', 'breakdown'],
      run(call: Call, id: string) {
        const person = selfWith(call, id, ...RIGHTS);
        const until = call.params.time('until') ?? clock.now();
        const since = call.params.time('since') ?? until - 2 * DAY;
        if (since > until || since < FIRST_DAY)
          throw badParam('Param since must lie before until and not before 2024-04-13');
        const names = (metricOf(call) ?? '').split(',').filter(Boolean);
        if (names.length === 0) throw badParam('The parameter metric is required');
        return {
          data: names.map((name) => ({
            name,
            period: 'day',
            ...valueOf(name, person, since, until),
            title: name,
            description: name,
            id: `${id}/insights/${name}/day`,
          })),
        };
      },
    },
  });
}
