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

/** Objects that may have several ids on the platform. */
export type AliasedThing = 'post' | 'conversation' | 'person';

/** Something that happened on the platform and was pushed, polled or listed. */
export type InboundEvent =
  /** With `edited`, a stored comment is changed; otherwise a repeated event changes nothing. */
  | Readonly<{ kind: 'comment'; comment: PlatformComment; edited?: true }>
  | Readonly<{ kind: 'comment_gone'; platform_id: string }>
  | Readonly<{ kind: 'comment_hidden'; platform_id: string; hidden: boolean }>
  | Readonly<{ kind: 'mention'; mention: PlatformMention }>
  /** With `edited`, an older review may have changed: no event is emitted even if it is not stored yet. */
  | Readonly<{ kind: 'review'; review: PlatformReview; edited?: true }>
  /** A review of which a push has only the id; `complete` reads it, and the push is retried until that succeeds. */
  | Readonly<{ kind: 'review_named'; platform_id: string; edited?: true }>
  | Readonly<{ kind: 'message'; conversation: PlatformConversation; message: PlatformMessage }>
  | Readonly<{ kind: 'message_gone'; platform_id: string }>
  /** A message edited at `at` (milliseconds); without attachments the stored ones stay. Emits no event. */
  | Readonly<{
      kind: 'message_edited';
      platform_id: string;
      content: Pick<MessageContent, 'text' | 'metadata'> & Partial<Pick<MessageContent, 'attachments'>>;
      at: number;
    }>
  /** A person's reactions to a message; without `by`, `direction` says which side reacted. Emits no event. */
  | Readonly<{
      kind: 'reaction';
      conversation: string;
      message: string;
      direction: PlatformMessage['direction'];
      by?: Person | undefined;
      emojis: readonly string[];
      /** Absent if the platform does not report it; the reaction then counts as newer than stored ones. */
      at?: number | undefined;
    }>
  /** A notice in a known conversation, such as a new member; emits no event and marks nothing unread. */
  | Readonly<{
      kind: 'notice';
      conversation: string;
      platform_id: string;
      text: string;
      notice: Readonly<{ type: string }> & Readonly<Record<string, unknown>>;
      /** New data that the connector needs for sending to the conversation. */
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
      /** The members that are known of `{ad_id, source, type, ref, ads_context_data}`. */
      referral: Readonly<Record<string, unknown>>;
      at: number;
    }>
  /** The delivery status of sent messages, given by id or as all up to `watermark` (milliseconds). */
  | Readonly<{
      kind: 'receipt';
      /** `sent` (accepted) comes only with a correlation id, `failed` (not delivered after all) only with ids. */
      status: 'sent' | 'delivered' | 'read' | 'failed';
      conversation: string;
      message_ids?: readonly string[] | undefined;
      watermark?: number | undefined;
      /** Identifies a send whose response was lost, if the platform returns it. */
      correlation_id?: string | undefined;
      /** Why the message failed, with the platform's own details. */
      error?: LaterFailure | undefined;
      at: number;
    }>
  /** A post that has or may have comments. */
  | Readonly<{ kind: 'post'; post: PlatformPost }>
  /** A post published under the id `was` now has its final id; emits no event. */
  | Readonly<{ kind: 'post_named'; was: string; platform_id: string; permalink?: string | undefined }>
  /** `alias` is a further id of the object known as `platform_id`; emits no event. */
  | Readonly<{ kind: 'alias'; thing: AliasedThing; platform_id: string; alias: string }>
  | Readonly<{ kind: 'revoked'; why: string }>
  | Readonly<{ kind: 'deletion' }>;

/** A page (by the platform's id) or another part (by name) that the platform refused to show. */
export type SkippedPage = Readonly<{ page: string; error: PlatformError }>;

/** A batch of events; `cursor` is stored together with them for the next read. Refused pages are skipped. */
export type InboundBatch = Readonly<{
  events: readonly InboundEvent[];
  cursor: unknown;
  more: boolean;
  skipped?: readonly SkippedPage[];
}>;

/** The first poll returns existing items as the `baseline`, of which some may be new; later polls do not. */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** Reads existing items, newest first; only those newer than the connection emit events. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** Polls for what is not pushed; `cursor` is undefined the first time. */
  poll?: Readonly<{
    everyMs: number;
    /** `unpushed`: after one last poll, polling pauses while the account is subscribed to pushes. */
    when?: 'unpushed';
    /** The approximate cost of a poll; polls slow down as less quota is left. */
    cost?: Cost;
    /** `isPushed` is true while the account is subscribed to pushes. */
    read(call: AccountCall, cursor: unknown, now?: Readonly<{ isPushed: boolean }>): Promise<PollBatch>;
  }>;
}>;
