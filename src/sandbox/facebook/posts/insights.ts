import { badParam } from '../../graph/errors.ts';
import type { Post, Video } from '../docs.ts';
import { graphTime } from '../../graph/ids.ts';
import type { PostParts } from './look.ts';
import { requireRead } from '../../graph/tokens.ts';
import { live, facebookPage, seen } from '../world.ts';
import type { Call, Methods, World } from '../world.ts';

const DAY = 86_400_000;
const PERIODS = Object.freeze(['day', 'week', 'days_28', 'month', 'lifetime', 'total_over_range'] as const);
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, days_28: 28, month: 28 };
/** Longer spans are refused. */
const LONGEST_SPAN = 93 * DAY;

type Value = number | Readonly<Record<string, number>>;

/** Numbers of posts and videos. */
function postMetrics(world: World, reactions: PostParts['reactions']) {
  const { nodes, people } = world;

  const byType = (id: string) =>
    Object.fromEntries(
      [...Map.groupBy(reactions(id), ({ type }) => type.toLowerCase())].map(([type, rows]) => [type, rows.length]),
    );

  const commentsOf = (post: Post) =>
    nodes
      .list('comment', { page: post.page_id })
      .filter(({ post_id, deleted_at }) => post_id === post.id && deleted_at === undefined);

  const POST: Readonly<Record<string, (post: Post) => Value>> = {
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

  const VIDEO: Readonly<Record<string, (video: Video) => Value>> = {
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

/** Numbers of a page. */
function pageMetrics(world: World) {
  const { nodes, people } = world;

  const PAGE: Readonly<Record<string, (page: string, from: number, to: number) => Value>> = {
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
      Object.fromEntries(
        [
          ...Map.groupBy(
            nodes.list('reaction', { page }).filter(({ at }) => at >= from && at < to),
            ({ type }) => type.toLowerCase(),
          ),
        ].map(([type, rows]) => [type, rows.length]),
      ),
  };

  return PAGE;
}

/** Metrics of Pages, posts and videos, made of what happened on the twin. Retired ones are unknown, as everywhere. */
export function makeInsights(
  world: World,
  reactions: PostParts['reactions'],
): Readonly<{ methods: Methods; ofPost: PostParts['insights'] }> {
  const { nodes, people, clock } = world;

  const { POST, VIDEO } = postMetrics(world, reactions);

  const PAGE = pageMetrics(world);

  function named(known: object, text: string | undefined): readonly string[] {
    const names = (text ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    if (names.length === 0) throw badParam('The parameter metric is required');
    for (const name of names)
      if (!Object.hasOwn(known, name)) throw badParam('The value must be a valid insights metric');
    return names;
  }
  const title = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
  /** Lists come as commas or as JSON. */
  const metricOf = ({ params }: Call) => {
    const text = params.text('metric');
    return text?.startsWith('[') ? params.list('metric')?.map(String).join(',') : text;
  };
  const lifetime = <T extends { id: string }>(
    known: Readonly<Record<string, (node: T) => Value>>,
    node: T,
    metric: string | undefined,
    edge: string,
  ) => ({
    data: named(known, metric).map((name) => ({
      name,
      period: 'lifetime',
      values: [{ value: known[name]?.(node) }],
      title: title(name),
      description: title(name),
      id: `${node.id}/${edge}/${name}/lifetime`,
    })),
  });

  function ofPage(call: Call, id: string): object {
    requireRead(call.actor, facebookPage(world, id).id, people, 'read_insights');
    const period = call.params.oneOf('period', PERIODS) ?? 'day';
    const names = named(PAGE, metricOf(call));
    const until = call.params.time('until') ?? clock.now();
    const since = call.params.time('since') ?? until - 2 * DAY;
    if (since > until) throw badParam('Param since must be before until');
    if (until - since > LONGEST_SPAN) throw badParam('There cannot be more than 93 days between since and until');
    const days = DAYS[period] ?? Math.max(1, Math.round((until - since) / DAY));
    const ends: number[] = [];
    for (let end = until - ((until - since) % DAY); end > since && period !== 'total_over_range'; end -= DAY)
      ends.unshift(end);
    return {
      data: names.map((name) => ({
        name,
        period,
        values: (ends.length === 0 ? [until] : ends).map((end) => ({
          value: PAGE[name]?.(id, end - days * DAY, end),
          end_time: graphTime(end),
        })),
        title: title(name),
        description: title(name),
        id: `${id}/insights/${name}/${period}`,
      })),
    };
  }

  const params = ['metric', 'period', 'date_preset', 'breakdown', 'show_description_from_api_doc'];
  const methods: Methods = Object.freeze({
    'GET page/insights': { params, run: ofPage },
    'GET post/insights': {
      params,
      run(call: Call, id: string) {
        const post = seen(world, live(nodes.get('post', id), id));
        requireRead(call.actor, post.page_id, people, 'read_insights');
        return lifetime(POST, post, metricOf(call), 'insights');
      },
    },
    'GET video/video_insights': {
      params,
      run(call: Call, id: string) {
        const video = seen(world, live(nodes.get('video', id), id));
        requireRead(call.actor, video.page_id, people, 'read_insights');
        return lifetime(VIDEO, video, metricOf(call) ?? Object.keys(VIDEO).join(','), 'video_insights');
      },
    },
  });
  return Object.freeze({
    methods,
    ofPost: (post: Post, metric: string | undefined) => lifetime(POST, post, metric, 'insights'),
  });
}
