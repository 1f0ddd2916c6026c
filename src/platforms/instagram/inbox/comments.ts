import * as z from 'zod';
import { DAY } from '#kernel/clock.ts';
import type { AccountCall } from '../../call.ts';
import { Changed, Id } from '../../graph/api.ts';
import { graphComments } from '../../graph/comments.ts';
import { personNamed, personOf, Somebody, Time } from '../../graph/fields.ts';
import type { CommentAt, CommentLocation, Comments } from '../../interactions.ts';
import type { PlatformComment } from '../../inbox-types.ts';
import { plainComment } from '../../shared/comments.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { count, flag, text } from '../../shared/fields.ts';
import { asAccount, isLinked, sessionOf, userOf } from '../api.ts';

/** How long after a comment its author can be messaged. */
const PRIVATE_MS = 7 * DAY;

const Comment = z.object({
  id: Id,
  text: z.string().catch(''),
  timestamp: Time,
  username: text,
  from: Somebody,
  like_count: count,
  hidden: flag,
  parent_id: text,
  replies: z
    .object({ data: z.array(z.unknown()) })
    .optional()
    .catch(undefined),
});
const Media = z.object({ id: Id, media: z.object({ id: Id }) });

export const TEXT = Object.freeze({ max: 300, counting: 'chars' } as const);

const api = graphComments({
  order: 'newest',
  fields: 'id,text,timestamp,username,from{id,username},like_count,hidden,parent_id,replies{id}',
  item: Comment,
  most: 50,
  edges: { post: 'comments', comment: 'replies' },
  above: { fields: 'parent_id', item: z.object({ parent_id: text }).transform(({ parent_id }) => parent_id) },
  ownerOf: userOf,
  request: (call, _owner, request, schema) => asAccount(call, request, schema),
  commentOf,
});

export const { readComment } = api;
export const writing = api.writing();

export const comments = Object.freeze<Comments>({
  text: TEXT,
  order: 'newest',
  list: api.list,
  replies: api.replies,
  reply: writing,
  isComment,
  remove: api.remove,
  hide: (call, location, hide) => api.act(call, location, { method: 'POST', form: { hide } }),
});

/** Requests a field that only comments have, the media they belong to; otherwise Graph refuses the request. */
async function isComment(call: AccountCall, { post, comment }: CommentAt): Promise<boolean> {
  if (comment === post) return false;
  const request = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: 'id,media{id}' } } as const;
  const found = await unlessRefused(asAccount(call, request, Media), 'not_found', 'invalid_request');
  return found?.media.id === post;
}

/** Likes a comment, which needs Facebook login; tries it as the person first, then as the account. */
export async function like(call: AccountCall, { comment }: CommentAt, liked: boolean): Promise<void> {
  const given = { comment_id: comment };
  const how = liked ? ({ method: 'POST', form: given } as const) : ({ method: 'DELETE', query: given } as const);
  const request = { ...how, path: '/{user}/likes' };
  const asPerson = asAccount(call, { ...request, token: sessionOf(call.session).user_token }, Changed);
  if ((await unlessRefused(asPerson, 'not_found', 'auth', 'permission_denied')) !== undefined) return;
  await unlessRefused(asAccount(call, request, Changed), 'not_found');
}

function isSelf(call: AccountCall, id: string): boolean {
  const { user_id, login_id } = sessionOf(call.session);
  return id === user_id || id === login_id;
}

function commentOf(call: AccountCall, comment: z.output<typeof Comment>, { post }: CommentLocation): PlatformComment {
  const { hidden: is_hidden, timestamp: created_at } = comment;
  const author = comment.from ? personOf(comment.from) : personNamed(comment.username);
  const is_owner = isSelf(call, author.id);
  return plainComment({
    platform_id: comment.id,
    platform_post_id: post,
    parent_id: comment.parent_id,
    author,
    is_owner,
    text: comment.text,
    created_at,
    like_count: comment.like_count,
    reply_count: comment.replies?.data.length ?? 0,
    is_hidden,
    capabilities: {
      can_reply: !is_hidden,
      can_like: isLinked(call),
      can_private_reply: !is_owner && call.now() - created_at < PRIVATE_MS,
    },
  });
}
