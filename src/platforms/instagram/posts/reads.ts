import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf, paged } from '../../graph/api.ts';
import { Time } from '../../graph/fields.ts';
import { Files, filesOf } from '../../graph/files.ts';
import { readInsights, sameNames } from '../../graph/insights.ts';
import { metricsOfEach } from '../../shared/metrics.ts';
import { quotasLeft } from '../../graph/quotas.ts';
import type { Paging } from '../../interactions.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { count, text, word } from '../../shared/fields.ts';
import { asAccount } from '../api.ts';

const FILES = 'media_type,media_url,thumbnail_url';
const FIELDS = `id,caption,permalink,timestamp,like_count,comments_count,${FILES},children{${FILES}}`;

/** The metrics of each kind of post, with our names; Instagram refuses them for other kinds. */
const COMMON = { ...sameNames('views', 'reach', 'shares'), total_interactions: 'interactions' };
const METRICS: ReadonlyMap<string, Readonly<Record<string, string>>> = tableOf({
  FEED: { ...COMMON, saved: 'saves', ...sameNames('follows', 'profile_visits') },
  REELS: {
    ...COMMON,
    saved: 'saves',
    ig_reels_avg_watch_time: 'average_watch_time',
    ig_reels_video_view_total_time: 'total_watch_time',
  },
  STORY: { ...COMMON, ...sameNames('replies', 'navigation', 'follows', 'profile_visits') },
});

const Counts = z.object({ like_count: count, comments_count: count });
const Post = Files.extend({ ...Counts.shape, id: Id, caption: word, permalink: text, timestamp: Time });
const Counted = Counts.extend({ media_product_type: text });

/** Lists posts, newest first, with media URLs that are valid now. */
export async function list(call: AccountCall, page: Paging) {
  const query = paged(FIELDS, page);
  const found = await asAccount(call, { method: 'GET', path: '/{user}/media', query }, listOf(Post));
  const posts = found.data.map((post): ListedPost => ({
    platform_post_id: post.id,
    permalink: post.permalink,
    text: post.caption,
    created_at: post.timestamp,
    media: filesOf(post),
    metrics: { likes: post.like_count, comments: post.comments_count, shares: 0, saves: 0 },
  }));
  return { posts, cursor: cursorOf(found) };
}

/** Reads metrics of posts; posts unknown to Instagram are absent. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOfEach(posts, ({ id }) => readMetrics(call, id));

async function readMetrics(call: AccountCall, media: string): Promise<PostMetrics | undefined> {
  const query = { fields: 'like_count,comments_count,media_product_type' };
  const request = { method: 'GET', path: '/{media}', ids: { media }, query } as const;
  const counts = await unlessRefused(asAccount(call, request, Counted), 'not_found');
  if (counts === undefined) return undefined;
  const names = METRICS.get(counts.media_product_type ?? 'FEED') ?? COMMON;
  const found = await readInsights((options, schema) => asAccount(call, options, schema), media, names);
  const { shares = 0, saves = 0, ...extra } = found;
  const view = Object.keys(extra).length > 0 ? { extra } : {};
  return { likes: counts.like_count, comments: counts.comments_count, shares, saves, ...view };
}

/** How many more posts Instagram accepts within 24 hours; empty if it does not report that. */
export const limits = (call: AccountCall): Promise<Readonly<Record<string, number>>> =>
  quotasLeft((request, schema) => asAccount(call, request, schema), '/{user}/content_publishing_limit', { posts: '' });
