import type { Conversation, Found, InboxPost, InboxThread, Mention, Review, Unanswered } from '../../lib/operations.ts';

export type Kind = 'conversation' | 'comment' | 'mention' | 'review' | 'post';

/** An item in a list of the inbox, of any kind. */
export type Item = Readonly<{
  key: string;
  kind: Kind;
  id: string;
  accountId: string;
  platform: string;
  name: string;
  picture: string | null;
  text: string;
  at: string;
  /** Unread messages, or comments on a post. */
  count: number;
  rating?: number | undefined;
  /** Why nobody can reply to it at present. */
  blocked?: string | undefined;
  /** The message that a search found, and where its text matches. */
  found?: Readonly<{ id: string; marks: readonly Readonly<{ from: number; to: number }>[] }> | undefined;
}>;

/** The name of an item in URLs and in the storage of this device. */
export const keyOf = (kind: Kind, accountId: string, id: string): string => `${kind}:${accountId}:${id}`;

/** The fields that identify an item. */
const placed = (kind: Kind, accountId: string, id: string) => ({
  key: keyOf(kind, accountId, id),
  kind,
  accountId,
  id,
});

const KEY = /^(conversation|comment|mention|review|post):([^:]+):(.+)$/;

export function itemOfKey(key: string): Item | undefined {
  const [, kind, accountId, id] = KEY.exec(key) ?? [];
  if (kind === undefined) return undefined;
  const unknown = { platform: '', name: '', picture: null, text: '', at: '', count: 0 };
  return { ...unknown, ...placed(kind as Kind, accountId!, id!) };
}

export function ofUnanswered(one: Unanswered): Item {
  const { kind, id, account_id, platform, author, text, created_at, unread_count = 0, rating, blocked } = one;
  return {
    ...placed(kind, account_id, id),
    platform,
    name: author.name,
    picture: author.avatar_url,
    text,
    at: created_at,
    count: unread_count,
    rating,
    blocked,
  };
}

export function ofConversation(one: Conversation): Item {
  const { id, account_id, platform, last_message, last_message_direction } = one;
  return {
    ...placed('conversation', account_id, id),
    platform,
    name: one.participant_name,
    picture: one.participant_picture,
    text: last_message_direction === 'outgoing' ? `You: ${last_message}` : last_message,
    at: one.last_message_at ?? one.created_at,
    count: one.unread_count,
    blocked: one.blocked ?? undefined,
  };
}

export function ofPost(one: InboxPost): Item {
  const { id, account_id, platform, content, thumbnail, published_at, comment_count } = one;
  return {
    ...placed('post', account_id, id),
    platform,
    name: 'Your post',
    picture: thumbnail,
    text: content,
    at: published_at,
    count: comment_count,
  };
}

export function ofMention({ id, account_id, platform, author, content, created_at }: Mention): Item {
  return {
    ...placed('mention', account_id, id),
    platform,
    name: author.name,
    picture: null,
    text: content.text,
    at: created_at,
    count: 0,
  };
}

export function ofReview({ id, account_id, platform, author, text, rating, created_at }: Review): Item {
  return {
    ...placed('review', account_id, id),
    platform,
    name: author.name,
    picture: author.avatar_url,
    text,
    at: created_at,
    count: 0,
    rating,
  };
}

export function ofFound(one: Found): Item {
  const { id, account_id, platform, author, text, created_at, thread, marks, is_ours } = one;
  const before = is_ours ? 'You: ' : '';
  return {
    ...placed(thread.kind, account_id, thread.id),
    platform,
    name: author.name,
    picture: author.avatar_url,
    text: before + text,
    at: created_at,
    count: 0,
    found: { id, marks: marks.map(({ from, to }) => ({ from: from + before.length, to: to + before.length })) },
  };
}

export function ofThread(
  { kind, conversation, comment, mention, review, post, platform }: InboxThread,
  key: string,
): Item {
  if (conversation !== undefined) return ofConversation(conversation);
  if (mention !== undefined) return ofMention(mention);
  if (review !== undefined) return ofReview(review);
  if (comment === undefined && post !== null) return ofPost(post);
  const known = itemOfKey(key)!;
  if (comment === undefined) return { ...known, kind, platform };
  const { author, text, created_at } = comment;
  return { ...known, platform, name: author.name, picture: author.avatar_url, text, at: created_at };
}

/** Why nobody can reply to an item at present, by refusal code. */
export function blockWords(code: string): string {
  if (code.endsWith('window_closed')) return 'Time to answer ended';
  return code === 'account.reconnection_required' ? 'Account to connect again' : 'Cannot be answered now';
}
