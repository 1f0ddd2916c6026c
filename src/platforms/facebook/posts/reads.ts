import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { ListedPost, MeasuredPost, PostMetrics } from '../../posts.ts';
import { cursorOf, Id, listOf } from '../../graph/api.ts';
import { Time } from '../../graph/fields.ts';
import { Counted } from '../inbox/feed.ts';
import { pageOwning, sessionOf } from '../accounts/session.ts';
import { asPage } from '../api.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { count, text } from '../../shared/fields.ts';
import { readInsights } from '../../graph/insights.ts';
import { metricsOfEach } from '../../shared/metrics.ts';

const MOST_PER_PAGE = 100;
/** How many pages are tried, each with a short deadline, for a video id, which does not name its page. */
const MOST_ASKED = 3;
const SEARCH_DEADLINE_MS = 5_000;

const COUNTS = 'shares,comments.limit(0).summary(true),reactions.limit(0).summary(true)';
const LISTED = `id,message,story,created_time,permalink_url,full_picture,attachments{media_type,type,url,media,subattachments},${COUNTS}`;
/** The counts that videos have; shares and reactions belong to their posts. */
const VIDEO_COUNTS = 'comments.limit(0).summary(true),likes.limit(0).summary(true)';

const Counts = z.object({
  shares: z.object({ count }).optional().catch(undefined),
  comments: Counted,
  reactions: Counted,
  likes: Counted,
});
const Media = z
  .object({
    image: z.object({ src: text }).optional().catch(undefined),
    source: text,
  })
  .optional()
  .catch(undefined);
const Attachment = z.object({ media_type: text, type: text, media: Media });
const Attachments = z
  .object({
    data: z.array(
      Attachment.extend({
        subattachments: z
          .object({ data: z.array(Attachment) })
          .optional()
          .catch(undefined),
      }),
    ),
  })
  .optional()
  .catch(undefined);
const Listed = listOf(
  Counts.extend({
    id: Id,
    message: text,
    story: text,
    created_time: Time,
    permalink_url: text,
    full_picture: text,
    attachments: Attachments,
  }),
);

/** Post metrics available since June 2026, with our names. */
const INSIGHTS: Readonly<Record<string, string>> = Object.freeze({
  post_media_view: 'views',
  post_total_media_view_unique: 'reach',
  post_clicks: 'clicks',
});

type PostPageRequest = Readonly<{ limit: number; cursor?: string | undefined; pageId?: string | undefined }>;

export async function list(call: AccountCall, { limit, cursor: after, pageId: page }: PostPageRequest) {
  const query = { fields: LISTED, limit: Math.min(limit, MOST_PER_PAGE), after };
  const request = { method: 'GET', path: '/{page}/published_posts', ids: { page: page ?? '' }, query } as const;
  const found = await asPage(call, page, request, Listed);
  const posts = found.data.map((post): ListedPost => ({
    platform_post_id: post.id,
    permalink: post.permalink_url,
    text: post.message ?? '',
    created_at: post.created_time,
    media: mediaOf(post.attachments, post.full_picture),
    metrics: metricsOf(post),
    page_id: page,
  }));
  return { posts, cursor: cursorOf(found) };
}

/** A video is published under its own id; the id or permalink of the later post contains that id. */
export function isSame(publishedId: string, { platform_post_id: post, permalink = '' }: ListedPost): boolean {
  if (publishedId.includes('_') || !post.includes('_')) return false;
  return post.endsWith(`_${publishedId}`) || permalink.split(/[/?&=#]/).includes(publishedId);
}

/** Reads metrics of posts; posts unknown to Facebook are absent. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOfEach(posts, ({ id }) => readMetrics(call, id));

/** Reads the metrics of an object; if its id does not name the page, the first pages are tried in order. */
async function readMetrics(call: AccountCall, id: string): Promise<PostMetrics | undefined> {
  const session = sessionOf(call.session);
  const only = pageOwning(session, id);
  const unknown = only === undefined ? (['not_found', 'permission_denied'] as const) : (['not_found'] as const);
  const deadline = only === undefined ? { deadlineMs: SEARCH_DEADLINE_MS } : {};
  for (const page of only === undefined ? Object.keys(session.pages).slice(0, MOST_ASKED) : [only]) {
    const query = { fields: id.includes('_') ? COUNTS : VIDEO_COUNTS };
    const request = { method: 'GET', path: '/{post}', ids: { post: id }, query, ...deadline } as const;
    const counts = await unlessRefused(asPage(call, page, request, Counts), ...unknown);
    if (counts) return metricsOf(counts, id.includes('_') ? await insightsOf(call, page, id) : {});
  }
  return undefined;
}

const insightsOf = (call: AccountCall, page: string, id: string) =>
  readInsights((request, schema) => asPage(call, page, request, schema), id, INSIGHTS);

function metricsOf(
  { shares, comments, reactions, likes }: z.output<typeof Counts>,
  extra: Readonly<Record<string, number>> = {},
): PostMetrics {
  return {
    likes: (reactions ?? likes)?.summary.total_count ?? 0,
    comments: comments?.summary.total_count ?? 0,
    shares: shares?.count ?? 0,
    saves: 0,
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function mediaOf(attachments: z.output<typeof Attachments>, picture: string | undefined): ListedPost['media'] {
  const all = (attachments?.data ?? []).flatMap((one) => one.subattachments?.data ?? [one]);
  const media = all.flatMap(({ media_type, type, media }) => {
    const video = media_type === 'video' || (type ?? '').startsWith('video');
    if (!video && media_type !== 'photo' && type !== 'photo') return [];
    const url = (video ? media?.source : undefined) ?? media?.image?.src;
    return url === undefined ? [] : [{ type: video ? 'video' : 'image', url }];
  });
  // The preview picture of a link does not count as media of the post.
  return media.length > 0 || all.length > 0 || picture === undefined ? media : [{ type: 'image', url: picture }];
}
