import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type {
  CommentAt,
  CommentLocation,
  Comments,
  CreatedComment,
  PagingSince,
  ReplyRequest,
} from '../../interactions.ts';
import type { PlatformComment } from '../../inbox-types.ts';
import type { SettleState } from '../../sending.ts';
import { plainComment } from '../../shared/comments.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { anything, count, flag, LongId, maybeId, readable, text, UnixTime, word } from '../../shared/fields.ts';
import type { Fields } from '../../shared/rest.ts';
import { onlyText } from '../../shared/settle.ts';
import { listIn, readBusiness, sendBusiness } from '../api.ts';
import { COMMENT } from '../posts/rules.ts';
import { newerOf } from '../../shared/inbox/newest.ts';

const MOST = 30;
const LIST = '/business/comment/list/';

const Listed = listIn('comments');
const Comment = z.object({
  comment_id: LongId,
  parent_comment_id: maybeId,
  unique_identifier: word,
  username: text,
  display_name: text,
  profile_image: text,
  text: word,
  create_time: UnixTime,
  likes: count,
  replies: count,
  owner: flag,
  liked: flag,
  status: word,
});

/** What the account may do with a comment; it can delete only its own comments. */
export const capabilitiesOf = (is_owner: boolean, can_reply = true) =>
  ({ can_reply, can_delete: is_owner, can_like: true, can_private_reply: false }) as const;

function commentOf(comment: z.output<typeof Comment>, post: string, above: string | undefined): PlatformComment {
  const { parent_comment_id: parent = above, username, display_name, owner: is_owner } = comment;
  const is_hidden = comment.status !== '' && comment.status !== 'PUBLIC';
  const id = comment.unique_identifier || (username ?? '');
  return plainComment({
    platform_id: comment.comment_id,
    platform_post_id: post,
    parent_id: parent === '0' ? undefined : parent,
    author: { id, name: display_name ?? username ?? '', username, avatar_url: comment.profile_image },
    is_owner,
    text: comment.text,
    created_at: comment.create_time,
    like_count: comment.likes,
    reply_count: comment.replies,
    is_hidden,
    is_liked: comment.liked,
    capabilities: capabilitiesOf(is_owner, !is_hidden),
  });
}

async function read(call: AccountCall, { post, comment }: CommentLocation & Partial<CommentAt>, query: Fields) {
  const [path, above] = comment === undefined ? [LIST, {}] : ['/business/comment/reply/list/', { comment_id: comment }];
  const { items, cursor } = await readBusiness(call, path, Listed, {
    video_id: post,
    status: 'ALL',
    ...above,
    ...query,
  });
  return { items: readable(Comment, items).map((one) => commentOf(one, post, comment)), cursor };
}

/** Lists comments, the newest first, including hidden ones. */
async function list(
  call: AccountCall,
  location: CommentLocation & Partial<CommentAt>,
  { limit, cursor, since }: PagingSince,
) {
  const newestFirst = { sort_field: 'create_time', sort_order: 'desc', max_count: Math.min(limit, MOST), cursor };
  return newerOf(await read(call, location, newestFirst), since);
}

export async function readComment(
  call: AccountCall,
  { post, comment }: CommentAt,
): Promise<PlatformComment | undefined> {
  const request = read(
    call,
    { post },
    { comment_ids: JSON.stringify([comment]), include_replies: true, max_count: MOST },
  );
  const found = await unlessRefused(request, 'not_found', 'invalid_request');
  return found?.items.find(({ platform_id }) => platform_id === comment);
}

export function writeComment(call: AccountCall, { post, comment, text: words }: ReplyRequest): Promise<CreatedComment> {
  const path = comment === undefined ? '/business/comment/create/' : '/business/comment/reply/create/';
  const above = comment === undefined ? {} : { comment_id: comment };
  return sendBusiness(call, path, z.object({ comment_id: LongId }), {
    video_id: post,
    ...above,
    text: words.toWellFormed(),
  });
}

/** Searches the newest comments for one whose response was lost. */
export async function findComment(
  call: AccountCall,
  { post, comment, text: words }: ReplyRequest,
  lookup: Pick<SettleState, 'sentAt' | 'taken'>,
): Promise<CreatedComment | 'unknown'> {
  const { items } = await list(call, comment === undefined ? { post } : { post, comment }, { limit: MOST });
  const found = onlyText(items, words, lookup, ({ is_owner }) => is_owner);
  return found === 'unknown' ? found : { comment_id: found.platform_id };
}

/** Changes a comment; a missing comment counts as success. */
async function change(call: AccountCall, how: string, given: object): Promise<void> {
  await unlessRefused(sendBusiness(call, `/business/comment/${how}/`, anything, given), 'not_found');
}

/** Comments of accounts that are connected by the API for Business. */
export const comments = Object.freeze<Comments>({
  text: COMMENT,
  order: 'newest',
  list: (call, { post }, page) => list(call, { post }, page),
  replies: list,
  reply: { send: writeComment, settle: findComment },
  isComment: async (call, location) => (await readComment(call, location)) !== undefined,
  remove: (call, { comment: comment_id }) => change(call, 'delete', { comment_id }),
  hide: (call, { post: video_id, comment: comment_id }, hidden) =>
    change(call, 'hide', { video_id, comment_id, action: hidden ? 'HIDE' : 'UNHIDE' }),
  like: (call, { comment: comment_id }, liked) =>
    change(call, 'like', { comment_id, action: liked ? 'LIKE' : 'UNLIKE' }),
});
