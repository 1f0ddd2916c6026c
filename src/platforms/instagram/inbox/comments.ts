import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { Changed, cursorOf, Id, listOf, Made } from '../../graph/api.ts';
import { personOf, Somebody, Time } from '../../graph/fields.ts';
import type { CommentAt, CommentPlace, Comments, MadeComment, PagingSince } from '../../interactions.ts';
import type { PlatformComment } from '../../records.ts';
import type { SettleState } from '../../sending.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { count, flag, text } from '../../shared/fields.ts';
import { onlyText } from '../../shared/settle.ts';
import { sessionOf } from '../accounts/session.ts';
import { asAccount, isLinked } from '../api.ts';

const FIELDS = 'id,text,timestamp,username,from{id,username},like_count,hidden,parent_id,replies{id}';
const MOST_PER_READ = 50;
/** A comment can be answered privately for so long. */
const PRIVATE_MS = 7 * 86_400_000;

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
const Listed = listOf(Comment);
const Parent = z.object({ parent_id: text });
const Media = z.object({ id: Id, media: z.object({ id: Id }) });

type Written = Readonly<{ post: string; comment?: string | undefined; text: string }>;

export const TEXT = Object.freeze({ max: 300, counting: 'chars' } as const);

/** Comments on posts, and the actions of the account on them; Instagram lists them newest first. */
export const comments = Object.freeze<Comments>({
  text: TEXT,
  order: 'newest',
  list: (call, place, page) => readBelow(call, place, { thing: place.post, edge: 'comments' }, page),
  replies: (call, place, page) => readBelow(call, place, { thing: place.comment, edge: 'replies' }, page),
  reply: { send: writeBelow, settle: findBelow },
  isComment,
  remove: (call, place) => act(call, place, { method: 'DELETE' }),
  hide: (call, place, hide) => act(call, place, { method: 'POST', form: { hide } }),
});

type Below = Readonly<{ thing: string; edge: 'comments' | 'replies' }>;

async function readBelow(
  call: AccountCall,
  place: CommentPlace,
  { thing, edge }: Below,
  { limit, cursor: after, since = -1 }: PagingSince,
) {
  const query = { fields: FIELDS, limit: Math.min(limit, MOST_PER_READ), after };
  const ask = { method: 'GET', path: `/{thing}/${edge}`, ids: { thing }, query } as const;
  const list = await asAccount(call, ask, Listed);
  const items = list.data.map((comment) => commentOf(call, comment, place.post));
  const newer = items.filter(({ created_at: at }) => at > since);
  const isOver = edge === 'comments' && newer.length < items.length;
  return { items: newer, cursor: isOver ? undefined : cursorOf(list) };
}

/** Reads the current state of a comment. */
export async function readComment(call: AccountCall, { comment, post }: CommentAt): Promise<PlatformComment> {
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: FIELDS } } as const;
  return commentOf(call, await asAccount(call, ask, Comment), post);
}

/** Where a comment is written and found: below the post, or below the comment that holds all replies. */
async function belowOf(call: AccountCall, { post, comment }: Written): Promise<Below> {
  if (comment === undefined) return { thing: post, edge: 'comments' };
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: 'parent_id' } } as const;
  const { parent_id: parent } = await asAccount(call, ask, Parent);
  return { thing: parent ?? comment, edge: 'replies' };
}

/** Writes a comment below a post or another comment. */
export async function writeBelow(call: AccountCall, ask: Written): Promise<MadeComment> {
  const [thing, edge] = ask.comment === undefined ? [ask.post, 'comments'] : [ask.comment, 'replies'];
  const form = { message: ask.text.toWellFormed() };
  const { id } = await asAccount(call, { method: 'POST', path: `/{thing}/${edge}`, ids: { thing }, form }, Made);
  return { comment_id: id };
}

/** Looks for such a comment of ours among the newest; one that is not shown may still exist. */
export async function findBelow(
  call: AccountCall,
  ask: Written,
  lookup: Pick<SettleState, 'sentAt' | 'taken'>,
): Promise<MadeComment | 'unknown'> {
  const page = { limit: MOST_PER_READ };
  const { items } = await readBelow(call, { post: ask.post }, await belowOf(call, ask), page);
  const found = onlyText(items, ask.text, lookup, ({ is_owner }) => is_owner);
  return found === 'unknown' ? found : { comment_id: found.platform_id };
}

/** Only comments name the media they are below; Graph refuses that for other objects. */
async function isComment(call: AccountCall, { post, comment }: CommentAt): Promise<boolean> {
  if (comment === post) return false;
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: 'id,media{id}' } } as const;
  const found = await unlessRefused(asAccount(call, ask, Media), 'not_found', 'invalid_request');
  return found?.media.id === post;
}

type Task = Readonly<{ method: 'POST' | 'DELETE'; form?: Readonly<Record<string, boolean>> }>;

/** Applies an action to a comment; a deleted comment is no error. */
async function act(call: AccountCall, { comment }: CommentAt, task: Task): Promise<void> {
  await unlessRefused(asAccount(call, { ...task, path: '/{comment}', ids: { comment } }, Changed), 'not_found');
}

/** Likes a comment, or takes that back; by Facebook login alone, and there as the person rather than the Page. */
export async function like(call: AccountCall, { comment }: CommentAt, liked: boolean): Promise<void> {
  const { user_token: person, user_id: user } = sessionOf(call.session);
  const given = { comment_id: comment };
  const how = liked ? ({ method: 'POST', form: given } as const) : ({ method: 'DELETE', query: given } as const);
  const ask = { ...how, path: '/{user}/likes', ids: { user } };
  const asPerson = unlessRefused(
    asAccount(call, { ...ask, token: person }, Changed),
    'not_found',
    'auth',
    'permission_denied',
  );
  if ((await asPerson) === undefined) await unlessRefused(asAccount(call, ask, Changed), 'not_found');
}

/** Whether somebody is the account itself. */
export function isSelf(call: AccountCall, id: string | undefined): boolean {
  const { user_id, login_id } = sessionOf(call.session);
  return id === user_id || id === login_id;
}

function commentOf(call: AccountCall, comment: z.output<typeof Comment>, post: string): PlatformComment {
  const { id: platform_id, text: words, timestamp: created_at, hidden: is_hidden, parent_id, replies } = comment;
  const author = personOf(comment.from ?? (comment.username === undefined ? undefined : named(comment.username)));
  const about = { platform_id, platform_post_id: post, parent_id, author, text: words, created_at };
  const shown = commentAs(about, isSelf(call, author.id));
  const { can_private_reply } = shown.capabilities;
  return {
    ...shown,
    like_count: comment.like_count,
    reply_count: replies?.data.length ?? 0,
    is_hidden,
    capabilities: {
      ...shown.capabilities,
      can_reply: !is_hidden,
      can_like: isLinked(call),
      can_private_reply: can_private_reply && call.now() - created_at < PRIVATE_MS,
    },
  };
}

type Basics = 'platform_id' | 'platform_post_id' | 'parent_id' | 'author' | 'text' | 'created_at';

/** A comment of which no more is known. */
export function commentAs(basics: Pick<PlatformComment, Basics>, is_owner: boolean): PlatformComment {
  return {
    ...basics,
    is_owner,
    media: [],
    like_count: 0,
    reply_count: 0,
    is_hidden: false,
    is_liked: false,
    capabilities: {
      can_reply: true,
      can_delete: true,
      can_hide: !is_owner,
      can_like: false,
      can_private_reply: !is_owner,
    },
  };
}

/** Where Instagram names people by their usernames alone. */
export const named = (username: string) => ({ id: username, name: '', username });
