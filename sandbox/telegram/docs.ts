import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import type { Entity } from './text/entities.ts';

export type Webhook = Readonly<{ url: string; secret_token?: string; max_connections: number }>;

export type Bot = Doc &
  Readonly<{
    username: string;
    name: string;
    /** The part of the token after the colon; the part before it is the id. */
    secret: string;
    owner: string;
    webhook?: Webhook | undefined;
    /** By default all updates except those that need opting in. */
    allowed_updates?: readonly string[];
    next_update: number;
    last_error?: Readonly<{ date: number; message: string }> | undefined;
  }>;

export type Member = Readonly<{ status: 'creator' | 'administrator' | 'member' | 'left' | 'kicked' }>;

export type ChatKind = 'private' | 'group' | 'supergroup' | 'channel';

/** A chat. The id of a private chat with a bot is made from both sides. */
export type Chat = Doc &
  Readonly<{
    type: ChatKind;
    title?: string;
    username?: string;
    /** The discussion group of a channel, or the channel of a group. */
    linked?: string;
    members: Readonly<Record<string, Member>>;
    next: number;
    migrated_to?: string;
    /** For a private chat: whether the person has blocked the bot. */
    is_blocked?: boolean;
  }>;

export type Media = Readonly<{
  kind: 'photo' | 'video' | 'animation' | 'video_note' | 'audio' | 'voice' | 'document' | 'sticker';
  blob: string;
  mime: string;
  size: number;
  name: string;
  width?: number | undefined;
  height?: number | undefined;
  duration?: number | undefined;
}>;

export type Message = Doc &
  Readonly<{
    page_id: string;
    n: number;
    /** A person or bot; undefined for posts of a channel. */
    from?: string | undefined;
    /** The channel or group, if it is the author. */
    sender_chat?: string;
    text: string;
    entities: readonly Entity[];
    media?: Media | undefined;
    group?: string | undefined;
    reply_to?: number | undefined;
    /** The number of the first message in its thread. */
    thread?: number | undefined;
    markup?: unknown;
    /** The channel post of which this is the automatic copy in the discussion group. */
    forwarded?: Readonly<{ chat: string; n: number; at: number }>;
    /** Content other than text and files, under the name of its field. */
    shared?: Readonly<Record<string, unknown>> | undefined;
    service?: Readonly<Record<string, unknown>>;
    reactions?: Readonly<Record<string, string>>;
    edited_at?: number;
    deleted_at?: number;
  }>;

type Update = Doc & Readonly<{ page_id: string; n: number; body: Readonly<Record<string, unknown>> }>;

/** A button that was pressed and waits for an answer. */
type Callback = Doc & Readonly<{ page_id: string; answered?: string }>;

export type TelegramDocs = {
  person: Person;
  bot: Bot;
  chat: Chat;
  message: Message;
  update: Update;
  callback: Callback;
  blob: Blob;
};

export type OrderedError = Readonly<{ status: number; description: string; retry_after?: number }>;

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** How many messages a bot may send to a chat per minute; 0 is unlimited. */
  messages_per_minute: 0,
});
