/** How often posts are seen and what people did with them, by post and by account. */
import { badParam } from '../graph/api/errors.ts';
import { byDay, lifetime, metricOf, spanOf, totals } from '../graph/insights.ts';
import type { Metrics } from '../graph/insights.ts';
import type { Methods } from '../graph/world.ts';
import type { Post } from './docs.ts';
import type { Posts } from './posts.ts';
import { methodsOf } from './reading.ts';
import type { World } from './world.ts';

const RIGHTS = ['threads_manage_insights'] as const;
/** Nothing was counted before. */
const FIRST_DAY = 1_712_991_600_000;

/** The insights of the API. */
export function insightsMethods(world: World, posts: Posts): Methods {
  const { people, clock } = world;
  const { reads, readsOf } = methodsOf(world);
  const count = (wanted: (post: Post) => boolean) => posts.list().filter(wanted).length;

  const ofPost = {
    views: ({ views }) => views,
    likes: ({ likes }) => likes.length,
    replies: ({ id }) => posts.answers(id).length,
    reposts: ({ id }) => count(({ reposted }) => reposted === id),
    quotes: ({ id }) => count(({ quoted }) => quoted === id),
    shares: () => 0,
  } satisfies Metrics<Post>;

  const sum = (name: keyof typeof ofPost, person: string, from: number, to: number) =>
    posts
      .list({ page: person })
      .filter(({ at }) => at >= from && at < to)
      .reduce((total, post) => total + ofPost[name](post), 0);
  // Up to and with the last moment.
  const total = (name: keyof typeof ofPost) => (person: string, since: number, until: number) => ({
    total_value: { value: sum(name, person, since, until + 1) },
  });
  /** Metrics of an account over a time: some are a sum, views a row of days. */
  const ofPerson = {
    likes: total('likes'),
    replies: total('replies'),
    reposts: total('reposts'),
    quotes: total('quotes'),
    followers_count: () => ({ total_value: { value: people.followers().length } }),
    clicks: () => ({ link_total_values: [] }),
    views: (person: string, since: number, until: number) =>
      byDay(since, until, (from, to) => sum('views', person, from, Math.min(to, until + 1))),
  };

  return Object.freeze({
    'GET post/insights': reads(
      'post',
      RIGHTS,
      (call, post) => (post.reposted === undefined ? lifetime(ofPost, post, metricOf(call), 'insights') : { data: [] }),
      ['metric'],
    ),
    'GET person/threads_insights': readsOf(
      RIGHTS,
      (call, person) => {
        const span = spanOf(call, clock.now(), 2);
        if (span.since < FIRST_DAY) throw badParam('Param since must not lie before 2024-04-13');
        return totals(ofPerson, person, call, span);
      },
      ['metric', 'breakdown'],
    ),
  });
}
