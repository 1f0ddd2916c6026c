import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import type { Entity } from './text/entities.ts';

/** Where the updates of a bot are pushed to. */
export type Webhook = Readonly<{ url: string; secret_token?: string; max_connections: number }>;

export type Bot = Doc &
  Readonly<{
    username: string;
    name: string;
    /** The part of the token behind the colon; the part before it is the id. */
    secret: string;
    owner: string;
    webhook?: Webhook | undefined;
    /** Absent: all but those that have to be asked for. */
    allowed_updates?: readonly string[];
    /** The id of its next update. */
    next_update: number;
    last_error?: Readonly<{ date: number; message: string }> | undefined;
  }>;

export type Member = Readonly<{ status: 'creator' | 'administrator' | 'member' | 'left' | 'kicked' }>;

export type ChatKind = 'private' | 'group' | 'supergroup' | 'channel';

/** A chat; that of a bot with a person is known by both. */
export type Chat = Doc &
  Readonly<{
    type: ChatKind;
    title?: string;
    username?: string;
    /** The discussion group of a channel, or the channel of a discussion group. */
    linked?: string;
    members: Readonly<Record<string, Member>>;
    /** The number of its next message. */
    next: number;
    migrated_to?: string;
    /** Of a private chat: the person has blocked the bot. */
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

/** A message; `page_id` is its chat, `n` its number there. */
export type Message = Doc &
  Readonly<{
    page_id: string;
    n: number;
    /** A person or a bot; what a channel says is said by nobody. */
    from?: string | undefined;
    /** The channel or group that speaks. */
    sender_chat?: string;
    text: string;
    entities: readonly Entity[];
    media?: Media | undefined;
    group?: string | undefined;
    reply_to?: number | undefined;
    /** The first message of the thread that it belongs to. */
    thread?: number | undefined;
    markup?: unknown;
    /** A channel post that was forwarded to the discussion group by itself. */
    forwarded?: Readonly<{ chat: string; n: number; at: number }>;
    /** What somebody shares that is neither text nor a file, by the member that holds it. */
    shared?: Readonly<Record<string, unknown>> | undefined;
    /** What Telegram says in a chat. */
    service?: Readonly<Record<string, unknown>>;
    reactions?: Readonly<Record<string, string>>;
    edited_at?: number;
    deleted_at?: number;
  }>;

/** Something that happened and waits for a bot, which is its `page_id`. */
export type Update = Doc & Readonly<{ page_id: string; n: number; body: Readonly<Record<string, unknown>> }>;

/** A pressed button that waits to be answered. */
export type Callback = Doc & Readonly<{ page_id: string; answered?: string }>;

export type TelegramDocs = {
  person: Person;
  bot: Bot;
  chat: Chat;
  message: Message;
  update: Update;
  callback: Callback;
  blob: Blob;
};

/** An error that a test has ordered. */
export type OrderedError = Readonly<{ status: number; description: string; retry_after?: number }>;

/** How Telegram behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** How many messages a bot may send into one chat in a minute; 0 is any number. */
  messages_per_minute: 0,
});
