import type { ErrorCode } from '#kernel/errors.ts';
import type { AccountCall } from './call.ts';
import type { MediaKind, OutgoingMedia } from './media.ts';
import type { PlatformConversation } from './inbox-types.ts';
import type { Sending, TextRule } from './sending.ts';

export type SentMessage = Readonly<{
  message_id: string;
  /** The conversation, if the caller cannot know it. */
  conversation?: PlatformConversation | undefined;
  created_at?: number | undefined;
}>;

export type MessageButton = Readonly<{
  type: 'url' | 'postback';
  title: string;
  payload?: string | undefined;
  url?: string | undefined;
}>;

/** One message as the recipient sees it. */
export type Bubble =
  | Readonly<{
      kind: 'text';
      text: string;
      buttons?: readonly MessageButton[] | undefined;
      quick_replies?: readonly Readonly<{ title: string; payload?: string | undefined }>[] | undefined;
      list?: MessageList | undefined;
      reply_to?: string | undefined;
    }>
  | Readonly<{
      kind: 'attachment';
      type: MediaKind;
      /** `open(media.ref)` reads the bytes; absent if the attachment is given by an id of the platform. */
      media?: OutgoingMedia | undefined;
      /** The public URL, if the attachment is given by one. */
      url?: string | undefined;
      platform_attachment_id?: string | undefined;
      caption?: string | undefined;
      voice?: boolean | undefined;
      reply_to?: string | undefined;
    }>
  | Readonly<{
      kind: 'cards';
      cards: readonly Readonly<{
        title: string;
        subtitle?: string | undefined;
        image_url?: string | undefined;
        buttons?: readonly MessageButton[] | undefined;
      }>[];
      reply_to?: string | undefined;
    }>;

type MessageList = Readonly<{
  button: string;
  sections: readonly Readonly<{
    title?: string | undefined;
    rows: readonly Readonly<{ id: string; title: string; description?: string | undefined }>[];
  }>[];
}>;

/** How long after a person's last message they may be written to. */
type MessageWindow = Readonly<{
  ms: number;
  /** The platform's own error code for messages after the window, if it has one. */
  code?: ErrorCode;
  /** The operation that reaches people after the window, by `account_id` and `to`. */
  later?: 'send_whatsapp_template';
}>;

/** The message parts that a platform supports; any other part is rejected with 501 before sending. */
export type MessageParts = Readonly<{
  text: TextRule;
  attachments?: Readonly<{
    kinds: readonly MediaKind[];
    sources: readonly ('media_id' | 'url' | 'platform_attachment_id')[];
    max_bytes: number;
    /** The limit for images, if it is lower. */
    max_image_bytes?: number;
    /** The platform itself fetches attachments, from any URL. */
    pulls?: true;
    /** `bubble`: a caption is sent as a separate message, right after the attachment. */
    captions?: true | 'bubble';
    voice?: true;
  }>;
  buttons?: Readonly<{
    types: readonly ('url' | 'postback')[];
    text_max: number;
    /** The payloads of all buttons must be different. */
    unique_payloads?: true;
  }>;
  cards?: Readonly<{ max: number }>;
  quick_replies?: Readonly<{ max: number }>;
  lists?: true;
  reply_to?: true;
  /** If absent, people may be written to at any time. */
  window?: MessageWindow;
  /** Tags that extend the window, with its length in milliseconds; if absent, tags are ignored. */
  tags?: Readonly<Record<string, number>>;
}>;

export type BubbleRequest = Readonly<{
  conversation: PlatformConversation;
  bubble: Bubble;
  tag?: string | undefined;
}>;

/** Where to download an attachment; URL and headers may contain tokens, so they never leave the server. */
export type AttachmentLocation = Readonly<{
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The type, if the platform knows it better than the host of the file. */
  content_type?: string | undefined;
  filename?: string | undefined;
}>;

export type Messages = Readonly<{
  parts: MessageParts;
  bubble: Sending<BubbleRequest, SentMessage>;
  /** Finds the location of an attachment by its `ref`; throws not_found for a deleted one. */
  locate?(call: AccountCall, ref: string): Promise<AttachmentLocation>;
  /** Tries to send a read receipt; `newest` is the platform's id of the person's newest stored message. */
  seen?(call: AccountCall, conversation: PlatformConversation, newest?: string): Promise<void>;
}>;
