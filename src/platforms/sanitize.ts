import { DAY } from '#kernel/clock.ts';
import type { InboundEvent } from './inbound.ts';

/** No platform issues longer ids, and longer ones could not be indexed. */
const MAX_ID = 500;
/** Tolerated clock skew; later times are replaced by the current time. */
const AHEAD_MS = DAY;
/** Upper limit of counts, low enough that sums stay exact. */
const MOST = 1_000_000_000_000;

/** Sanitizes an inbound event for the store; undefined if one of its ids is empty or too long. */
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

/** Members that are stored in the platform's own form. */
const UNREAD: ReadonlySet<string> = new Set(['metadata', 'referral', 'notice']);

/** Replaces characters that cannot be stored, and makes times and counts valid integers. */
function scrub(value: unknown, now: number, name?: string): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'number' && name !== undefined) {
    if (TIMES.has(name)) return value <= now + AHEAD_MS ? Math.trunc(Math.max(value, 0)) : now;
    if (COUNTS.has(name)) return Number.isFinite(value) ? Math.trunc(Math.min(Math.max(value, 0), MOST)) : 0;
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, UNREAD.has(key) ? scrubDeep(item) : scrub(item, now, key)]),
  );
}

export const sanitize = <T>(reported: T, now: number): T => scrub(reported, now) as T;

/** PostgreSQL rejects NUL, and UTF-8 cannot encode half a surrogate pair. */
const scrubText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Values in the platform's own form keep their numbers. */
function scrubDeep(value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (Array.isArray(value)) return value.map(scrubDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [scrubText(key), scrubDeep(item)]));
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
    case 'reaction':
      return [event.message, event.conversation];
    case 'notice':
      return [event.platform_id, event.conversation];
    case 'post':
      return [event.post.platform_id];
    case 'review_named':
    case 'comment_gone':
    case 'comment_hidden':
    case 'message_gone':
    case 'message_edited':
      return [event.platform_id];
    case 'post_named':
      return [event.was, event.platform_id];
    case 'alias':
      return [event.platform_id, event.alias];
    case 'revoked':
    case 'deletion':
      return [];
  }
}
