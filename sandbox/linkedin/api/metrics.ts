import { tableOf } from '#kernel/text/table.ts';
import type { Post } from '../docs.ts';
import { denied, illegal, notFound, notPermitted } from '../errors.ts';
import { personUrn } from '../world.ts';
import type { Call, Parts, Routes } from './calls.ts';

type Counted = `${'impression' | 'uniqueImpressions' | 'click' | 'like' | 'comment' | 'share'}Count`;
/** Metrics of members' queries; uncounted ones are zero. */
const QUERIES: ReadonlyMap<string, Counted | undefined> = tableOf({
  IMPRESSION: 'impressionCount',
  MEMBERS_REACHED: 'uniqueImpressionsCount',
  RESHARE: 'shareCount',
  REACTION: 'likeCount',
  COMMENT: 'commentCount',
  POST_SAVE: undefined,
  POST_SEND: undefined,
  LINK_CLICK: 'clickCount',
});

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
  function analytics(call: Call, posts: readonly Post[]): object {
    if (!call.caller.scopes.includes('r_member_postAnalytics')) throw notPermitted('memberCreatorPostAnalytics');
    const metricType = call.query.text('queryType');
    if (!QUERIES.has(metricType)) throw illegal('queryType is not known');
    const counted = QUERIES.get(metricType);
    if ((call.query.maybe('aggregation') ?? 'TOTAL') !== 'TOTAL') throw illegal('aggregation is not known');
    return api.list(call, [{ count: counted === undefined ? 0 : count(posts)[counted], metricType }]);
  }

  return [
    ...api.resource('/rest/organizationalEntityShareStatistics', { 'FINDER organizationalEntity': shareStatistics }),
    ...api.resource('/rest/memberCreatorPostAnalytics', {
      'FINDER entity'(call) {
        const entity = call.query.within('entity');
        const urn = entity.maybe('share') ?? entity.text('ugc');
        const post = names.post(urn);
        if (post === undefined) throw notFound(urn);
        if (post.page_id !== personUrn(call.caller.person)) throw denied('The post is somebody else’s');
        return analytics(call, [post]);
      },
      'FINDER me': (call) => analytics(call, feed.postsOf(personUrn(call.caller.person))),
    }),
  ];
}
