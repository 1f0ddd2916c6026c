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

/** A user. Premium users can write long posts, and users who were shut out cannot message this one. */
export type User = Person & Readonly<{ username?: string; premium?: boolean; shuts_out?: Ids }>;

/** A customer's app, with its consumer key pair and app token. */
export type App = ClientApp & Readonly<{ consumer_key: string; consumer_secret: string; bearer: string }>;

type Span<T> = Readonly<{ start: number; end: number } & T>;
export type Entities = Readonly<{
  urls?: readonly Span<{ url: string; expanded_url: string; display_url: string; media_key?: string }>[];
  mentions?: readonly Span<{ username: string; id: string }>[];
  hashtags?: readonly Span<{ tag: string }>[];
  cashtags?: readonly Span<{ tag: string }>[];
}>;
/** A text as X shows it: escaped, and with shortened links. */
export type PostText = Readonly<{ text: string; entities: Entities }>;
export type Poll = Readonly<{ options: readonly string[]; minutes: number }>;

/** A post of `page_id`; `parent_id` is the post it replies to. */
export type Post = Doc &
  PostText &
  Readonly<{
    page_id: string;
    parent_id: string;
    root: string;
    /** The text as it was written; `named` are the people it mentions. */
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
    /** The id of the app that created it. */
    client?: string | undefined;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** An upload of `page_id`. Its segments are separate blobs until it is finished. */
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

/** A message from `by` in the conversation `page_id`. */
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

/** The subscription of the webhook `parent_id` to events of `page_id`; `all` is account activity. */
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

/** An ordered error. If `error` is set, it is an error of the login. */
export type OrderedError = Readonly<
  Record<'title' | 'detail' | 'type' | 'reason' | 'error', string> & { status: number; reset: number }
>;

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** Whether the app belongs to a large customer, who may like, quote and reply without being asked. */
  enterprise: false,
  /** Whether replying to an account involves it, as mentioning it does. */
  replies_engage: true,
  /** How many posts an app may read per month. */
  monthly_reads: 3_000_000,
  credits_gone: false,
  /** The largest page of subscriptions. */
  subscriptions_listed: 100,
  /** Whether to use the names that X announced in August 2026: `referenced_posts`, `note_post`. */
  new_names: false,
  /** For how many ms new posts are missing from lists. */
  list_lag_ms: 0,
  processing_ms: 3000,
  processing_fails: false,
});

export function mediaKind(category: string): 'photo' | 'animated_gif' | 'video' {
  if (category.endsWith('_gif')) return 'animated_gif';
  return category.endsWith('_video') ? 'video' : 'photo';
}

/** The key of a file begins with a number for its kind. */
export const mediaKey = ({ id, category }: Pick<Medium, 'id' | 'category'>): string =>
  `${{ photo: 3, animated_gif: 16, video: 13 }[mediaKind(category)]}_${id}`;
