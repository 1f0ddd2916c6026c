import type { AccountCall } from '../../call.ts';
import { cursorOf, listOf, paged } from '../../graph/api.ts';
import { filesOf } from '../../graph/files.ts';
import { insightsOf, metricsIn, sameNames } from '../../graph/insights.ts';
import { metricsOfEach } from '../../shared/metrics.ts';
import type { Paging } from '../../interactions.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { asUser, atProfile } from '../api.ts';
import { Thread } from '../media.ts';

const LISTED = 'id,media_type,media_url,permalink,username,text,timestamp,thumbnail_url,children{media_type,media_url}';

const NAMES = sameNames('views', 'likes', 'replies', 'reposts', 'quotes', 'shares');

/** Lists posts, newest first, without counts. */
export async function list(call: AccountCall, page: Paging) {
  const request = { method: 'GET', path: '/threads', query: paged(LISTED, page) } as const;
  const found = await atProfile(call, request, listOf(Thread));
  // Reposts are left out, because their content is somebody else's.
  const own = found.data.filter(({ media_type: type }) => type !== 'REPOST_FACADE');
  const posts = own.map((post): ListedPost => ({
    platform_post_id: post.id,
    permalink: post.permalink,
    text: post.text,
    created_at: post.timestamp,
    media: filesOf(post),
  }));
  return { posts, cursor: cursorOf(found) };
}

/** Reads metrics of posts; posts unknown to Threads are absent. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOfEach(posts, ({ id }) => readMetrics(call, id));

async function readMetrics(call: AccountCall, post: string): Promise<PostMetrics | undefined> {
  const read = insightsOf((request, schema) => asUser(call, request, schema), post, Object.keys(NAMES));
  const insights = await unlessRefused(read, 'not_found');
  if (insights === undefined) return undefined;
  const { likes = 0, replies = 0, reposts = 0, quotes = 0, shares = 0, views = 0 } = metricsIn(insights, NAMES);
  return { likes, comments: replies, shares: reposts + shares, saves: 0, extra: { views, reposts, quotes } };
}
