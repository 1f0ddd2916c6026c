import type { Post } from '../docs.ts';
import { INSIGHT_PARAMS, lessThan, lifetime, metricOf, tally, type Metrics } from '../../graph/insights.ts';
import type { PostParts } from './post-node.ts';
import type { Methods } from '../../graph/world.ts';
import { methodsOf, type World } from '../world.ts';

function postMetrics(world: World, reactions: PostParts['reactions']): Metrics<Post> {
  const { nodes, people } = world;

  const byType = (id: string) => tally(reactions(id), ({ type }) => type.toLowerCase());

  const commentsOf = (post: Post) =>
    nodes
      .list('comment', { page: post.page_id })
      .filter(({ post_id, deleted_at }) => post_id === post.id && deleted_at === undefined);

  return {
    post_media_view: ({ views }) => views,
    post_total_media_view_unique: ({ views }) => Math.min(views, people.followers().length),
    post_clicks: ({ views }) => views,
    post_clicks_by_type: ({ views }): Readonly<Record<string, number>> =>
      views === 0 ? {} : { 'other clicks': views },
    post_reactions_by_type_total: ({ id }) => byType(id),
    post_reactions_like_total: ({ id }) => byType(id)['like'] ?? 0,
    post_activity: (post) => commentsOf(post).length + reactions(post.id).length,
    post_activity_by_action_type: (post) => ({ comment: commentsOf(post).length, like: reactions(post.id).length }),
  };
}

/** The metrics of posts, counted from what happened on the simulator. */
export function makeInsights(
  world: World,
  reactions: PostParts['reactions'],
): Readonly<{ methods: Methods; ofPost: PostParts['insights'] }> {
  const known = postMetrics(world, reactions);
  const { reads } = methodsOf(world);
  const methods: Methods = Object.freeze({
    'GET post/insights': reads('post', 'read_insights', INSIGHT_PARAMS, (call, post) =>
      lifetime(lessThan(known, world.settings.get('metrics_lacking')), post, metricOf(call)),
    ),
  });
  return Object.freeze({
    methods,
    ofPost: (post: Post, metric: string | undefined) => lifetime(known, post, metric),
  });
}
