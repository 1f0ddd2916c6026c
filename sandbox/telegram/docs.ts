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
    /** The token's part after the colon; the part before is the id. */
    secret: string;
    owner: string;
    webhook?: Webhook | undefined;
    /** By default all but opt-in ones. */
    allowed_updates?: readonly string[];
    next_update: number;
    last_error?: Readonly<{ date: number; message: string }> | undefined;
  }>;

export type Member = Readonly<{ status: 'creator' | 'administrator' | 'member' | 'left' | 'kicked' }>;

export type ChatKind = 'private' | 'group' | 'supergroup' | 'channel';

/** A chat; a bot's private chat is identified by both sides. */
export type Chat = Doc &
  Readonly<{
    type: ChatKind;
    title?: string;
    username?: string;
    /** A channel's discussion group, or a group's channel. */
    linked?: string;
    members: Readonly<Record<string, Member>>;
    next: number;
    migrated_to?: string;
    /** For a private chat: the person blocked the bot. */
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
    /** A person or bot; absent for channel posts. */
    from?: string | undefined;
    /** The channel or group as the author. */
    sender_chat?: string;
    text: string;
    entities: readonly Entity[];
    media?: Media | undefined;
    group?: string | undefined;
    reply_to?: number | undefined;
    /** The first message of its thread. */
    thread?: number | undefined;
    markup?: unknown;
    /** A channel post forwarded automatically to the discussion group. */
    forwarded?: Readonly<{ chat: string; n: number; at: number }>;
    /** Shared content besides text and files, by its member. */
    shared?: Readonly<Record<string, unknown>> | undefined;
    service?: Readonly<Record<string, unknown>>;
    reactions?: Readonly<Record<string, string>>;
    edited_at?: number;
    deleted_at?: number;
  }>;

type Update = Doc & Readonly<{ page_id: string; n: number; body: Readonly<Record<string, unknown>> }>;

/** A pressed button waiting for an answer. */
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
  /** Messages per bot, chat and minute; 0 is unlimited. */
  messages_per_minute: 0,
});
