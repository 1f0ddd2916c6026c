import * as z from 'zod';
import { chunksOf } from '#kernel/limits/chunks.ts';
import type { AccountCall } from '../../call.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { authed, pdsOf } from '../api.ts';
import { blobUrl } from '../accounts/connect.ts';
import { isWithoutAppView } from '../errors.ts';
import { POSTS } from '../records.ts';
import { permalinkOf } from './publish.ts';
import { sessionOf } from '../accounts/session.ts';
import { count, instant, readable, word } from '../../shared/fields.ts';
import { metricsOf } from '../../shared/metrics.ts';

const MOST_PER_PAGE = 100;
const MOST_PER_LOOK = 25;
/** The first letter of a cursor names its list, because the two lists have different cursors. */
const FEED = 'f';
const RECORDS = 'r';

export const Counts = z.object({
  likeCount: count,
  repostCount: count,
  replyCount: count,
  quoteCount: count,
  bookmarkCount: count,
});
const BlobLink = z.object({ ref: z.object({ $link: z.string() }) });

const View = Counts.extend({
  uri: z.string(),
  author: z.object({ did: z.string() }),
  record: z.object({ text: word, createdAt: instant.optional().catch(undefined) }),
  embed: z.unknown().optional(),
  indexedAt: instant,
});
const Entry = z.object({ post: View, reason: z.unknown().optional() });
const PostRecord = z.object({
  uri: z.string(),
  value: z.object({ text: word, createdAt: instant, reply: z.unknown().optional(), embed: z.unknown().optional() }),
});
const Feed = z.object({ feed: z.array(z.unknown()).max(MOST_PER_PAGE), cursor: z.string().max(2000).optional() });
const Records = z.object({ records: z.array(z.unknown()).max(MOST_PER_PAGE), cursor: z.string().max(2000).optional() });
const Posts = z.object({ posts: z.array(z.unknown()).max(MOST_PER_LOOK) });

const ImagesView = z.object({ images: z.array(z.object({ fullsize: z.string() })) });
const VideoView = z.object({ $type: z.literal('app.bsky.embed.video#view'), playlist: z.string() });
const ImagesRecord = z.object({ images: z.array(z.object({ image: BlobLink })) });
const VideoRecord = z.object({ video: BlobLink });

type PostPageRequest = Readonly<{ limit: number; cursor?: string | undefined }>;
type Listed = Readonly<{ posts: readonly ListedPost[]; cursor?: string | undefined }>;

/** The account's posts, newest first; with counts if the AppView responds. */
export async function list(call: AccountCall, { limit, cursor }: PostPageRequest): Promise<Listed> {
  const page = { limit: Math.min(limit, MOST_PER_PAGE), cursor: cursor?.slice(1) };
  if (cursor?.startsWith(RECORDS)) return listRecords(call, page);
  try {
    return await listFeed(call, page);
  } catch (error) {
    if (cursor !== undefined || !isWithoutAppView(error)) throw error;
    return listRecords(call, page);
  }
}

/** Metrics by post; posts unknown to the AppView are absent. */
export const metrics = (call: AccountCall, measured: readonly MeasuredPost[]) =>
  metricsOf(measured, MOST_PER_LOOK, async (ids) => {
    const found = await postsAt(call, ids, Counts.extend({ uri: z.string() }));
    return [...found].map(([uri, counts]) => [uri, countsOf(counts)]);
  });

/** Posts by URI; those that cannot be parsed or that the AppView does not show to this account are absent. */
export async function postsAt<P extends Readonly<{ uri: string }>>(
  call: AccountCall,
  ids: readonly string[],
  schema: z.ZodType<P>,
) {
  const found = new Map<string, P>();
  for (const uris of chunksOf(ids, MOST_PER_LOOK)) {
    const { posts } = await authed(call, { method: 'app.bsky.feed.getPosts', query: { uris } }, Posts);
    for (const post of readable(schema, posts)) if (uris.includes(post.uri)) found.set(post.uri, post);
  }
  return found;
}

async function listFeed(call: AccountCall, page: PostPageRequest): Promise<Listed> {
  const { did, handle } = sessionOf(call.session);
  const query = { actor: did, filter: 'posts_no_replies', ...page };
  const { feed, cursor } = await authed(call, { method: 'app.bsky.feed.getAuthorFeed', query }, Feed);
  const own = readable(Entry, feed).filter(({ post, reason }) => post.author.did === did && reason === undefined);
  return {
    posts: own.map(({ post: { uri, record, embed, indexedAt, ...post } }) => ({
      platform_post_id: uri,
      permalink: permalinkOf(call.hosts, handle, keyOf(uri)),
      text: record.text,
      created_at: Date.parse(record.createdAt ?? indexedAt),
      media: viewedMedia(embed),
      metrics: countsOf(post),
    })),
    cursor: cursor && FEED + cursor,
  };
}

async function listRecords(call: AccountCall, page: PostPageRequest): Promise<Listed> {
  const { did, handle } = sessionOf(call.session);
  const query = { repo: did, collection: POSTS, ...page };
  const { records, cursor } = await authed(call, { method: 'com.atproto.repo.listRecords', query }, Records);
  const own = readable(PostRecord, records).filter(({ value }) => value.reply === undefined);
  return {
    posts: own.map(({ uri, value }) => ({
      platform_post_id: uri,
      permalink: permalinkOf(call.hosts, handle, keyOf(uri)),
      text: value.text,
      created_at: Date.parse(value.createdAt),
      media: recordedMedia(value.embed, (cid) => blobUrl(pdsOf(call), did, cid)),
    })),
    cursor: cursor && RECORDS + cursor,
  };
}

function countsOf(counts: z.output<typeof Counts>): PostMetrics {
  const { likeCount, replyCount, repostCount, bookmarkCount, quoteCount } = counts;
  return {
    likes: likeCount,
    comments: replyCount,
    shares: repostCount,
    saves: bookmarkCount,
    extra: { quotes: quoteCount },
  };
}

/** The parts of an embed that contain media: the embed itself, or its media next to a quoted post. */
function partsOf(embed: unknown): readonly unknown[] {
  return [embed, (embed as { media?: unknown } | null | undefined)?.media];
}

export function viewedMedia(embed: unknown): ListedPost['media'] {
  return partsOf(embed).flatMap((part) => [
    ...(ImagesView.safeParse(part).data?.images ?? []).map(({ fullsize }) => ({ type: 'image', url: fullsize })),
    ...[VideoView.safeParse(part).data?.playlist ?? []].flat().map((url) => ({ type: 'video', url })),
  ]);
}

function recordedMedia(embed: unknown, urlOf: (cid: string) => string): ListedPost['media'] {
  return partsOf(embed).flatMap((part) => {
    const video = VideoRecord.safeParse(part).data?.video;
    const images = ImagesRecord.safeParse(part).data?.images ?? [];
    return [
      ...images.map(({ image }) => ({ type: 'image', url: urlOf(image.ref.$link) })),
      ...(video ? [{ type: 'video', url: urlOf(video.ref.$link) }] : []),
    ];
  });
}

function keyOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
