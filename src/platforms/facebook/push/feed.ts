import * as z from 'zod';
import { PushedId, maybePushedId } from '../../graph/fields.ts';
import type { InboundEvent } from '../../inbound.ts';
import { type Pushing, reading } from '../../graph/push.ts';
import type { Attachment, Person } from '../../inbox-types.ts';
import { plainComment } from '../../shared/comments.ts';
import { maybeTime, text } from '../../shared/fields.ts';

const From = z.object({ id: PushedId, name: z.string().catch('') });

/** A change in a page's feed; its author is in `from` or, for old apps, in separate fields. */
const Feed = z.object({
  item: z.string(),
  verb: z.string(),
  post_id: PushedId.optional(),
  comment_id: PushedId.optional(),
  parent_id: PushedId.optional(),
  from: From.optional().catch(undefined),
  sender_id: maybePushedId,
  sender_name: text,
  message: z.string().catch(''),
  created_time: maybeTime,
  photo: text,
  video: text,
  link: text,
  photos: z.array(z.string()).catch([]),
  published: z.union([z.number(), z.boolean()]).catch(1),
  is_hidden: z.boolean().catch(false),
  permalink_url: text,
  post: z
    .object({ permalink_url: text, is_published: z.boolean().catch(true) })
    .optional()
    .catch(undefined),
});
type Feed = z.output<typeof Feed>;

const POSTS: ReadonlySet<string> = new Set(['status', 'photo', 'video', 'post', 'share', 'album', 'note', 'event']);
const CHANGES: ReadonlySet<string> = new Set(['edit', 'edited', 'update']);
const REMOVALS: ReadonlySet<string> = new Set(['remove', 'delete']);

/** Converts a feed change to an event; undefined if the inbox does not store the change. */
export const feedEvent = reading(Feed, (feed, { owner: page, at: pushedAt }: Pushing) => {
  const at = feed.created_time ?? pushedAt;
  if (feed.item === 'comment') return commentEvent(feed, page, at);
  return POSTS.has(feed.item) ? postEvent(feed, page, at) : undefined;
});

export const mentionEvent = reading(Feed, (feed, { owner: page, at: pushedAt }: Pushing): InboundEvent | undefined => {
  const { post_id: post, comment_id: comment } = feed;
  const at = feed.created_time ?? pushedAt;
  const author = personOf(feed);
  if (feed.verb !== 'add' || post === undefined || at === undefined || author.id === page) return undefined;
  return {
    kind: 'mention',
    mention: {
      platform_id: comment ?? post,
      platform_post_id: post,
      comment_id: comment,
      page_id: page,
      mention_type: comment === undefined ? 'post' : 'comment',
      author,
      text: feed.message,
      media: mediaOf(feed),
      permalink: feed.permalink_url ?? feed.post?.permalink_url,
      created_at: at,
    },
  };
});

function commentEvent(feed: Feed, page: string, at: number | undefined): InboundEvent | undefined {
  const { verb, comment_id: id, post_id: post } = feed;
  if (id === undefined) return undefined;
  if (REMOVALS.has(verb)) return { kind: 'comment_gone', platform_id: id };
  if (verb === 'hide' || verb === 'unhide') return { kind: 'comment_hidden', platform_id: id, hidden: verb === 'hide' };
  if (post === undefined || at === undefined || (verb !== 'add' && !CHANGES.has(verb))) return undefined;
  const author = personOf(feed);
  return {
    kind: 'comment',
    ...(verb !== 'add' && { edited: true }),
    comment: plainComment({
      platform_id: id,
      platform_post_id: post,
      parent_id: parentOf(feed, page),
      page_id: page,
      author,
      is_owner: author.id === page,
      text: feed.message,
      media: mediaOf(feed),
      created_at: at,
      permalink: feed.permalink_url,
      is_hidden: feed.is_hidden,
      capabilities: { can_like: true },
    }),
  };
}

/** The event of a post published by the page itself; drafts and posts by visitors are pushed too but ignored. */
function postEvent(feed: Feed, page: string, at: number | undefined): InboundEvent | undefined {
  const { post_id: post, verb } = feed;
  if (post === undefined || at === undefined || (verb !== 'add' && !CHANGES.has(verb))) return undefined;
  const isPublic = feed.published !== 0 && feed.published !== false && feed.post?.is_published !== false;
  if (!isPublic || personOf(feed).id !== page) return undefined;
  return {
    kind: 'post',
    post: {
      platform_id: post,
      page_id: page,
      text: feed.message,
      thumbnail: feed.photos[0] ?? feed.photo ?? (feed.item === 'photo' ? feed.link : undefined),
      permalink: feed.permalink_url ?? feed.post?.permalink_url,
      comment_count: 0,
      like_count: 0,
      published_at: at,
    },
  };
}

function personOf({ from, sender_id, sender_name }: Feed): Person {
  return from ?? { id: sender_id ?? '', name: sender_name ?? '' };
}

/** The parent comment; for a top-level comment the parent is the post, whose id begins with the page id. */
function parentOf({ parent_id: parent, post_id: post }: Feed, page: string): string | undefined {
  return parent === undefined || parent === post || parent.startsWith(`${page}_`) ? undefined : parent;
}

function mediaOf({ photo, video }: Feed): readonly Attachment[] {
  return [
    ...(photo === undefined ? [] : [{ type: 'image', url: photo }]),
    ...(video === undefined ? [] : [{ type: 'video', url: video }]),
  ];
}
