import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { AccountCall } from '../call.ts';
import { nextPageToken } from '../googleapis/api.ts';
import type { CommentAt, CommentLocation, Comments, CreatedComment, Paging, ReplyRequest } from '../interactions.ts';
import type { PlatformComment } from '../inbox-types.ts';
import { plainComment } from '../shared/comments.ts';
import { isRefused, refused, unfit, unlessRefused } from '../shared/errors.ts';
import { counted, instant, readable, text, word } from '../shared/fields.ts';
import { onlyText } from '../shared/settle.ts';
import { request, change, CHANGE_UNITS, sessionOf } from './api.ts';
import { watchUrl } from './reads.ts';
import { COMMENT } from './rules.ts';

const MOST_PER_PAGE = 100;

const Comment = z.object({
  id: z.string().min(1),
  snippet: z.object({
    authorDisplayName: word,
    authorProfileImageUrl: text,
    authorChannelUrl: text,
    authorChannelId: z.object({ value: z.string() }).optional().catch(undefined),
    textOriginal: text,
    textDisplay: word,
    imageUrl: text,
    parentId: text,
    videoId: text,
    likeCount: counted,
    publishedAt: instant,
    moderationStatus: text,
  }),
});
type Comment = z.output<typeof Comment>;

const Thread = z.object({
  id: z.string().min(1),
  snippet: z.object({
    videoId: text,
    canReply: z.boolean().catch(true),
    totalReplyCount: counted,
    topLevelComment: Comment,
  }),
  replies: z
    .object({ comments: z.array(z.unknown()) })
    .optional()
    .catch(undefined),
});
export type Thread = z.output<typeof Thread>;

const Items = z.object({ items: z.array(z.unknown()).catch([]), nextPageToken });
const Made = z.object({ id: z.string().min(1) }).transform(({ id: comment_id }) => ({ comment_id }));

/** The top-level comment of a reply; the reply's id begins with that comment's id. */
const topOf = (id: string): string => id.split('.')[0]!;

function commentOf(
  call: AccountCall,
  { id, snippet }: Comment,
  where: Readonly<{ post: string; canReply?: boolean; replies?: number }>,
): PlatformComment {
  const { post, canReply = true, replies = 0 } = where;
  const author = snippet.authorChannelId?.value ?? snippet.authorDisplayName;
  const isOwn = author === sessionOf(call.session).channel;
  const held = snippet.moderationStatus !== undefined && snippet.moderationStatus !== 'published';
  return plainComment({
    platform_id: id,
    platform_post_id: post,
    ...(id.includes('.') && { parent_id: topOf(id) }),
    author: {
      id: author,
      name: snippet.authorDisplayName,
      avatar_url: snippet.authorProfileImageUrl,
      profile_url: snippet.authorChannelUrl,
    },
    is_owner: isOwn,
    text: snippet.textOriginal ?? snippet.textDisplay,
    media: snippet.imageUrl === undefined ? [] : [{ type: 'image', url: snippet.imageUrl }],
    created_at: Date.parse(snippet.publishedAt),
    permalink: `${watchUrl(call.hosts, post)}&lc=${id}`,
    like_count: snippet.likeCount,
    reply_count: replies,
    is_hidden: held,
    capabilities: { can_reply: canReply, can_private_reply: false },
  });
}

export function commentsIn(call: AccountCall, { snippet, replies }: Thread): readonly PlatformComment[] {
  const { topLevelComment: top, videoId, canReply, totalReplyCount } = snippet;
  const post = videoId ?? top.snippet.videoId;
  // Comments on the channel itself belong to no video and are left out.
  if (post === undefined) return [];
  const answers = readable(Comment, replies?.comments ?? []).map((one) => commentOf(call, one, { post, canReply }));
  return [commentOf(call, top, { post, canReply, replies: totalReplyCount }), ...answers];
}

/** Reads threads of a video or of the whole channel, or by id. */
export async function readThreads(
  call: AccountCall,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<Readonly<{ threads: readonly Thread[]; cursor: string | undefined }>> {
  const options = { part: 'snippet,replies', textFormat: 'plainText', ...query };
  const page = await request(call, { method: 'GET', path: '/youtube/v3/commentThreads', query: options }, Items);
  return { threads: readable(Thread, page.items), cursor: page.nextPageToken };
}

/** The filter values that callers may send, with YouTube's names for them. */
const MODERATION: ReadonlyMap<string, string> = tableOf({
  published: 'published',
  held: 'heldForReview',
  heldforreview: 'heldForReview',
  spam: 'likelySpam',
  likelyspam: 'likelySpam',
});

function filtersOf({ moderation_status: status, order, q }: Readonly<Record<string, string>>) {
  const moderationStatus = status && MODERATION.get(status.toLowerCase().replaceAll('_', ''));
  if (status && moderationStatus === undefined)
    throw unfit('moderation_status must be published, held_for_review or likely_spam.');
  return {
    moderationStatus: moderationStatus || undefined,
    order: order === 'relevance' ? order : 'time',
    searchTerms: q,
  };
}

export async function insertThread(call: AccountCall, videoId: string, words: string): Promise<CreatedComment> {
  const { channel: channelId } = sessionOf(call.session);
  const snippet = { videoId, channelId, topLevelComment: { snippet: { textOriginal: words.toWellFormed() } } };
  const where = { method: 'POST', path: '/youtube/v3/commentThreads', query: { part: 'snippet' } } as const;
  return request(call, { ...where, json: { snippet }, units: CHANGE_UNITS }, Made);
}

/** Looks for the channel's comment whose response was lost. */
export async function findOwn(
  call: AccountCall,
  { post, comment, text: words }: Pick<ReplyRequest, 'post' | 'comment' | 'text'>,
  wanted: Parameters<typeof onlyText>[2],
): Promise<CreatedComment | 'unknown'> {
  const maxResults = MOST_PER_PAGE;
  const listed = comment
    ? (await readReplies(call, { post, comment }, { limit: maxResults })).items
    : (await readThreads(call, { videoId: post, order: 'time', maxResults })).threads.flatMap(
        (thread) => commentsIn(call, thread)[0] ?? [],
      );
  const found = onlyText(listed, words, wanted, ({ is_owner }) => is_owner);
  return found === 'unknown' ? found : { comment_id: found.platform_id };
}

async function readReplies(call: AccountCall, { post, comment }: CommentAt, { limit, cursor }: Paging) {
  const query = {
    part: 'snippet',
    parentId: topOf(comment),
    textFormat: 'plainText',
    maxResults: Math.min(limit, MOST_PER_PAGE),
    pageToken: cursor,
  };
  const page = await request(call, { method: 'GET', path: '/youtube/v3/comments', query }, Items);
  const items = readable(Comment, page.items).map((one) => commentOf(call, one, { post }));
  return { items, cursor: page.nextPageToken };
}

async function reply(call: AccountCall, { post, comment, text: words }: ReplyRequest): Promise<CreatedComment> {
  if (comment === undefined) return insertThread(call, post, words);
  const json = { snippet: { parentId: topOf(comment), textOriginal: words.toWellFormed() } };
  const where = { method: 'POST', path: '/youtube/v3/comments', query: { part: 'snippet' } } as const;
  return request(call, { ...where, json, units: CHANGE_UNITS }, Made);
}

const moderate = (call: AccountCall, id: string, moderationStatus: 'heldForReview' | 'published' | 'rejected') =>
  change(call, { method: 'POST', path: '/youtube/v3/comments/setModerationStatus', query: { id, moderationStatus } });

export const comments: Comments = {
  text: COMMENT,
  order: 'newest',
  async list(call, { post }: CommentLocation, { limit, cursor, filters = {} }) {
    const options = { videoId: post, maxResults: Math.min(limit, MOST_PER_PAGE), pageToken: cursor };
    const page = await readThreads(call, { ...options, ...filtersOf(filters) });
    return { items: page.threads.flatMap((one) => commentsIn(call, one)[0] ?? []), cursor: page.cursor };
  },
  replies: readReplies,
  reply: {
    send: reply,
    settle: findOwn,
  },
  async isComment(call, { post, comment }) {
    const { threads } = await readThreads(call, { id: topOf(comment) });
    const [thread] = threads;
    if (thread === undefined) throw refused('not_found');
    return thread.snippet.videoId === post;
  },
  /** Other people's comments cannot be deleted, but rejecting them is just as final. */
  async remove(call, { comment: id }) {
    const gone = change(call, { method: 'DELETE', path: '/youtube/v3/comments', query: { id } });
    try {
      await unlessRefused(gone, 'not_found');
    } catch (error) {
      if (!isRefused(error, 'permission_denied')) throw error;
      await unlessRefused(moderate(call, id, 'rejected'), 'not_found');
    }
  },
  hide: (call, { comment }, hidden) => moderate(call, comment, hidden ? 'heldForReview' : 'published'),
};
