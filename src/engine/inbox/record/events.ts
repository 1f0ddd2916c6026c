import type { AccountRow } from '#db/access/accounts.ts';
import type { CommentRow } from '#db/inbox/comments.ts';
import type { ConversationRow } from '#db/inbox/conversations.ts';
import type { MentionRow } from '#db/inbox/mentions.ts';
import type { MessageRow } from '#db/inbox/messages.ts';
import type { ReviewRow } from '#db/inbox/reviews.ts';
import type { Emitted } from '#db/store/tx.ts';
import { accountEvent, sandboxMark } from '#call/accounts.ts';
import { isoTime } from '#kernel/clock.ts';
import type { Attachment, Person } from '#platforms/inbox-types.ts';
import type { LaterFailure } from '#platforms/refusal.ts';
import { presentMetadata } from './metadata.ts';
import { interactionId, type Aspect, type InteractionType } from './ids.ts';

/** The fields of an interaction, no matter which table it is stored in. */
export type InteractionFields = Readonly<{
  type: InteractionType;
  platform_id: string;
  aspect?: Aspect | undefined;
  author: Person;
  text: string;
  media: readonly Attachment[];
  created_at: number;
  conversation_id?: string | undefined;
  /** Our id of the post if it was published from here, else its id in the inbox. */
  post_id?: string | undefined;
  /** The post's id in the inbox of this account. */
  inbox_post_id?: string | undefined;
  platform_post_id?: string | undefined;
  page_id?: string | undefined;
  permalink?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

/** The common fields of inbox events and mentions: docs/contract/events.md#inbox-events. */
function interaction(account: AccountRow, fields: InteractionFields) {
  const { type, platform_id, aspect, author, text, media, created_at, metadata, ...places } = fields;
  return {
    id: interactionId(type, account.platform, platform_id, aspect),
    type,
    brand_id: account.brand_id,
    account_id: account.id,
    platform: account.platform,
    platform_id,
    author: presentAuthor(author),
    content: { text, media },
    ...places,
    created_at: isoTime(created_at),
    received_at: isoTime(created_at),
    metadata: { ...metadata, ...sandboxMark(account) },
  };
}

export function presentAuthor({ id, name, username, avatar_url }: Person) {
  return { id, name, username: username ?? null, avatar_url: avatar_url ?? null };
}

const from = ({ name, username, id }: Person) => name || (username ? `@${username}` : id);

/** The event for a new comment, with our ids of what it belongs to. */
export function commentReceived(
  account: AccountRow,
  row: CommentRow,
  places: Pick<InteractionFields, 'post_id' | 'inbox_post_id' | 'page_id'>,
): Emitted {
  const { author } = row;
  const isReply = row.parent_id !== null;
  const base = interaction(account, {
    type: 'comment',
    platform_id: row.platform_id,
    author,
    text: row.text,
    media: row.media,
    created_at: row.created_at,
    platform_post_id: row.platform_post_id,
    permalink: row.permalink ?? undefined,
    ...places,
    metadata: { ...row.metadata, is_reply: isReply },
  });
  const parent = row.parent_id === null ? null : interactionId('comment', account.platform, row.parent_id);
  return accountEvent(account, 'comment.received', {
    data: { ...base, is_reply: isReply, parent_id: parent },
    resourceId: base.id,
    summary: `${account.platform} comment by ${from(author)}`,
  });
}

export function mentionRecord(account: AccountRow, row: MentionRow, pageId?: string) {
  return interaction(account, {
    type: 'mention',
    platform_id: row.platform_id,
    author: row.author,
    text: row.text,
    media: row.media,
    created_at: row.created_at,
    platform_post_id: row.platform_post_id,
    page_id: pageId,
    permalink: row.permalink ?? undefined,
    metadata: {
      mention_type: row.mention_type,
      ...(row.comment_id !== null && { comment_id: interactionId('comment', account.platform, row.comment_id) }),
    },
  });
}

/** The event for new mentions: one each if reported by webhook, one in all if read from a list. */
export function mentionReceived(
  account: AccountRow,
  mentions: ReturnType<typeof mentionRecord> | readonly ReturnType<typeof mentionRecord>[],
): Emitted {
  const all = Array.isArray(mentions) ? (mentions as readonly ReturnType<typeof mentionRecord>[]) : [mentions];
  const [first] = all as [ReturnType<typeof mentionRecord>];
  const who = first.author.name || first.author.id;
  return accountEvent(account, 'mention.received', {
    data: mentions,
    resourceId: first.id,
    summary: all.length > 1 ? `${all.length} ${account.platform} mentions` : `${account.platform} mention by ${who}`,
  });
}

export function reviewReceived(account: AccountRow, row: ReviewRow): Emitted {
  const { author } = row;
  const base = interaction(account, {
    type: 'review',
    platform_id: row.platform_id,
    author,
    text: row.text,
    media: row.media,
    created_at: row.created_at,
    metadata: row.location === null ? {} : { location: row.location },
  });
  return accountEvent(account, 'review.received', {
    data: { ...base, rating: row.rating },
    resourceId: base.id,
    summary: `${account.platform} review by ${from(author)}`,
  });
}

export function participantOf(row: ConversationRow): Person {
  return {
    id: row.participant_id,
    name: row.participant_name,
    username: row.participant_username ?? undefined,
    avatar_url: row.participant_picture ?? undefined,
  };
}

type DmEvent = 'dm.received' | 'dm.sent' | 'dm.postback' | 'dm.referral';

const DM_SUMMARIES: Readonly<Record<DmEvent, string>> = Object.freeze({
  'dm.received': 'message from',
  'dm.sent': 'message to',
  'dm.postback': 'button tapped by',
  'dm.referral': 'referral of',
});

/** An event in a conversation; `self` is the account, or one of its pages. */
export function dmEvent(
  account: AccountRow,
  name: DmEvent,
  row: MessageRow,
  thread: Readonly<{
    conversation: ConversationRow;
    self: Person;
    page_id?: string | undefined;
    metadata?: Readonly<Record<string, unknown>>;
    aspect?: Aspect | undefined;
    /** The message's attachments, with URLs for those that need a login. */
    media?: readonly Attachment[] | undefined;
  }>,
): Emitted {
  const { conversation, self, page_id, aspect } = thread;
  const participant = participantOf(conversation);
  const metadata = presentMetadata(thread.metadata ?? row.metadata);
  const base = interaction(account, {
    type: 'dm',
    platform_id: row.platform_id,
    aspect,
    author: row.direction === 'outgoing' ? self : participant,
    text: row.text,
    media: thread.media ?? row.attachments.map(({ type, url = '' }) => ({ type, url })),
    created_at: row.created_at,
    conversation_id: conversation.id,
    page_id,
    metadata,
  });
  const recipient = name === 'dm.sent' ? { recipient: { id: participant.id, name: participant.name } } : {};
  return accountEvent(account, name, {
    data: { ...base, ...recipient },
    resourceId: base.id,
    summary: `${account.platform} ${DM_SUMMARIES[name]} ${from(participant)}`,
  });
}

const reportedFields = ({ code: error_code, message: error_message, ...reported }: LaterFailure) => ({
  error_code,
  error_message,
  ...reported,
});

/** The event for messages of ours that reached a status; `ids` are the platform's. */
export function dmStatus(
  account: AccountRow,
  conversation: Pick<ConversationRow, 'id' | 'participant_id'>,
  reported: Readonly<{
    status: 'sent' | 'delivered' | 'read' | 'failed';
    ids: readonly string[];
    at: number;
    error?: LaterFailure | undefined;
  }>,
): Emitted {
  const { status, ids, at, error } = reported;
  return accountEvent(account, `dm.status.${status}`, {
    data: {
      brand_id: account.brand_id,
      account_id: account.id,
      platform: account.platform,
      conversation_id: conversation.id,
      status,
      mids: ids,
      message_ids: ids,
      recipient_id: conversation.participant_id,
      occurred_at: isoTime(at),
      ...(error && reportedFields(error)),
      metadata: sandboxMark(account),
    },
    resourceId: conversation.id,
    failed: status === 'failed',
    errorMessage: error?.message,
    summary: `${account.platform} message ${status}`,
  });
}
