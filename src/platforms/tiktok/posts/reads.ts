import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { count, dimension, LongId, readable, text, UnixTime, word } from '../../shared/fields.ts';
import { metricsOf } from '../../shared/metrics.ts';
import { asCreator, listIn, permalinkOf, readBusiness } from '../api.ts';
import { assertLists } from '../scopes.ts';

/** The most posts that TikTok returns in one response. */
const MOST = 20;

type Page = Readonly<{ limit: number; cursor?: string | undefined }>;

type PostView = Readonly<{
  id: string;
  at: number;
  title?: string;
  text: string;
  cover: string | undefined;
  link: string | undefined;
  video: NonNullable<ListedPost['video']>;
  metrics: PostMetrics;
}>;

/** Durations are in seconds; photos have 0. */
const millisecondsOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

const developer = {
  id: LongId,
  create_time: UnixTime,
  cover_image_url: text,
  share_url: text,
  title: word,
  video_description: word,
  duration: dimension,
  width: dimension,
  height: dimension,
  like_count: count,
  comment_count: count,
  share_count: count,
  view_count: count,
};
const Video = z.object(developer).transform((video): PostView => {
  const { id, create_time: at, video_description, title, cover_image_url: cover, share_url: link } = video;
  const { duration, width, height } = video;
  const counts = { likes: video.like_count, comments: video.comment_count, shares: video.share_count };
  const metrics = { ...counts, saves: 0, extra: { views: video.view_count } };
  const words = { title, text: video_description || title };
  return { id, at, ...words, cover, link, video: { duration_ms: millisecondsOf(duration), width, height }, metrics };
});

/** Additional metrics of the API for Business. */
const MORE = ['reach', 'total_time_watched', 'average_time_watched', 'full_video_watched_rate'] as const;
const amounts = Object.fromEntries(MORE.map((name) => [name, z.number().nonnegative().optional().catch(undefined)]));
const business = {
  item_id: LongId,
  create_time: UnixTime,
  thumbnail_url: text,
  share_url: text,
  caption: word,
  video_duration: dimension,
  likes: count,
  comments: count,
  shares: count,
  favorites: count,
  video_views: count,
  ...amounts,
};
const BusinessVideo = z.object(business).transform((video): PostView => {
  const { item_id: id, create_time: at, caption, thumbnail_url: cover, share_url: link } = video;
  const { likes, comments, shares, favorites: saves, video_views: views } = video;
  const known = Object.entries(video).filter(([name, amount]) => name in amounts && amount !== undefined);
  const metrics = { likes, comments, shares, saves, extra: { views, ...(Object.fromEntries(known) as object) } };
  const length = { duration_ms: millisecondsOf(video.video_duration) };
  return { id, at, text: caption, cover, link, video: length, metrics };
});

const Listed = listIn('videos');
const FIELDS = { query: { fields: Object.keys(developer).join(',') } };
const BUSINESS_FIELDS = { fields: JSON.stringify(Object.keys(business)) };

const postOf = ({ hosts }: AccountCall, { id, at, cover, link, ...rest }: PostView): ListedPost => ({
  ...rest,
  platform_post_id: id,
  permalink: link?.replace(/\?.*$/, '') ?? permalinkOf(hosts, '', id),
  created_at: at,
  media: cover === undefined ? [] : [{ type: 'image', url: cover }],
});

/** Makes a list of posts, the newest first. */
const listing = (
  Item: z.ZodType<PostView>,
  read: (call: AccountCall, page: Page) => Promise<z.output<typeof Listed>>,
) =>
  async function list(call: AccountCall, { limit, cursor: from }: Page) {
    const { items, cursor } = await read(call, { limit: Math.min(limit, MOST), cursor: from });
    return { posts: readable(Item, items).map((video) => postOf(call, video)), cursor };
  };

export const list = listing(Video, async (call, { limit: max_count, cursor }) => {
  assertLists(call);
  const json = { max_count, ...(cursor !== undefined && { cursor: Number(cursor) }) };
  return asCreator(call, '/v2/video/list/', Listed, { ...FIELDS, json });
});

export const listBusiness = listing(BusinessVideo, (call, { limit: max_count, cursor }) =>
  readBusiness(call, '/business/video/list/', Listed, { ...BUSINESS_FIELDS, max_count, cursor }),
);

type Find = (call: AccountCall, filters: object) => Promise<z.output<typeof Listed>>;

/** Makes a reader of metrics; posts without their final id are skipped, as TikTok cannot count them yet. */
const counting = (Item: z.ZodType<PostView>, find: Find) => (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOf(
    posts.filter(({ id }) => /^\d+$/.test(id)),
    MOST,
    async (video_ids) =>
      readable(Item, (await find(call, { video_ids })).items).map(({ id, metrics: counts }) => [id, counts]),
  );

export const metrics = counting(Video, async (call, filters) => {
  assertLists(call);
  return asCreator(call, '/v2/video/query/', Listed, { ...FIELDS, json: { filters } });
});

export const businessMetrics = counting(BusinessVideo, (call, filters) => {
  const query = { ...BUSINESS_FIELDS, filters: JSON.stringify(filters), max_count: MOST };
  return readBusiness(call, '/business/video/list/', Listed, query);
});
