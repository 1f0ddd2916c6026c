import type { AccountCall } from './call.ts';
import type {
  PlatformComment,
  PlatformConversation,
  PlatformMention,
  PlatformMessage,
  PlatformPost,
  PlatformReview,
} from './records.ts';

/** Something that happened on the platform, however we came to know of it. */
export type InboundEvent =
  /** `edited`: a comment that was there before has changed; one that is told again without it changes nothing. */
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
  /** The person took our access back. */
  | Readonly<{ kind: 'revoked'; why: string }>
  /** The person demands that what we hold of them is deleted. */
  | Readonly<{ kind: 'deletion' }>;

/** A fact with whom it is about: an account by its platform user id, or by one of its pages. */
export type PushedEvent = Readonly<{ user?: string | undefined; page?: string | undefined; event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** Below `/push/<slug>`: '' or a path of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}>;

/** Inbound webhooks of a platform. All of it is pure: nothing here may call out. */
export type Push = Readonly<{
  /** What to answer when the platform asks whether the address is ours; undefined refuses. */
  handshake?(query: Readonly<Record<string, string>>, verifyToken: string): string | undefined;
  /** True when the platform signed this request with the secret of our app; compared in constant time. */
  verify(request: PushRequest, appSecret: string): boolean;
  /** What a verified request tells; parts that cannot be read are left out. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of our 200 where the platform wants one: JSON, out of the address of a status page and a code. */
  answer?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /**
   * Asks the platform for what a push leaves out (a name, a text). Called once per fact that is not stored yet;
   * when it fails the fact is stored as it came.
   */
  complete?(call: AccountCall, event: InboundEvent): Promise<InboundEvent>;
  /** Tells the platform where to push for this app; repeated calls change nothing. */
  register?(
    call: Omit<AccountCall, 'session'>,
    ask: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
}>;

/** A stretch of what happened; `cursor` is stored with the facts and given back next time. */
export type InboundBatch = Readonly<{ events: readonly InboundEvent[]; cursor: unknown; more: boolean }>;

/**
 * News. A reading that begins, as a whole or in one part, tells apart what it met where it begins: some of it may have
 * come after the account was connected, and later readings pass over it.
 */
export type PollBatch = InboundBatch & Readonly<{ baseline?: readonly InboundEvent[] }>;

export type Inbox = Readonly<{
  /** What was there before the account was connected, newest first; of its facts only younger ones make events. */
  history?(call: AccountCall, cursor: unknown): Promise<InboundBatch>;
  /** News of a platform that pushes nothing; `cursor` is undefined the first time. */
  poll?: Readonly<{ everyMs: number; read(call: AccountCall, cursor: unknown): Promise<PollBatch> }>;
}>;
