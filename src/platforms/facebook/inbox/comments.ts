import * as z from 'zod';
import type { CommentAt, CommentPlace, Comments, MadeComment, PagingSince, ReplyRequest } from '../../interactions.ts';
import type { Attachment, PlatformComment } from '../../records.ts';
import type { Sending, SettleState } from '../../sending.ts';
import type { AccountCall } from '../../call.ts';
import { Changed, cursorOf, Id, listOf, readNewer } from '../../graph/api.ts';
import { isSameText, onlyMatch, secondOf } from '../../shared/settle.ts';
import { asPage } from '../api.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { personOf, Somebody, Time } from '../../graph/fields.ts';
import { pageAt } from '../accounts/places.ts';
import { privateReply } from './messages.ts';
import { count, flag, text } from '../../shared/fields.ts';

const FIELDS =
  'id,message,created_time,from{id,name,picture},parent{id},attachment,is_hidden,can_hide,can_remove,can_comment,' +
  'can_like,can_reply_privately,comment_count,like_count,user_likes,permalink_url';
const MOST_PER_READ = 100;
/** Maximum reads in search of a comment. */
const MOST_READS = 10;

export const Media = z
  .object({
    type: z.string().catch(''),
    url: text,
    media: z
      .object({ image: z.object({ src: text }).optional().catch(undefined), source: text })
      .optional()
      .catch(undefined),
  })
  .optional()
  .catch(undefined);

const Comment = z.object({
  id: Id,
  message: z.string().catch(''),
  created_time: Time,
  from: Somebody,
  parent: z.object({ id: Id }).optional().catch(undefined),
  attachment: Media,
  is_hidden: flag,
  can_hide: flag,
  can_remove: flag,
  can_comment: flag,
  can_like: flag,
  can_reply_privately: flag,
  comment_count: count,
  like_count: count,
  user_likes: flag,
  permalink_url: text,
});
const Nested = Comment.pick({ parent: true });
const Counted = Nested.extend({ id: Id, comment_count: z.number() });
const Named = listOf(z.object({ id: Id }));
const Listed = listOf(Comment);
const Replied = z.object({ id: Id, permalink_url: text });

type Written = Readonly<{ post: string; comment?: string | undefined; text: string }>;

export const TEXT = Object.freeze({ max: 8000, counting: 'chars' } as const);

/** Comments on posts of pages, and the actions of a page on them. */
export const comments = Object.freeze<Comments>({
  text: TEXT,
  list: (call, place, page) => readBelow(call, place, place.post, page),
  replies: (call, place, page) => readBelow(call, place, place.comment, page),
  reply: Object.freeze<Sending<ReplyRequest, MadeComment>>({
    send: (call, ask) => writeBelow(call, pageAt(call, ask), ask),
    settle: (call, ask, lookup) => findBelow(call, pageAt(call, ask), ask, lookup),
  }),
  isComment,
  remove: (call, place) => act(call, place, { method: 'DELETE', path: '/{comment}' }),
  hide: (call, place, hidden) => act(call, place, { method: 'POST', path: '/{comment}', form: { is_hidden: hidden } }),
  like: (call, place, liked) => act(call, place, { method: liked ? 'POST' : 'DELETE', path: '/{comment}/likes' }),
  privateReply,
});

async function readBelow(call: AccountCall, place: CommentPlace, thing: string, { limit, ...from }: PagingSince) {
  const page = pageAt(call, place);
  return readNewer(async (after) => {
    const order = { filter: 'toplevel', order: 'chronological' };
    const query = { ...order, fields: FIELDS, limit: Math.min(limit, MOST_PER_READ), after };
    const ask = { method: 'GET', path: '/{thing}/comments', ids: { thing }, query } as const;
    const list = await asPage(call, page, ask, Listed);
    return {
      items: list.data.map((comment) => commentOf(comment, { post: place.post, page })),
      cursor: cursorOf(list),
    };
  }, from);
}

/** Reads the current state of a comment. */
export async function readComment(call: AccountCall, place: CommentAt): Promise<PlatformComment> {
  const { comment, page } = place;
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: FIELDS } } as const;
  return commentOf(await asPage(call, page, ask, Comment), place);
}

/** Writes a comment below a post or another comment, as the page. */
export async function writeBelow(call: AccountCall, page: string, ask: Written): Promise<MadeComment> {
  const form = { message: ask.text.toWellFormed(), fields: 'id,permalink_url' };
  const request = { method: 'POST', path: '/{thing}/comments', ids: { thing: ask.comment ?? ask.post }, form } as const;
  const { id, permalink_url: permalink } = await asPage(call, page, request, Replied);
  return { comment_id: id, permalink };
}

/**
 * Looks for such a comment among the newest. The delay of this list is undocumented, so a comment that is not shown may
 * still exist.
 */
export async function findBelow(
  call: AccountCall,
  page: string,
  ask: Written,
  { sentAt, taken }: Pick<SettleState, 'sentAt' | 'taken'>,
): Promise<MadeComment | 'unknown'> {
  const thing = ask.comment === undefined ? ask.post : await topOf(call, page, ask.comment);
  const fields = 'id,message,created_time,from{id},permalink_url';
  const query = { filter: 'toplevel', order: 'reverse_chronological', fields, limit: MOST_PER_READ };
  const request = { method: 'GET', path: '/{thing}/comments', ids: { thing }, query } as const;
  const { data } = await asPage(call, page, request, Listed);
  const found = onlyMatch(
    data,
    ({ id, from, message, created_time: at }) =>
      from?.id === page && at >= secondOf(sentAt) && isSameText(message, ask.text) && !taken.has(id),
  );
  return found === 'unknown' ? found : { comment_id: found.id, permalink: found.permalink_url };
}

/** The comment that holds the replies: there is one level of replies, whichever of them is answered. */
async function topOf(call: AccountCall, page: string, comment: string): Promise<string> {
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: 'parent{id}' } } as const;
  const { parent } = await asPage(call, page, ask, Nested);
  return parent?.id ?? comment;
}

/** Only comments have these fields; Graph refuses them for other objects. */
async function isComment(call: AccountCall, place: CommentAt): Promise<boolean> {
  const { post, comment } = place;
  if (comment === post) return false;
  const query = { fields: 'id,can_remove,comment_count,parent{id}' };
  const ask = { method: 'GET', path: '/{comment}', ids: { comment }, query } as const;
  const page = pageAt(call, place);
  const found = await unlessRefused(asPage(call, page, ask, Counted), 'not_found', 'invalid_request');
  if (found === undefined || found.parent?.id === post) return false;
  // Most comment ids contain the post id; below a photo or video they contain its id.
  return post === `${page}_${found.id.split('_', 1)[0]!}` || (await isBelow(call, page, post, found.id));
}

/** Looks for a comment among the newest of a post, including replies. */
async function isBelow(call: AccountCall, page: string, post: string, comment: string): Promise<boolean> {
  let after: string | undefined;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const query = { filter: 'stream', order: 'reverse_chronological', fields: 'id', limit: MOST_PER_READ, after };
    const ask = { method: 'GET', path: '/{post}/comments', ids: { post }, query } as const;
    const list = await asPage(call, page, ask, Named);
    if (list.data.some(({ id }) => id === comment)) return true;
    after = cursorOf(list);
    if (after === undefined) return false;
  }
  return false;
}

type CommentAction = Readonly<{ method: 'POST' | 'DELETE'; path: string; form?: Readonly<Record<string, boolean>> }>;

/** Applies an action to a comment; a deleted comment is no error. */
async function act(call: AccountCall, place: CommentAt, task: CommentAction): Promise<void> {
  const ask = { ...task, ids: { comment: place.comment } };
  await unlessRefused(asPage(call, pageAt(call, place), ask, Changed), 'not_found');
}

function commentOf(comment: z.output<typeof Comment>, { post, page }: CommentPlace): PlatformComment {
  return {
    platform_id: comment.id,
    platform_post_id: post,
    parent_id: comment.parent?.id,
    page_id: page,
    author: personOf(comment.from),
    is_owner: comment.from?.id === page,
    text: comment.message,
    media: mediaOf(comment.attachment),
    created_at: comment.created_time,
    permalink: comment.permalink_url,
    like_count: comment.like_count,
    reply_count: comment.comment_count,
    is_hidden: comment.is_hidden,
    is_liked: comment.user_likes,
    capabilities: {
      can_reply: comment.can_comment,
      can_delete: comment.can_remove,
      can_hide: comment.can_hide,
      can_like: comment.can_like,
      can_private_reply: comment.can_reply_privately,
    },
  };
}

/** Pictures, stickers and animations are images; anything without a file is a link. */
export function mediaOf(attachment: z.output<typeof Media>): readonly Attachment[] {
  if (attachment === undefined) return [];
  const { type, url, media } = attachment;
  if (type.startsWith('video')) return attached('video', media?.source ?? url);
  if (/photo|sticker|image/.test(type) && !type.endsWith('share')) return attached('image', media?.image?.src ?? url);
  return attached('link', url);
}

const attached = (type: string, url: string | undefined) => (url === undefined ? [] : [{ type, url }]);
