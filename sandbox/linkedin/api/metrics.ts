import type { Post } from '../docs.ts';
import { illegal } from '../errors.ts';
import type { Call, Parts, Routes } from './calls.ts';

export function metricRoutes({ world, names, feed, api }: Parts): Routes {
  const { docs } = world;

  function count(posts: readonly Post[]) {
    const views = posts.flatMap(({ id }) => docs.list('view', { parent: id }));
    const isShare = ({ body }: Post) => {
      const { parent } = (body['reshareContext'] ?? {}) as { parent?: string };
      return parent !== undefined && posts.some(({ id }) => id === names.post(parent)?.id);
    };
    const impressionCount = views.reduce((total, view) => total + view.impressions, 0);
    const clickCount = views.reduce((total, view) => total + view.clicks, 0);
    const likeCount = posts.flatMap((post) => feed.reactionsTo(post)).length;
    const commentCount = posts.flatMap((post) => feed.commentsOn(post)).length;
    const shareCount = docs.list('post').filter(isShare).length;
    const acts = { clickCount, likeCount, commentCount, shareCount, shareMentionsCount: 0, commentMentionsCount: 0 };
    const engagement = (clickCount + likeCount + commentCount + shareCount) / (impressionCount || Infinity);
    return { impressionCount, uniqueImpressionsCount: impressionCount, ...acts, engagement };
  }
  function shareStatistics(call: Call): object {
    const { query } = call;
    const page = query.text('organizationalEntity');
    api.authorize(call, page, 'report');
    const statistics = (posts: readonly Post[], named = {}) => {
      return { organizationalEntity: page, ...named, totalShareStatistics: count(posts) };
    };
    if (query.has('timeIntervals')) throw illegal('The sandbox keeps no statistics by time');
    const request = Object.entries({ shares: 'share', ugcPosts: 'ugcPost' }).flatMap(([name, kind]) =>
      query.has(name) ? query.list(name).map((urn) => [kind, urn] as const) : [],
    );
    const found = request.flatMap(([kind, urn]) => {
      if (!urn.startsWith(`urn:li:${kind}:`)) throw illegal(`${urn.slice(0, 80)} is no ${kind}`);
      const post = names.post(urn);
      return post?.page_id === page ? statistics([post], { [kind]: urn }) : [];
    });
    const elements = request.length === 0 ? [statistics(feed.postsOf(page))] : found;
    return { paging: { start: 0, count: elements.length, links: [] }, elements };
  }

  return api.resource('/rest/organizationalEntityShareStatistics', {
    'FINDER organizationalEntity': shareStatistics,
  });
}
