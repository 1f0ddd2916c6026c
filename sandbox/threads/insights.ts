import { lessThan, lifetime, metricOf, type Metrics } from '../graph/insights.ts';
import type { Methods } from '../graph/world.ts';
import type { Posts } from './posts.ts';
import { methodsOf } from './reading.ts';
import type { Post, World } from './world.ts';

const RIGHTS = ['threads_manage_insights'] as const;

export function insightsMethods(world: World, posts: Posts): Methods {
  const { settings } = world;
  const { reads } = methodsOf(world);
  const count = (wanted: (post: Post) => boolean) => posts.list().filter(wanted).length;

  const ofPost = {
    views: ({ views }) => views,
    likes: ({ likes }) => likes.length,
    replies: ({ id }) => posts.answers(id).length,
    reposts: ({ id }) => count(({ reposted }) => reposted === id),
    quotes: ({ id }) => count(({ quoted }) => quoted === id),
    shares: () => 0,
  } satisfies Metrics<Post>;

  return Object.freeze({
    'GET post/insights': reads('post', RIGHTS, ['metric'], (call, post) =>
      post.reposted === undefined
        ? lifetime(lessThan(ofPost, settings.get('metrics_lacking')), post, metricOf(call))
        : { data: [] },
    ),
  });
}
