import type { Usage } from '../kit/api/usage.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Blob } from '../kit/files.ts';
import type { ClientApp } from '../kit/oauth/clients.ts';
import type { Person, Version } from '../kit/people.ts';
import type { Webhook } from '../kit/push/hooks.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;
type Ids = readonly string[];

/** Somebody with a user name; who has Premium may write long posts, and those they shut out do not write to them. */
export type User = Person & Readonly<{ username?: string; premium?: boolean; shuts_out?: Ids }>;

/** An app of a customer, with the consumer pair and the token it has for itself. */
export type App = ClientApp & Readonly<{ consumer_key: string; consumer_secret: string; bearer: string }>;

type Span<T> = Readonly<{ start: number; end: number } & T>;
export type Entities = Readonly<{
  urls?: readonly Span<{ url: string; expanded_url: string; display_url: string; media_key?: string }>[];
  mentions?: readonly Span<{ username: string; id: string }>[];
  hashtags?: readonly Span<{ tag: string }>[];
  cashtags?: readonly Span<{ tag: string }>[];
}>;
/** A text as X shows it: escaped, and with short links. */
export type PostText = Readonly<{ text: string; entities: Entities }>;
export type Poll = Readonly<{ options: readonly string[]; minutes: number }>;

/** A post of `page_id`; `parent_id` is what it answers. */
export type Post = Doc &
  PostText &
  Readonly<{
    page_id: string;
    parent_id: string;
    /** The first post of the conversation. */
    root: string;
    /** As it was written, and whom that names. */
    words: string;
    named: Ids;
    media: Ids;
    poll?: Poll | undefined;
    quoted?: string | undefined;
    reply_settings: string;
    likes: Ids;
    reposts: Ids;
    quotes: number;
    views: number;
    is_hidden: boolean;
    /** The app it was made with. */
    client?: string | undefined;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** A file of `page_id` on its way into posts and messages; its segments are blobs until it is one. */
export type Medium = Doc &
  Readonly<{
    page_id: string;
    category: string;
    mime: string;
    total: number;
    segments: Readonly<Record<string, string>>;
    blob?: string;
    ready_at?: number;
    fails?: boolean;
    alt?: string;
  }>;

/** What `by` says in the conversation `page_id`. */
export type Message = Doc &
  PostText &
  Readonly<{
    page_id: string;
    by: string;
    participants: Ids;
    media?: string | undefined;
    read?: boolean;
    deleted_at?: number;
  }>;

/** An event of the account `page_id` that goes to the webhook `parent_id`; `all` is the older account activity. */
export type Subscription = Doc &
  Readonly<{ page_id: string; parent_id: string; event: string; client: string; tag?: string | undefined }>;

export type TwitterDocs = {
  person: User;
  app: App;
  post: Post;
  medium: Medium;
  message: Message;
  webhook: Webhook;
  subscription: Subscription;
  usage: Usage;
  due: Due;
  blob: Blob;
};

/** An error that a test has ordered; with `error` it is one of the log-in. */
export type OrderedError = Readonly<
  Record<'title' | 'detail' | 'type' | 'reason' | 'error', string> & { status: number; reset: number }
>;

/** How X behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** Likes, quotes and answers to anybody are for large customers alone. */
  enterprise: false,
  /** Who answers an account has engaged it, as if they had named it. */
  replies_engage: true,
  /** The posts that an app may read in a month. */
  monthly_reads: 3_000_000,
  credits_gone: false,
  /** How many subscriptions a page lists at most. */
  subscriptions_listed: 100,
  /** Answers use the names of X's description of August 2026: `referenced_posts`, `note_post`. */
  new_names: false,
  /** How long after they are made posts are found in lists. */
  list_lag_ms: 0,
  processing_ms: 3000,
  processing_fails: false,
});

/** The kind of a file as posts show it. */
export function mediaKind(category: string): 'photo' | 'animated_gif' | 'video' {
  if (category.endsWith('_gif')) return 'animated_gif';
  return category.endsWith('_video') ? 'video' : 'photo';
}

/** Keys of files begin with a number for their kind. */
export const mediaKey = ({ id, category }: Pick<Medium, 'id' | 'category'>): string =>
  `${{ photo: 3, animated_gif: 16, video: 13 }[mediaKind(category)]}_${id}`;
