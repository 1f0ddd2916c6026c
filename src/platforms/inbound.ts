import type { AccountCall } from './call.ts';
import type {
  PlatformComment,
  PlatformConversation,
  PlatformMention,
  PlatformMessage,
  PlatformPost,
  PlatformReview,
} from './records.ts';

/** Something that happened on the platform: pushed, polled or listed. */
export type InboundEvent =
  /** `edited`: a known comment has changed; a repeated report without it changes nothing. */
  | Readonly<{ kind: 'comment'; comment: PlatformComment; edited?: true }>
  | Readonly<{ kind: 'comment_gone'; platform_id: string }>
  | Readonly<{ kind: 'comment_hidden'; platform_id: string; hidden: boolean }>
  | Readonly<{ kind: 'mention'; mention: PlatformMention }>
  | Readonly<{ kind: 'review'; review: PlatformReview }>
  | Readonly<{ kind: 'message'; conversation: PlatformConversation; message: PlatformMessage }>
  | Readonly<{ kind: 'message_gone'; platform_id: string }>
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
      status: 'delivered' | 'read';
      conversation: string;
      message_ids?: readonly string[] | undefined;
      watermark?: number | undefined;
      at: number;
    }>
  /** A post that has or may have comments. */
  | Readonly<{ kind: 'post'; post: PlatformPost }>
  /** The person revoked our access. */
  | Readonly<{ kind: 'revoked'; why: string }>
  /** A data-deletion request of the person. */
  | Readonly<{ kind: 'deletion' }>;

/** An event with its account: by the platform user id, or by the id of one of its pages. */
export type PushedEvent = Readonly<{ user?: string | undefined; page?: string | undefined; event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** Below `/push/<slug>`: '' or a path of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/**
 * Inbound webhooks of a platform. All members are pure: no calls to the platform, except in `complete` and `register`.
 */
export type Push = Readonly<{
  /** The response to the platform's verification of the push address; undefined refuses. */
  handshake?(query: Readonly<Record<string, string>>, verifyToken: string): string | undefined;
  /** Whether the request is signed with our app secret; compares in constant time. */
  verify(request: PushRequest, appSecret: string): boolean;
  /** The events of a verified request; invalid parts are omitted. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of our 200 if the platform requires one: JSON, from the URL of a status page and a code. */
  answer?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /**
   * Reads what a push omits (a name, a text). Called once per event that is not stored yet; if it fails, the event is
   * stored as received.
   */
  complete?(call: AccountCall, event: InboundEvent): Promise<InboundEvent>;
  /** Registers our push address with the platform; idempotent. */
  register?(
    call: Omit<AccountCall, 'session'>,
    ask: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
}>;

/** A batch of events; `cursor` is stored with them and passed to the next read. */
export type InboundBatch = Readonly<{ events: readonly InboundEvent[]; cursor: unknown; more: boolean }>;

/**
 * A batch of a poll. The first poll, as a whole or of one part, sets the `baseline`: some of it may be newer than the
 * connection of the account, and later polls skip it.
 */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** Backfill, newest first; emits events only for what is newer than the connection. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** Polling, for a platform that pushes nothing; `cursor` is undefined the first time. */
  poll?: Readonly<{ everyMs: number; read(call: AccountCall, cursor: unknown): Promise<PollBatch> }>;
}>;
