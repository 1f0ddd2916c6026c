import { badParam } from '../graph/api/errors.ts';
import {
  asTotals,
  byDay,
  lessThan,
  lifetime,
  metricOf,
  spanOf,
  summed,
  totals,
  type Metrics,
} from '../graph/insights.ts';
import type { Methods } from '../graph/world.ts';
import type { Posts } from './posts.ts';
import { methodsOf } from './reading.ts';
import type { Post, World } from './world.ts';

const RIGHTS = ['threads_manage_insights'] as const;
/** Nothing was counted before. */
const FIRST_DAY = 1_712_991_600_000;

export function insightsMethods(world: World, posts: Posts): Methods {
  const { people, clock, settings } = world;
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

  const content = (page: string) => posts.list({ page });
  const views = summed(content, ofPost.views);
  /** An account's metrics: sums, and views per day. */
  const ofPerson = {
    ...asTotals({
      likes: summed(content, ofPost.likes),
      replies: summed(content, ofPost.replies),
      reposts: summed(content, ofPost.reposts),
      quotes: summed(content, ofPost.quotes),
      followers_count: () => people.followers().length,
    }),
    clicks: () => ({ link_total_values: [] }),
    views: (person: string, since: number, until: number) =>
      byDay(since, until, (from, to) => views(person, from, Math.min(to, until))),
  };

  return Object.freeze({
    'GET post/insights': reads('post', RIGHTS, ['metric'], (call, post) =>
      post.reposted === undefined
        ? lifetime(lessThan(ofPost, settings.get('metrics_lacking')), post, metricOf(call), 'insights')
        : { data: [] },
    ),
    'GET person/threads_insights': readsOf(RIGHTS, ['metric', 'breakdown'], (call, person) => {
      // What happens now counts.
      const span = spanOf(call, clock.now() + 1, 2);
      if (span.since < FIRST_DAY) throw badParam('Param since must not lie before 2024-04-13');
      return totals(ofPerson, person, call, span);
    }),
  });
}
