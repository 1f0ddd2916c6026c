import * as z from 'zod';
import type { CommentAt, CommentLocation, Comments } from '../../interactions.ts';
import type { Attachment, PlatformComment } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { cursorOf, Id, listOf } from '../../graph/api.ts';
import { graphComments } from '../../graph/comments.ts';
import { asPage } from '../api.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { personOf, Somebody, Time } from '../../graph/fields.ts';
import { pageAt } from '../accounts/places.ts';
import { privateReply } from './messages.ts';
import { count, flag, text } from '../../shared/fields.ts';
import { unsupportedContent } from '../../shared/inbox/content.ts';

const FIELDS =
  'id,message,created_time,from{id,name,picture},parent{id},attachment,is_hidden,can_hide,can_remove,can_comment,' +
  'can_like,can_reply_privately,comment_count,like_count,user_likes,permalink_url';
const MOST_PER_READ = 100;
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
const Parent = Comment.pick({ parent: true });
const Counted = Parent.extend({ id: Id, comment_count: z.number() });
const Named = listOf(z.object({ id: Id }));

export const TEXT = Object.freeze({ max: 8000, counting: 'chars' } as const);

const api = graphComments({
  fields: FIELDS,
  item: Comment,
  most: MOST_PER_READ,
  edges: { post: 'comments', comment: 'comments' },
  more: {
    read: { filter: 'toplevel', order: 'chronological' },
    newest: { filter: 'toplevel', order: 'reverse_chronological' },
    made: { fields: 'id,permalink_url' },
  },
  above: { fields: 'parent{id}', item: Parent.transform(({ parent }) => parent?.id) },
  ownerOf: pageAt,
  request: asPage,
  commentOf,
});

export const { readComment, writing } = api;

export const comments = Object.freeze<Comments>({
  text: TEXT,
  list: api.list,
  replies: api.replies,
  reply: writing(),
  isComment,
  remove: api.remove,
  hide: (call, location, is_hidden) => api.act(call, location, { method: 'POST', form: { is_hidden } }),
  like: (call, location, liked) =>
    api.act(call, location, { method: liked ? 'POST' : 'DELETE', path: '/{comment}/likes' }),
  privateReply,
});

/** Requests fields that only comments have; for any other object Graph refuses the request. */
async function isComment(call: AccountCall, location: CommentAt): Promise<boolean> {
  const { post, comment } = location;
  if (comment === post) return false;
  const query = { fields: 'id,can_remove,comment_count,parent{id}' };
  const request = { method: 'GET', path: '/{comment}', ids: { comment }, query } as const;
  const page = pageAt(call, location);
  const found = await unlessRefused(asPage(call, page, request, Counted), 'not_found', 'invalid_request');
  if (found === undefined || found.parent?.id === post) return false;
  // Most comment ids begin with the post's id; below a photo or video they begin with its id.
  return post === `${page}_${found.id.split('_', 1)[0]!}` || (await isBelow(call, page, post, found.id));
}

/** Whether a comment is among the newest comments of a post, including replies. */
async function isBelow(call: AccountCall, page: string, post: string, comment: string): Promise<boolean> {
  let after: string | undefined;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const query = { filter: 'stream', order: 'reverse_chronological', fields: 'id', limit: MOST_PER_READ, after };
    const request = { method: 'GET', path: '/{post}/comments', ids: { post }, query } as const;
    const list = await asPage(call, page, request, Named);
    if (list.data.some(({ id }) => id === comment)) return true;
    after = cursorOf(list);
    if (after === undefined) return false;
  }
  return false;
}

function commentOf(
  _call: AccountCall,
  comment: z.output<typeof Comment>,
  { post, page }: CommentLocation,
): PlatformComment {
  return {
    platform_id: comment.id,
    platform_post_id: post,
    parent_id: comment.parent?.id,
    page_id: page,
    author: personOf(comment.from),
    is_owner: comment.from?.id === page,
    ...contentOf(comment),
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

/** The content of a comment; without text or a URL it is marked as unsupported, with its type. */
function contentOf({
  message,
  attachment,
}: z.output<typeof Comment>): Pick<PlatformComment, 'text' | 'media' | 'metadata'> {
  const media = mediaOf(attachment);
  if (message !== '' || media.length > 0 || attachment === undefined) return { text: message, media };
  const { text: words, metadata } = unsupportedContent(attachment.type || 'unknown');
  return { text: words, media, metadata };
}

/** Pictures, stickers and animations become images; an attachment without a file becomes a link. */
export function mediaOf(attachment: z.output<typeof Media>): readonly Attachment[] {
  if (attachment === undefined) return [];
  const { type, url, media } = attachment;
  if (type === 'animated_image_share' && media?.image?.src !== undefined) return attached('image', media.image.src);
  if (type.startsWith('video')) return attached('video', media?.source ?? url);
  if (/photo|sticker|image/.test(type) && !type.endsWith('share')) return attached('image', media?.image?.src ?? url);
  return attached('link', url);
}

const attached = (type: string, url: string | undefined) => (url === undefined ? [] : [{ type, url }]);
