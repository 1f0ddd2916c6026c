import { byCodeUnits } from '#kernel/text/order.ts';
import * as z from 'zod';
import type { Listed, PagingSince } from '../../interactions.ts';
import type { PlatformComment } from '../../inbox-types.ts';
import type { AccountCall } from '../../call.ts';
import { authed } from '../api.ts';
import { postAt } from '../records.ts';
import { commentOf, Post } from './views.ts';
import { refused, unfit } from '../../shared/errors.ts';
import { readable } from '../../shared/fields.ts';

/** Enough for several thousand replies. Larger threads cannot be read, because the network does not page them. */
const MOST_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 30_000;
const CURSOR = /^(\d{1,16})\.(at:\/\/.{1,600})$/;

const Thread = z.object({
  thread: z.object({
    post: Post.optional(),
    blocked: z.unknown().optional(),
    replies: z.array(z.unknown()).catch([]).default([]),
  }),
  threadgate: Post.shape.threadgate,
});
const Reply = z.object({ post: Post });

/** Direct replies, oldest first. The network returns a whole thread, which is split into pages here. */
export async function repliesTo(
  call: AccountCall,
  uri: string,
  post: string,
  { limit, cursor, since = -Infinity }: PagingSince,
): Promise<Listed<PlatformComment>> {
  postAt(uri);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const request = {
    method: 'app.bsky.feed.getPostThread',
    query: { uri, depth: 1, parentHeight: 0 },
    maxBytes: MOST_BYTES,
    deadlineMs: DEADLINE_MS,
  };
  const { thread, threadgate } = await authed(call, request, Thread);
  if (!thread.post) {
    if (thread.blocked === true) throw refused('blocked', 'This post is blocked.');
    throw refused('not_found', 'Bluesky knows no such post.');
  }
  const hidden = new Set((threadgate ?? thread.post.threadgate)?.record.hiddenReplies);
  const left = readable(Reply, thread.replies)
    .map((reply) => commentOf(call, reply.post, { post: post, hidden }))
    .filter((comment) => comment.created_at > since && (!after || compare(comment, after) > 0))
    .toSorted(compare);
  const items = left.slice(0, limit);
  const last = items.at(-1);
  return { items, cursor: last && left.length > limit ? `${last.created_at}.${last.platform_id}` : undefined };
}

type Key = Pick<PlatformComment, 'created_at' | 'platform_id'>;

function compare(a: Key, b: Key): number {
  return a.created_at - b.created_at || byCodeUnits(a.platform_id, b.platform_id);
}

function readCursor(cursor: string): Key {
  const [, time, platform_id] = CURSOR.exec(cursor) ?? [];
  if (platform_id === undefined) throw unfit('This cursor does not belong to this list.');
  return { created_at: Number(time), platform_id };
}
