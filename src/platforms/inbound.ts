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

/** What may have several ids on the platform. */
export type AliasedThing = 'post' | 'conversation' | 'person';

/** Something that happened on the platform: pushed, polled or listed. */
export type InboundEvent =
  /** `edited`: a known comment has changed; a repeated report without it changes nothing. */
  | Readonly<{ kind: 'comment'; comment: PlatformComment; edited?: true }>
  | Readonly<{ kind: 'comment_gone'; platform_id: string }>
  | Readonly<{ kind: 'comment_hidden'; platform_id: string; hidden: boolean }>
  | Readonly<{ kind: 'mention'; mention: PlatformMention }>
  /** `edited`: an older review may have changed, which emits no event even if it is not stored yet. */
  | Readonly<{ kind: 'review'; review: PlatformReview; edited?: true }>
  /** A review that a push only names: `complete` reads it, and the push is retried until that succeeds. */
  | Readonly<{ kind: 'review_named'; platform_id: string; edited?: true }>
  | Readonly<{ kind: 'message'; conversation: PlatformConversation; message: PlatformMessage }>
  | Readonly<{ kind: 'message_gone'; platform_id: string }>
  /** A message that its author edited at `at` (milliseconds); absent attachments stay. Emits no event. */
  | Readonly<{
      kind: 'message_edited';
      platform_id: string;
      content: Pick<MessageContent, 'text' | 'metadata'> & Partial<Pick<MessageContent, 'attachments'>>;
      at: number;
    }>
  /** The reactions of somebody to a message from `at` on; `by` defaults to the sender's side. Emits no event. */
  | Readonly<{
      kind: 'reaction';
      conversation: string;
      message: string;
      direction: PlatformMessage['direction'];
      by?: Person | undefined;
      emojis: readonly string[];
      /** Absent if the platform does not say when: then it is newer than what is known. */
      at?: number | undefined;
    }>
  /** A notice in a known conversation, such as a joined member; emits no event and makes nothing unread. */
  | Readonly<{
      kind: 'notice';
      conversation: string;
      platform_id: string;
      text: string;
      notice: Readonly<{ type: string }> & Readonly<Record<string, unknown>>;
      /** New data that the connector needs to send into the conversation. */
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
      /** `sent`: accepted, reported only by correlation id; `failed`: accepted but not delivered, by id only. */
      status: 'sent' | 'delivered' | 'read' | 'failed';
      conversation: string;
      message_ids?: readonly string[] | undefined;
      watermark?: number | undefined;
      /** Settles the send whose answer was lost, if the platform returns it. */
      correlation_id?: string | undefined;
      /** Why it failed, and the platform's own details. */
      error?: LaterFailure | undefined;
      at: number;
    }>
  /** A post that has or may have comments. */
  | Readonly<{ kind: 'post'; post: PlatformPost }>
  /** A post that was published as `was` is now known by its final id; emits no event. */
  | Readonly<{ kind: 'post_named'; was: string; platform_id: string; permalink?: string | undefined }>
  /** `alias` is another id of what is now called `platform_id`; emits no event. */
  | Readonly<{ kind: 'alias'; thing: AliasedThing; platform_id: string; alias: string }>
  | Readonly<{ kind: 'revoked'; why: string }>
  | Readonly<{ kind: 'deletion' }>;

/** A page, by the platform's id, or another part, by name, that the platform refused to show. */
export type SkippedPage = Readonly<{ page: string; error: PlatformError }>;

/** A batch of events; `cursor` is stored with them for the next read. Refused pages are skipped. */
export type InboundBatch = Readonly<{
  events: readonly InboundEvent[];
  cursor: unknown;
  more: boolean;
  skipped?: readonly SkippedPage[];
}>;

/** A polled batch. The first poll sets the `baseline`, which may be partly new; later polls skip it. */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** Backfill, newest first; emits events only for what is newer than the connection. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** Polling, for what is not pushed; `cursor` is undefined the first time. */
  poll?: Readonly<{
    everyMs: number;
    /** `unpushed`: pauses while the account is subscribed to pushes, after one last poll. */
    when?: 'unpushed';
    /** The approximate cost of a poll; polls slow down as less quota is left. */
    cost?: Cost;
    /** `isPushed`: the account is subscribed to pushes. */
    read(call: AccountCall, cursor: unknown, now?: Readonly<{ isPushed: boolean }>): Promise<PollBatch>;
  }>;
}>;
