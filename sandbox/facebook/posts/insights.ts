import type { Post, Video } from '../docs.ts';
import {
  INSIGHT_PARAMS,
  lessThan,
  lifetime,
  metricOf,
  overTime,
  tally,
  type Metrics,
  type SpanMetrics,
} from '../../graph/insights.ts';
import type { PostParts } from './post-node.ts';
import type { Methods } from '../../graph/world.ts';
import { methodsOf, type World } from '../world.ts';

function postMetrics(world: World, reactions: PostParts['reactions']) {
  const { nodes, people } = world;

  const byType = (id: string) => tally(reactions(id), ({ type }) => type.toLowerCase());

  const commentsOf = (post: Post) =>
    nodes
      .list('comment', { page: post.page_id })
      .filter(({ post_id, deleted_at }) => post_id === post.id && deleted_at === undefined);

  const POST: Metrics<Post> = {
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

  const VIDEO: Metrics<Video> = {
    total_video_views: ({ views }) => views,
    total_video_views_unique: ({ views }) => Math.min(views, people.followers().length),
    blue_reels_play_count: ({ views }) => views,
    fb_reels_total_plays: ({ views }) => views,
    post_video_avg_time_watched: ({ views }) => (views === 0 ? 0 : 1000),
    post_video_view_time: ({ views }) => views * 1000,
    post_video_likes_by_reaction_type: ({ post_id }) => byType(post_id),
  };

  return Object.freeze({ POST, VIDEO });
}

const happened = <T extends { at: number }>(rows: readonly T[], from: number, to: number) =>
  rows.filter(({ at }) => at >= from && at < to).length;

function pageMetrics(world: World): SpanMetrics {
  const { nodes, people } = world;

  return {
    page_media_view: (page, from, to) =>
      nodes
        .list('post', { page })
        .filter(({ at }) => at >= from && at < to)
        .reduce((sum, { views }) => sum + views, 0),
    page_total_media_view_unique: (page, from, to) =>
      Math.min(people.followers().length, happened(nodes.list('post', { page }), from, to)),
    page_post_engagements: (page, from, to) =>
      happened(nodes.list('comment', { page }), from, to) + happened(nodes.list('reaction', { page }), from, to),
    page_daily_follows: () => 0,
    page_daily_follows_unique: () => 0,
    page_daily_unfollows_unique: () => 0,
    page_follows: () => people.followers().length,
    page_views_total: () => 0,
    page_actions_post_reactions_total: (page, from, to) =>
      tally(
        nodes.list('reaction', { page }).filter(({ at }) => at >= from && at < to),
        ({ type }) => type.toLowerCase(),
      ),
  };
}

/** Metrics of Pages, posts and videos, derived from what happened on the simulator. */
export function makeInsights(
  world: World,
  reactions: PostParts['reactions'],
): Readonly<{ methods: Methods; ofPost: PostParts['insights'] }> {
  const { POST, VIDEO } = postMetrics(world, reactions);
  const PAGE = pageMetrics(world);
  const { reads, readsOf } = methodsOf(world);
  const RIGHT = 'read_insights';
  const methods: Methods = Object.freeze({
    'GET page/insights': readsOf(RIGHT, INSIGHT_PARAMS, (call, id) => overTime(PAGE, id, call, world.clock.now())),
    'GET post/insights': reads('post', RIGHT, INSIGHT_PARAMS, (call, post) =>
      lifetime(lessThan(POST, world.settings.get('metrics_lacking')), post, metricOf(call), 'insights'),
    ),
    'GET video/video_insights': reads('video', RIGHT, INSIGHT_PARAMS, (call, video) =>
      lifetime(VIDEO, video, metricOf(call) ?? Object.keys(VIDEO).join(','), 'video_insights'),
    ),
  });
  return Object.freeze({
    methods,
    ofPost: (post: Post, metric: string | undefined) => lifetime(POST, post, metric, 'insights'),
  });
}
