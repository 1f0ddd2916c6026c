import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** TikTok for Developers, and the API for Business: each has tokens and ids of its own. */
export const PRODUCTS = ['developers', 'business'] as const;
export type Product = (typeof PRODUCTS)[number];

/** What a creator may forbid on their posts. */
export const INTERACTIONS = ['comment', 'duet', 'stitch'] as const;
export const PRIVACY = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] as const;
export type Privacy = (typeof PRIVACY)[number];

export type Creator = Person &
  Readonly<{
    isPrivate?: boolean;
    forbids?: readonly string[];
    longest_s?: number;
    /** When the app last asked what they allow. */
    asked_at?: number;
  }>;

/** How a post is to be. */
export type About = Readonly<{
  kind: 'video' | 'photo';
  title: string;
  text: string;
  privacy: Privacy;
  forbids: readonly string[];
  /** What else was said of it: brands, covers, music. */
  more: Fields;
}>;

/** The one way a file goes up: parts of a size, in order. */
export type Upload = Readonly<{ token: string; total: number; chunk: number; count: number; stored: number }>;

/** Whatever belongs to an account, its `page_id`. */
type Owned = Doc & Readonly<{ page_id: string; deleted_at?: number }>;

/** Something on its way to become a post; its id is the publish id, and `asked` how often its state was asked for. */
export type Publication = Owned &
  Readonly<{ product: Product; isDraft: boolean; about: About; blobs: readonly string[]; upload?: Upload }> &
  Readonly<{ status: Status; reason?: string; post?: string; asked: number }>;
type Status = 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'SEND_TO_USER_INBOX' | 'PUBLISH_COMPLETE' | 'FAILED';

/** A post; everybody may see it from `public_at` on, which never comes for posts that are not for everybody. */
export type Post = Owned &
  Readonly<{ about: About; blobs: readonly string[]; by_app: boolean; public_at?: number | undefined }> &
  Readonly<{ views: number; shares: number; likes: readonly string[]; versions: readonly Version[] }>;

/** A comment on a post of the account; a reply has the comment it answers as `parent_id`. */
export type Comment = Owned &
  Readonly<{ parent_id?: string; post: string; author: string; text: string }> &
  Readonly<{ likes: readonly string[]; status: 'PUBLIC' | 'HIDDEN' }>;

/** Somebody names a business account in a post or a comment of theirs. */
export type Mention = Owned & Readonly<{ kind: 'video' | 'comment'; post: string; comment?: string }>;

/** A conversation of a business account: when the person wrote last, and what the account sent since. */
export type Conversation = Owned &
  Readonly<{ person: string; follows: boolean; written_at?: number; spent: number; answered: boolean }> &
  Readonly<{ referral: Readonly<{ ad: readonly Fields[]; short_link: readonly Fields[] }> }>;

/** What was said in a conversation, its `parent_id`; the body stands below the name of its type in pushes. */
export type Message = Owned &
  Readonly<{ parent_id: string; isOwn: boolean; type: string; body: Fields; source: 'APP' | 'API' }> &
  Readonly<{ quoted?: string | undefined; pressed?: Fields | undefined }>;

/** A picture that a business account has uploaded for its messages. */
type Picture = Owned & Readonly<{ blob: string }>;

/** Where the events of a type go; its id is the type. */
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

/** How TikTok behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** Prefixes of addresses that were verified, with commas between; empty is the app's own origin. */
  verified: '',
  /** The app was never audited: its posts are for their creators alone. */
  unaudited: false,
  access_seconds: 7200,
  refresh_days: 180,
  /** Calls a minute: beginnings of posts and questions of a creator, and of each path of the API for Business. */
  inits_per_minute: 6,
  creator_infos_per_minute: 20,
  states_per_minute: 30,
  business_per_minute: 600,
  /** How many creators the app may post for in 24 hours; none is any number. */
  users_a_day: 0,
  posts_a_day: 15,
  drafts_a_day: 5,
  processing_ms: 2000,
  /** How often the state of a publication still says that it is worked on. */
  polls: 0,
  /** What publications fail with; empty is not at all. */
  publish_failure: '',
  moderation_ms: 60_000,
  /** Ids that are numbers come as texts. */
  text_ids: false,
  /** A part that comes again is refused. */
  upload_refuses_repeats: false,
  /** How many messages an account may send after each of a person's. */
  messages_a_window: 10,
  /** Pictures can be sent in conversations. */
  image_send: true,
  /** The region of everybody who writes: what they say is kept from the app. */
  europe: false,
});
