import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** TikTok for Developers and the API for Business have separate tokens and ids. */
export const PRODUCTS = ['developers', 'business'] as const;
export type Product = (typeof PRODUCTS)[number];

/** What a creator may disable on their posts. */
export const INTERACTIONS = ['comment', 'duet', 'stitch'] as const;
export const PRIVACY = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] as const;
export type Privacy = (typeof PRIVACY)[number];

export type Creator = Person &
  Readonly<{
    isPrivate?: boolean;
    forbids?: readonly string[];
    longest_s?: number;
    /** When the app last read the creator info. */
    asked_at?: number;
  }>;

export type About = Readonly<{
  kind: 'video' | 'photo';
  title: string;
  text: string;
  privacy: Privacy;
  forbids: readonly string[];
  /** Other settings: brands, covers, music. */
  more: Fields;
}>;

/** A file upload in ordered chunks. */
export type Upload = Readonly<{ token: string; total: number; chunk: number; count: number; stored: number }>;

type Owned = Doc & Readonly<{ page_id: string; deleted_at?: number }>;

/** A post in progress; its id is the publish id, and `asked` counts status reads. */
export type Publication = Owned &
  Readonly<{ product: Product; isDraft: boolean; about: About; blobs: readonly string[]; upload?: Upload }> &
  Readonly<{ status: Status; reason?: string; post?: string; asked: number }>;
type Status = 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'SEND_TO_USER_INBOX' | 'PUBLISH_COMPLETE' | 'FAILED';

/** A post, public from `public_at` on; never for private ones. */
export type Post = Owned &
  Readonly<{ about: About; blobs: readonly string[]; by_app: boolean; public_at?: number | undefined }> &
  Readonly<{ views: number; shares: number; likes: readonly string[]; versions: readonly Version[] }>;

/** A comment; a reply has the answered comment as `parent_id`. */
export type Comment = Owned &
  Readonly<{ parent_id?: string; post: string; author: string; text: string }> &
  Readonly<{ likes: readonly string[]; status: 'PUBLIC' | 'HIDDEN' }>;

export type Mention = Owned & Readonly<{ kind: 'video' | 'comment'; post: string; comment?: string }>;

/** A conversation: the person's last message, and messages the account sent since. */
export type Conversation = Owned &
  Readonly<{ person: string; follows: boolean; written_at?: number; spent: number; answered: boolean }> &
  Readonly<{ referral: Readonly<{ ad: readonly Fields[]; short_link: readonly Fields[] }> }>;

/** A message of the conversation `parent_id`; pushes name its body by type. */
export type Message = Owned &
  Readonly<{ parent_id: string; isOwn: boolean; type: string; body: Fields; source: 'APP' | 'API' }> &
  Readonly<{ quoted?: string | undefined; pressed?: Fields | undefined }>;

/** An uploaded picture for messages. */
type Picture = Owned & Readonly<{ blob: string }>;

/** Where events of a type, its id, are sent. */
type Callback = Doc & Readonly<{ url: string }>;

export type TikTokDocs = {
  person: Creator;
  publication: Publication;
  post: Post;
  comment: Comment;
  mention: Mention;
  conversation: Conversation;
  message: Message;
  picture: Picture;
  callback: Callback;
  due: Due;
  blob: Blob;
};

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** Verified URL prefixes, comma-separated; empty is the app's own origin. */
  verified: '',
  /** An unaudited app, whose posts are private. */
  unaudited: false,
  access_seconds: 7200,
  refresh_days: 180,
  /** Calls per minute: post beginnings, creator info, and each path of the API for Business. */
  inits_per_minute: 6,
  creator_infos_per_minute: 20,
  states_per_minute: 30,
  business_per_minute: 600,
  /** Creators the app may post for in 24 hours; 0 is unlimited. */
  users_a_day: 0,
  posts_a_day: 15,
  drafts_a_day: 5,
  processing_ms: 2000,
  /** How many status reads still report processing. */
  polls: 0,
  /** The error of publications; empty is none. */
  publish_failure: '',
  moderation_ms: 60_000,
  /** Numeric ids come as text. */
  text_ids: false,
  /** A repeated chunk is refused. */
  upload_refuses_repeats: false,
  /** Messages an account may send after each of a person's. */
  messages_a_window: 10,
  /** Pictures can be sent in conversations. */
  image_send: true,
  /** People write from a region whose content is kept from the app. */
  europe: false,
});
