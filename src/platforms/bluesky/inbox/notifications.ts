import * as z from 'zod';
import type { InboundEvent } from '../../inbound.ts';
import type { AccountCall } from '../../call.ts';
import { authed } from '../api.ts';
import {
  Post,
  PostRecord,
  type PostView,
  Profile,
  commentOf,
  commentedPostOf,
  isOwn,
  lookUp,
  mentionOf,
} from './views.ts';
import { readable, instant } from '../../shared/fields.ts';

export const MENTIONS = Object.freeze(['mention', 'quote']);
export const ALL = Object.freeze(['reply', ...MENTIONS]);
export const MOST_PER_PAGE = 100;

const Notice = z.object({
  uri: z.string(),
  cid: z.string(),
  author: Profile,
  reason: z.string(),
  reasonSubject: z.string().optional().catch(undefined),
  record: PostRecord,
  indexedAt: instant,
});
const Page = z.object({
  notifications: z.array(z.unknown()).max(MOST_PER_PAGE),
  cursor: z.string().max(2000).optional(),
});

export type Notice = z.output<typeof Notice>;

/** The time by which the network sorts notifications. */
export function listedAt({ indexedAt }: Notice): number {
  return Date.parse(indexedAt);
}

export async function readNotices(
  call: AccountCall,
  reasons: readonly string[],
  { limit, cursor }: Readonly<{ limit: number; cursor?: string | undefined }>,
): Promise<Readonly<{ notices: readonly Notice[]; oldest: number; cursor: string | undefined }>> {
  const query = { reasons, limit: Math.min(limit, MOST_PER_PAGE), cursor };
  const page = await authed(call, { method: 'app.bsky.notification.listNotifications', query }, Page);
  const all = readable(Notice, page.notifications);
  return {
    // A server that does not support the filter returns all notifications.
    notices: all.filter(({ reason }) => reasons.includes(reason)),
    oldest: Math.min(...all.map(listedAt)),
    cursor: page.cursor || undefined,
  };
}

/** Looks up the posts of notifications; if one is not found, the data in its notification is used. */
export async function postsOf(
  call: AccountCall,
  notices: readonly Notice[],
  further: readonly string[] = [],
): Promise<(uri: string) => PostView | undefined> {
  const found = await lookUp(call, [...notices.map(({ uri }) => uri), ...further]);
  const reported = new Map(readable(Post, notices).map((post) => [post.uri, post]));
  return (uri) => found.get(uri) ?? reported.get(uri);
}

/** Converts notifications to events: comments and mentions first, then the posts commented on. */
export async function eventsOf(call: AccountCall, notices: readonly Notice[]): Promise<readonly InboundEvent[]> {
  const posts = notices.flatMap((notice) => locationOf(call, notice) ?? []);
  const postOf = await postsOf(call, notices, posts);
  const reported = notices.flatMap((notice): readonly InboundEvent[] => {
    const post = postOf(notice.uri);
    if (post === undefined) return [];
    const location = locationOf(call, notice);
    const hidden = new Set(location && postOf(location)?.threadgate?.record.hiddenReplies);
    return [
      ...(location ? [{ kind: 'comment', comment: commentOf(call, post, { post: location, hidden }) } as const] : []),
      ...(MENTIONS.includes(notice.reason) ? [{ kind: 'mention', mention: mentionOf(call, post) } as const] : []),
    ];
  });
  const commented = [...new Set(posts)].flatMap((uri): readonly InboundEvent[] => {
    const post = postOf(uri);
    return post ? [{ kind: 'post', post: commentedPostOf(call, post) }] : [];
  });
  return [...reported, ...commented];
}

/** The post that a notification comments on, taken from the thread, since a mention can be a comment too. */
function locationOf(call: AccountCall, { reason, reasonSubject, record: { reply } }: Notice): string | undefined {
  if (reply === undefined) return undefined;
  if (isOwn(call, reply.root.uri)) return reply.root.uri;
  if (isOwn(call, reply.parent.uri)) return reply.parent.uri;
  return reason === 'reply' ? reasonSubject : undefined;
}
