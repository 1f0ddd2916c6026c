import type { AccountCall } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { Cost } from './app/quotas.ts';
import type { LaterFailure } from './refusal.ts';
import type {
  MessageContent,
  Person,
  PlatformComment,
  PlatformConversation,
  PlatformMention,
  PlatformMessage,
  PlatformPost,
  PlatformReview,
} from './inbox-types.ts';

/** What a platform may call by several ids. */
export type AliasedThing = 'post' | 'conversation' | 'person';

/** Something that happened on the platform: pushed, polled or listed. */
export type InboundEvent =
  /** `edited`: a known comment has changed; a repeated report without it changes nothing. */
  | Readonly<{ kind: 'comment'; comment: PlatformComment; edited?: true }>
  | Readonly<{ kind: 'comment_gone'; platform_id: string }>
  | Readonly<{ kind: 'comment_hidden'; platform_id: string; hidden: boolean }>
  | Readonly<{ kind: 'mention'; mention: PlatformMention }>
  /** `edited`: one from before the connection may have changed, which emits no event even if it is not stored yet. */
  | Readonly<{ kind: 'review'; review: PlatformReview; edited?: true }>
  /** A review that a push only names: `complete` reads it, and the push is tried again until it can be read. */
  | Readonly<{ kind: 'review_named'; platform_id: string; edited?: true }>
  | Readonly<{ kind: 'message'; conversation: PlatformConversation; message: PlatformMessage }>
  | Readonly<{ kind: 'message_gone'; platform_id: string }>
  /** A message that its author corrected at `at` (milliseconds); attachments that are absent stay. Emits no event. */
  | Readonly<{
      kind: 'message_edited';
      platform_id: string;
      content: Pick<MessageContent, 'text' | 'metadata'> & Partial<Pick<MessageContent, 'attachments'>>;
      at: number;
    }>
  /**
   * How somebody reacts to a message from `at` on: by these emojis, or by none any more. Absent, `by` is the account or
   * the participant of the conversation, by the direction. Emits no event.
   */
  | Readonly<{
      kind: 'reaction';
      conversation: string;
      message: string;
      direction: PlatformMessage['direction'];
      by?: Person | undefined;
      emojis: readonly string[];
      /** Absent where the platform does not say when: then it is newer than what is known. */
      at?: number | undefined;
    }>
  /**
   * Something that the platform says in a conversation, as that somebody joined it; `notice` names what it is. Stored
   * where the conversation is known; emits no event and makes nothing unread.
   */
  | Readonly<{
      kind: 'notice';
      conversation: string;
      platform_id: string;
      text: string;
      notice: Readonly<{ type: string }> & Readonly<Record<string, unknown>>;
      /** What the connector needs to send into the conversation from now on, where that has changed. */
      sends?: PlatformConversation['metadata'];
      at: number;
    }>
  | Readonly<{
      kind: 'postback';
      conversation: PlatformConversation;
      platform_id: string;
      title: string;
      payload: string;
      metadata?: Readonly<Record<string, unknown>>;
      at: number;
    }>
  | Readonly<{
      kind: 'referral';
      conversation: PlatformConversation;
      platform_id: string;
      /** `{ad_id, source, type, ref, ads_context_data}` as far as known. */
      referral: Readonly<Record<string, unknown>>;
      at: number;
    }>
  /** Messages of ours, by id or all up to an instant (milliseconds). */
  | Readonly<{
      kind: 'receipt';
      /**
       * `sent`: the platform accepted a message, which only its correlation id makes worth reporting. `failed`: it
       * accepted a message and could not deliver it; by id alone.
       */
      status: 'sent' | 'delivered' | 'read' | 'failed';
      conversation: string;
      message_ids?: readonly string[] | undefined;
      watermark?: number | undefined;
      /** Of the one message it is about, where the platform returns it: settles a send whose answer was lost. */
      correlation_id?: string | undefined;
      /** Why it failed, and what the platform says of that. */
      error?: LaterFailure | undefined;
      at: number;
    }>
  /** A post that has or may have comments. */
  | Readonly<{ kind: 'post'; post: PlatformPost }>
  /** A post of ours that was published as `was` has got the id it is known by from now on; emits no event. */
  | Readonly<{ kind: 'post_named'; was: string; platform_id: string; permalink?: string | undefined }>
  /** `alias` is another id of what is called `platform_id` from now on; emits no event. */
  | Readonly<{ kind: 'alias'; thing: AliasedThing; platform_id: string; alias: string }>
  /** The person revoked our access. */
  | Readonly<{ kind: 'revoked'; why: string }>
  /** A data-deletion request of the person. */
  | Readonly<{ kind: 'deletion' }>;

/** A page of an account, by the platform's id, or another part of it, by its name, that the platform refused to show. */
export type SkippedPage = Readonly<{ page: string; error: PlatformError }>;

/**
 * A batch of events; `cursor` is stored with them and passed to the next read. A page that refuses is skipped, so that
 * it keeps no other one waiting.
 */
export type InboundBatch = Readonly<{
  events: readonly InboundEvent[];
  cursor: unknown;
  more: boolean;
  skipped?: readonly SkippedPage[];
}>;

/**
 * A batch of a poll. The first poll, as a whole or of one part, sets the `baseline`: some of it may be newer than the
 * connection of the account, and later polls skip it.
 */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** Backfill, newest first; emits events only for what is newer than the connection. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** Polling, for what is not pushed; `cursor` is undefined the first time. */
  poll?: Readonly<{
    everyMs: number;
    /** `unpushed`: pauses while the account is subscribed to pushes, after one last poll. */
    when?: 'unpushed';
    /** About what one poll of an account uses of a quota; polls come less often as less of it is left. */
    cost?: Cost;
    /** `isPushed`: the account is subscribed to pushes. */
    read(call: AccountCall, cursor: unknown, now?: Readonly<{ isPushed: boolean }>): Promise<PollBatch>;
  }>;
}>;
