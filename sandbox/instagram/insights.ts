import { badParam, GraphError } from '../graph/api/errors.ts';
import { INSIGHT_PARAMS, lessThan, lifetime, metricOf, type Metrics, type RefuseMetrics } from '../graph/insights.ts';
import type { Methods } from '../graph/world.ts';
import type { Comments } from './comments.ts';
import type { Media } from './docs.ts';
import { methodsOf, type Login, type World } from './world.ts';

/** What Meta calls the number of viewers. */
const VIEWERS = 'reach';
const FEWEST_VIEWERS = 5;

/** Metrics of things that nobody does on the simulator, which are always 0. */
const none = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, () => 0]));

function postMetrics(comments: Comments): Readonly<Record<Media['product'], Metrics<Media>>> {
  const common: Metrics<Media> = {
    views: ({ views }) => views,
    [VIEWERS]: ({ views }) => views,
    total_interactions: ({ id, likes }: Media) => likes.length + comments.count(id),
    ...none('shares'),
  };
  const viewOf: Metrics<Media> = {
    ...common,
    likes: ({ likes }) => likes.length,
    comments: ({ id }) => comments.count(id),
    ...none('saved'),
  };
  return {
    FEED: { ...viewOf, ...none('follows', 'profile_visits', 'profile_activity') },
    REELS: {
      ...viewOf,
      ig_reels_avg_watch_time: ({ views }) => (views === 0 ? 0 : 3000),
      ig_reels_video_view_total_time: ({ views }) => views * 3000,
    },
    STORY: { ...common, ...none('replies', 'navigation', 'follows', 'profile_visits') },
  };
}

/** Errors name the metrics that posts of a kind lack, or list all valid ones if a name is unknown. */
function refusing(ofPost: ReturnType<typeof postMetrics>): RefuseMetrics {
  const all = [...new Set(Object.values(ofPost).flatMap(Object.keys))];
  return (lacking, request) => {
    const unknown = request.findIndex((name) => !all.includes(name));
    if (unknown >= 0) return badParam(`metric[${unknown}] must be one of the following values: ${all.join(', ')}`);
    const names = lacking.join(', ');
    return badParam(`The Media Insights API does not support the ${names} metric for this media product type.`);
  };
}

export function insightsMethods(world: World, login: Login, comments: Comments): Methods {
  const { clock, settings } = world;
  const { reads } = methodsOf(world, login);
  const ofPost = postMetrics(comments);
  const refuse = refusing(ofPost);
  return Object.freeze({
    'GET media/insights': reads('media', 'insights', INSIGHT_PARAMS, (call, media) => {
      if (media.product === 'STORY' && media.views < FEWEST_VIEWERS)
        throw new GraphError(10, '(#10) Not enough viewers for the media to show insights');
      const known = lessThan(ofPost[media.product], settings.get('metrics_lacking'));
      const found = lifetime(known, media, metricOf(call), refuse);
      return media.at + settings.get('insights_delay_ms') > clock.now() ? { data: [] } : found;
    }),
  });
}
