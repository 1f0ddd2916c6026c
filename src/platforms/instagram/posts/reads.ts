import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf } from '../../graph/api.ts';
import { Time } from '../../graph/fields.ts';
import { Insights, metricsIn, metricsOfEach } from '../../graph/insights.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { asAccount, userOf } from '../api.ts';

const MOST_PER_READ = 100;
const FILES = 'media_type,media_url,thumbnail_url';
const FIELDS = `id,caption,permalink,timestamp,like_count,comments_count,${FILES},children{${FILES}}`;
/** What is counted for each kind of post; another kind refuses it. */
const COMMON = Object.freeze(['views', 'reach', 'shares', 'total_interactions']);
const METRICS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  FEED: [...COMMON, 'saved', 'follows', 'profile_visits'],
  REELS: [...COMMON, 'saved', 'ig_reels_avg_watch_time', 'ig_reels_video_view_total_time'],
  STORY: [...COMMON, 'replies', 'navigation', 'follows', 'profile_visits'],
});
/** Our names, where they differ. */
const NAMES: Readonly<Record<string, string>> = Object.freeze({
  total_interactions: 'interactions',
  saved: 'saves',
  ig_reels_avg_watch_time: 'average_watch_time',
  ig_reels_video_view_total_time: 'total_watch_time',
});

const amount = z.number().int().nonnegative().catch(0);
const File = z.object({ media_type: text, media_url: text, thumbnail_url: text });
const Counts = z.object({ like_count: amount, comments_count: amount });
const Listed = listOf(
  Counts.extend({
    ...File.shape,
    id: Id,
    caption: text,
    permalink: text,
    timestamp: Time,
    children: z
      .object({ data: z.array(File) })
      .optional()
      .catch(undefined),
  }),
);
const Counted = Counts.extend({ media_product_type: text });

/** The published posts of the account, newest first; addresses of media are as new as the list. */
export async function list(
  call: AccountCall,
  { limit, cursor: after }: { limit: number; cursor?: string | undefined },
) {
  const query = { fields: FIELDS, limit: Math.min(limit, MOST_PER_READ), after };
  const ask = { method: 'GET', path: '/{user}/media', ids: { user: userOf(call) }, query } as const;
  const found = await asAccount(call, ask, Listed);
  const posts = found.data.map((post): ListedPost => ({
    platform_post_id: post.id,
    permalink: post.permalink,
    text: post.caption ?? '',
    created_at: post.timestamp,
    media: (post.children?.data ?? [post]).flatMap(fileOf),
    metrics: { likes: post.like_count, comments: post.comments_count, shares: 0, saves: 0 },
  }));
  return { posts, cursor: cursorOf(found) };
}

/** What has no address, because of its music, is shown by its picture. */
function fileOf({ media_type, media_url, thumbnail_url }: z.output<typeof File>): ListedPost['media'] {
  const isVideo = media_type === 'VIDEO' && media_url !== undefined;
  const url = media_url ?? thumbnail_url;
  return url === undefined ? [] : [{ type: isVideo ? 'video' : 'image', url }];
}

/** Metrics of posts; those Instagram does not know are absent. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOfEach(posts, ({ id }) => readMetrics(call, id));

async function readMetrics(call: AccountCall, media: string): Promise<PostMetrics | undefined> {
  const ids = { media };
  const query = { fields: 'like_count,comments_count,media_product_type' };
  const ask = { method: 'GET', path: '/{media}', ids, query } as const;
  const counts = await unlessRefused(asAccount(call, ask, Counted), 'not_found', 'permission_denied');
  if (counts === undefined) return undefined;
  const counted = METRICS[counts.media_product_type ?? 'FEED'] ?? COMMON;
  const names = Object.fromEntries(counted.map((name) => [name, NAMES[name] ?? name]));
  const asked = { ...ask, path: '/{media}/insights', query: { metric: counted.join(',') } } as const;
  // Insights are optional: not every post or login has them.
  const reading = unlessRefused(asAccount(call, asked, Insights), 'not_found', 'permission_denied', 'invalid_request');
  const { shares = 0, saves = 0, ...extra } = metricsIn((await reading) ?? { data: [] }, names);
  const shown = Object.keys(extra).length > 0 ? { extra } : {};
  return { likes: counts.like_count, comments: counts.comments_count, shares, saves, ...shown };
}

const Limit = listOf(
  z.object({ quota_usage: amount, config: z.object({ quota_total: z.number() }).optional().catch(undefined) }),
);

/** How many posts Instagram still takes within 24 hours; none stated, none shown. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const query = { fields: 'config,quota_usage' };
  const path = '/{user}/content_publishing_limit';
  const { data } = await asAccount(call, { method: 'GET', path, ids: { user: userOf(call) }, query }, Limit);
  const [limit] = data;
  const total = limit?.config?.quota_total;
  return total === undefined ? {} : { posts_remaining: Math.max(0, total - limit!.quota_usage) };
}
