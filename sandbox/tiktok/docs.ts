import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** TikTok for Developers and the API for Business, which have separate tokens and ids. */
export const PRODUCTS = ['developers', 'business'] as const;
export type Product = (typeof PRODUCTS)[number];

/** What creators can disable for their posts. */
export const INTERACTIONS = ['comment', 'duet', 'stitch'] as const;
export const PRIVACY = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] as const;
export type Privacy = (typeof PRIVACY)[number];

export type Creator = Person &
  Readonly<{
    isPrivate?: boolean;
    forbids?: readonly string[];
    longest_s?: number;
    /** When the app last requested the creator info. */
    asked_at?: number;
  }>;

export type About = Readonly<{
  kind: 'video' | 'photo';
  title: string;
  text: string;
  privacy: Privacy;
  forbids: readonly string[];
  /** Other settings, such as brands, covers and music. */
  more: Fields;
}>;

/** A file that is uploaded in ordered chunks. */
export type Upload = Readonly<{ token: string; total: number; chunk: number; count: number; stored: number }>;

type Owned = Doc & Readonly<{ page_id: string; deleted_at?: number }>;

/** A post that is being published. The id is the publish id; `asked` counts reads of the status. */
export type Publication = Owned &
  Readonly<{ product: Product; isDraft: boolean; about: About; blobs: readonly string[]; upload?: Upload }> &
  Readonly<{ status: Status; reason?: string; post?: string; asked: number }>;
type Status = 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'SEND_TO_USER_INBOX' | 'PUBLISH_COMPLETE' | 'FAILED';

/** A post. It is public from `public_at` on; private posts have none. */
export type Post = Owned &
  Readonly<{ about: About; blobs: readonly string[]; by_app: boolean; public_at?: number | undefined }> &
  Readonly<{ views: number; shares: number; likes: readonly string[]; versions: readonly Version[] }>;

/** A comment. For a reply, `parent_id` is the comment it replies to. */
export type Comment = Owned &
  Readonly<{ parent_id?: string; post: string; author: string; text: string }> &
  Readonly<{ likes: readonly string[]; status: 'PUBLIC' | 'HIDDEN' }>;

export type Mention = Owned & Readonly<{ kind: 'video' | 'comment'; post: string; comment?: string }>;

/** A conversation: when the person last wrote, and how many messages the account has sent since. */
export type Conversation = Owned &
  Readonly<{ person: string; follows: boolean; written_at?: number; spent: number; answered: boolean }> &
  Readonly<{ referral: Readonly<{ ad: readonly Fields[]; short_link: readonly Fields[] }> }>;

/** A message of the conversation `parent_id`. Pushes call its body by the name of its type. */
export type Message = Owned &
  Readonly<{ parent_id: string; isOwn: boolean; type: string; body: Fields; source: 'APP' | 'API' }> &
  Readonly<{ quoted?: string | undefined; pressed?: Fields | undefined }>;

/** A picture that was uploaded for messages. */
type Picture = Owned & Readonly<{ blob: string }>;

/** Where events of one type are sent; the id is the type. */
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
  /** Verified URL prefixes, separated by commas. If empty, the app's own origin is verified. */
  verified: '',
  /** Whether the app is unaudited, which makes its posts private. */
  unaudited: false,
  access_seconds: 7200,
  refresh_days: 180,
  /** Limits per minute: started posts, reads of creator info, and calls to each path of the API for Business. */
  inits_per_minute: 6,
  creator_infos_per_minute: 20,
  states_per_minute: 30,
  business_per_minute: 600,
  /** For how many creators the app may post in 24 hours; 0 is unlimited. */
  users_a_day: 0,
  posts_a_day: 15,
  drafts_a_day: 5,
  processing_ms: 2000,
  /** How many reads of the status still return that it is processing. */
  polls: 0,
  /** The error that publications end with; empty for none. */
  publish_failure: '',
  moderation_ms: 60_000,
  /** Whether numeric ids are sent as strings. */
  text_ids: false,
  /** Whether sending a chunk again is refused. */
  upload_refuses_repeats: false,
  /** How many messages an account may send after each message of the person. */
  messages_a_window: 10,
  /** Whether pictures can be sent in conversations. */
  image_send: true,
  /** Whether people write from a region whose messages the app may not read. */
  europe: false,
});
