import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { nextPageToken } from '../googleapis/api.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../posts.ts';
import { unlessRefused } from '../shared/errors.ts';
import { counted, instant, readable, text, word } from '../shared/fields.ts';
import { metricsOf } from '../shared/metrics.ts';
import { request, sessionOf } from './api.ts';

const MOST_PER_PAGE = 50;

const Items = z.object({ items: z.array(z.unknown()).catch([]), nextPageToken });

const Upload = z.object({
  contentDetails: z.object({ videoId: z.string().min(1), videoPublishedAt: instant.optional().catch(undefined) }),
  snippet: z.object({ title: word, publishedAt: instant }),
});

const Statistics = z.object({ viewCount: counted, likeCount: counted, commentCount: counted, favoriteCount: counted });
const Video = z.object({
  id: z.string().min(1),
  snippet: z.object({
    title: word,
    description: word,
    publishedAt: instant,
    thumbnails: z.record(z.string(), z.object({ url: z.string() })).catch({}),
  }),
  status: z.object({ uploadStatus: text }).catch({ uploadStatus: undefined }),
  contentDetails: z.object({ duration: text }).catch({ duration: undefined }),
  statistics: Statistics.optional().catch(undefined),
});
type Video = z.output<typeof Video>;

export const watchUrl = (hosts: AccountCall['hosts'], id: string): string => `${hosts['www']!}/watch?v=${id}`;

function readUploads<T extends z.ZodType>(call: AccountCall, Page: T, maxResults: number, pageToken?: string) {
  const query = { part: 'contentDetails,snippet', playlistId: sessionOf(call.session).uploads, maxResults, pageToken };
  return request(call, { method: 'GET', path: '/youtube/v3/playlistItems', query }, Page);
}

async function uploadsOf(call: AccountCall, maxResults: number, pageToken?: string) {
  const page = await readUploads(call, Items, maxResults, pageToken);
  return { uploads: readable(Upload, page.items), cursor: page.nextPageToken };
}

/** Reads the newest uploads of the channel in any state; throws if an entry cannot be read. A channel may have no list yet. */
export async function newestUploads(call: AccountCall) {
  const reading = readUploads(call, z.object({ items: z.array(Upload) }), MOST_PER_PAGE);
  const { items } = (await unlessRefused(reading, 'not_found')) ?? { items: [] };
  return items.map(({ contentDetails, snippet }) => ({
    id: contentDetails.videoId,
    title: snippet.title,
    published_at: Date.parse(snippet.publishedAt),
  }));
}

/** Reads at most 50 videos; missing videos are absent. */
async function videosOf<T extends z.ZodType>(call: AccountCall, part: string, ids: readonly string[], schema: T) {
  const query = { part, id: ids.join(','), maxResults: MOST_PER_PAGE };
  const { items } = await request(call, { method: 'GET', path: '/youtube/v3/videos', query }, Items);
  return readable(schema, items);
}

const Processing = z.object({
  status: z.object({
    uploadStatus: z.enum(['uploaded', 'processed', 'failed', 'rejected', 'deleted']),
    failureReason: text,
    rejectionReason: text,
  }),
});

/** The processing state of an upload; undefined if the video is not listed. */
export async function readProcessing(call: AccountCall, id: string) {
  const query = { part: 'status', id };
  const Videos = z.object({ items: z.array(Processing).default([]) });
  const { items } = await request(call, { method: 'GET', path: '/youtube/v3/videos', query }, Videos);
  return items[0]?.status;
}

const metricsIn = ({ viewCount, likeCount, commentCount }: z.output<typeof Statistics>): PostMetrics => ({
  likes: likeCount,
  comments: commentCount,
  shares: 0,
  saves: 0,
  extra: { views: viewCount },
});

export async function list(
  call: AccountCall,
  { limit, cursor }: Readonly<{ limit: number; cursor?: string | undefined }>,
) {
  const { uploads, cursor: next } = await uploadsOf(call, Math.min(limit, MOST_PER_PAGE), cursor);
  const ids = uploads.map(({ contentDetails }) => contentDetails.videoId);
  const videos = ids.length === 0 ? [] : await videosOf(call, 'snippet,status,contentDetails,statistics', ids, Video);
  const view = videos.filter(({ status }) => status.uploadStatus === 'processed' || status.uploadStatus === undefined);
  const inOrder = view.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return { posts: inOrder.map((video) => postOf(call, video)), cursor: next };
}

/** Parses a duration such as PT1H2M3S to milliseconds. */
function lengthIn(duration = ''): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration) ?? [];
  return (((+days * 24 + +hours) * 60 + +minutes) * 60 + +seconds) * 1000 || undefined;
}

function postOf({ hosts }: AccountCall, { id, snippet, contentDetails, statistics }: Video): ListedPost {
  const thumbnail = (snippet.thumbnails['high'] ?? snippet.thumbnails['default'])?.url;
  return {
    platform_post_id: id,
    permalink: watchUrl(hosts, id),
    title: snippet.title,
    text: snippet.description || snippet.title,
    created_at: Date.parse(snippet.publishedAt),
    media: thumbnail === undefined ? [] : [{ type: 'image', url: thumbnail }],
    video: { duration_ms: lengthIn(contentDetails.duration) },
    metrics: statistics && metricsIn(statistics),
  };
}

const Measured = z.object({ id: z.string(), statistics: Statistics });

/** Reads metrics; a count that is hidden is reported as 0. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOf(posts, MOST_PER_PAGE, async (ids) => {
    const videos = await videosOf(call, 'statistics', ids, Measured);
    return videos.map(({ id, statistics }) => [id, metricsIn(statistics)]);
  });
