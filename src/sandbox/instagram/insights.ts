/** How often posts were seen and what people did with them, by kind of post and by account. */
import { badParam, GraphError } from '../graph/api/errors.ts';
import { INSIGHT_PARAMS, lifetime, metricOf, overTime } from '../graph/insights.ts';
import type { Metrics, SpanMetrics } from '../graph/insights.ts';
import { live, pageAt, seen } from '../graph/world.ts';
import type { Call, Methods } from '../graph/world.ts';
import type { Comments } from './comments.ts';
import type { Media } from './docs.ts';
import type { Posts } from './posts.ts';
import { mayRead } from './world.ts';
import type { Login, World } from './world.ts';

/** What Meta calls how many people saw something. */
const VIEWERS = 'reach';
const FEWEST_VIEWERS = 5;
const FEWEST_FOLLOWERS = 100;
const DAY = 86_400_000;

/** Which numbers each kind of post has. */
function postMetrics(comments: Comments): Readonly<Record<Media['product'], Metrics<Media>>> {
  const interactions = ({ id, likes }: Media) => likes.length + comments.count(id);
  const common: Metrics<Media> = {
    views: ({ views }) => views,
    [VIEWERS]: ({ views }) => views,
    shares: () => 0,
    total_interactions: interactions,
  };
  const shown: Metrics<Media> = {
    ...common,
    likes: ({ likes }) => likes.length,
    comments: ({ id }) => comments.count(id),
    saved: () => 0,
  };
  return {
    FEED: { ...shown, follows: () => 0, profile_visits: () => 0, profile_activity: () => 0 },
    REELS: {
      ...shown,
      ig_reels_avg_watch_time: ({ views }) => (views === 0 ? 0 : 3000),
      ig_reels_video_view_total_time: ({ views }) => views * 3000,
    },
    STORY: { ...common, replies: () => 0, navigation: () => 0, follows: () => 0, profile_visits: () => 0 },
  };
}

/** Numbers of an account over a time. */
function accountMetrics(comments: Comments, posts: Posts): SpanMetrics {
  const within = (account: string, from: number, to: number) =>
    posts.own(account).filter(({ at }) => at >= from && at < to);
  const sum =
    (read: (media: Media) => number): SpanMetrics[string] =>
    (account, from, to) =>
      within(account, from, to).reduce((total, one) => total + read(one), 0);
  const views = sum((one) => one.views);
  const liked = sum(({ likes }) => likes.length);
  const commented = sum(({ id }) => comments.count(id));
  return {
    views,
    [VIEWERS]: views,
    likes: liked,
    comments: commented,
    accounts_engaged: sum(({ likes }) => likes.length),
    total_interactions: sum(({ id, likes }) => likes.length + comments.count(id)),
    shares: () => 0,
    saves: () => 0,
    replies: () => 0,
    follows_and_unfollows: () => 0,
    profile_links_taps: () => 0,
    online_followers: () => 0,
  };
}

/** The insights of the API. */
export function insightsMethods(world: World, login: Login, comments: Comments, posts: Posts): Methods {
  const { nodes, people, clock, settings } = world;
  const ofPost = postMetrics(comments);
  const ofAccount = accountMetrics(comments, posts);

  function total(call: Call, id: string): object {
    // What happens now counts.
    const until = call.params.time('until') ?? clock.now() + 1;
    const since = call.params.time('since') ?? until - DAY;
    const names = (metricOf(call) ?? '').split(',').filter(Boolean);
    if (names.length === 0) throw badParam('The parameter metric is required');
    return {
      data: names.map((name) => {
        const read = Object.hasOwn(ofAccount, name) ? ofAccount[name] : undefined;
        if (read === undefined)
          throw badParam(`metric must be one of the following values: ${Object.keys(ofAccount).join(', ')}`);
        const value = read(id, since, until);
        return {
          name,
          period: 'day',
          title: name,
          description: name,
          total_value: { value },
          id: `${id}/insights/${name}/day`,
        };
      }),
    };
  }

  return Object.freeze({
    'GET media/insights': {
      params: INSIGHT_PARAMS,
      run(call: Call, id: string) {
        const media = seen(world, live(nodes.get('media', id), id));
        mayRead(world, login, call, media.page_id, 'insights');
        if (media.product === 'STORY' && media.views < FEWEST_VIEWERS)
          throw new GraphError(10, '(#10) Not enough viewers for the media to show insights');
        const found = lifetime(ofPost[media.product], media, metricOf(call), 'insights');
        return media.at + settings.get('insights_delay_ms') > clock.now() ? { data: [] } : found;
      },
    },
    'GET page/insights': {
      params: [...INSIGHT_PARAMS, 'metric_type', 'timeframe'],
      run(call: Call, id: string) {
        mayRead(world, login, call, pageAt(world, id).id, 'insights');
        const metric = metricOf(call) ?? '';
        if (metric.includes('follower_count') && people.followers().length < FEWEST_FOLLOWERS) return { data: [] };
        if (metric.endsWith('_demographics')) return { data: [] };
        if (call.params.text('metric_type') === 'total_value') return total(call, id);
        return overTime({ [VIEWERS]: ofAccount[VIEWERS]!, online_followers: () => 0 }, id, call, clock.now());
      },
    },
  });
}
