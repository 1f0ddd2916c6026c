import type { InboundEvent } from './inbound.ts';

/** Longer ids than this are not what any platform hands out, and too long to be found by. */
const MAX_ID = 500;
/** Instants as the platforms know them, in milliseconds. */
const EARLIEST = 0;
const LATEST = 8_640_000_000_000_000;
/** More than there is of anything, and no more than can be added to. */
const MOST = 1_000_000_000_000;

/** An inbound event as the store can take it; undefined when an id of it is empty or too long. */
export function sanitizeEvent(event: InboundEvent, now: number): InboundEvent | undefined {
  const clean = scrub(event, now) as InboundEvent;
  return idsOf(clean).every((id) => id.length > 0 && id.length <= MAX_ID) ? clean : undefined;
}

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'published_at', 'at', 'watermark']);
const COUNTS: ReadonlySet<string> = new Set([
  'like_count',
  'reply_count',
  'comment_count',
  'rating',
  'unread',
  'followers_count',
]);

/** Takes out what PostgreSQL refuses (text with NUL), and makes times and counts the integers that columns hold. */
function scrub(value: unknown, now: number, name?: string): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '') : value;
  if (typeof value === 'number' && name !== undefined) {
    if (TIMES.has(name)) return Number.isFinite(value) ? Math.trunc(Math.min(Math.max(value, EARLIEST), LATEST)) : now;
    if (COUNTS.has(name)) return Number.isFinite(value) ? Math.trunc(Math.min(Math.max(value, 0), MOST)) : 0;
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'metadata' || key === 'referral' ? scrubDeep(item) : scrub(item, now, key),
    ]),
  );
}

/** A value of a platform as the store can take it. */
export const sanitize = <T>(reported: T): T => scrub(reported, 0) as T;

/** What a connector hands through unread: its numbers mean what they mean. */
function scrubDeep(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(scrubDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubDeep(item)]));
}

function idsOf(event: InboundEvent): readonly string[] {
  switch (event.kind) {
    case 'comment':
      return [event.comment.platform_id, event.comment.platform_post_id];
    case 'mention':
      return [event.mention.platform_id, event.mention.platform_post_id];
    case 'review':
      return [event.review.platform_id];
    case 'message':
      return [event.message.platform_id, event.conversation.platform_id];
    case 'postback':
    case 'referral':
      return [event.platform_id, event.conversation.platform_id];
    case 'receipt':
      return [event.conversation];
    case 'post':
      return [event.post.platform_id];
    case 'comment_gone':
    case 'comment_hidden':
    case 'message_gone':
      return [event.platform_id];
    case 'revoked':
    case 'deletion':
      return [];
  }
}
