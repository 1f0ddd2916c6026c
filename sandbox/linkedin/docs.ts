import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const ROLES = Object.freeze(
  'ADMINISTRATOR CONTENT_ADMINISTRATOR DIRECT_SPONSORED_CONTENT_POSTER ANALYST CURATOR'.split(' '),
);
export const REACTIONS = Object.freeze('LIKE PRAISE EMPATHY INTEREST APPRECIATION ENTERTAINMENT'.split(' '));
export const VISIBILITIES = Object.freeze(['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'] as const);

/** What belongs to a member or an organisation, its `page_id`, by URN. */
type Owned = Doc & Readonly<{ page_id: string }>;
type Deletable = Readonly<{ changed_at: number; deleted_at?: number }>;

/** An organisation; its id is its URN. */
export type Organization = Doc & Readonly<{ name: string; vanity: string }>;

/** What a person, by URN, is to an organisation. */
export type Role = Owned & Readonly<{ person: string; role: string }>;

/** A file on its way into posts; its id is its URN. */
export type Asset = Owned &
  Readonly<{
    /** The member who began the upload. */
    by: string;
    kind: 'image' | 'video' | 'document';
    /** What the upload addresses contain, and the call names that ends an upload in parts. */
    token: string;
    blob?: string;
    size: number;
    /** The parts of a video that are here, by their place. */
    parts: Readonly<Record<string, Readonly<{ etag: string; blob: string }>>>;
    ready_at?: number;
    failed?: boolean;
  }>;

/** A post; its id is the URN it was answered by. */
export type Post = Owned &
  Deletable &
  Readonly<{
    /** As it was sent. */
    body: Fields & Readonly<{ commentary: string; visibility: string; content?: Fields }>;
    versions: readonly Version[];
    isClosed?: boolean;
  }>;

/** A comment on a post, its `parent_id`, maybe under another comment. */
export type Comment = Owned &
  Deletable &
  Readonly<{ parent_id: string; under?: string; text: string; images: readonly string[] }>;

/** A member, by URN, is notified of what happens around an organisation. */
export type Subscription = Owned & Readonly<{ user: string; webhook: string; expires_at: number }>;

export type LinkedInDocs = {
  person: Person;
  organization: Organization;
  role: Role;
  asset: Asset;
  post: Post;
  comment: Comment;
  /** To a post or a comment, its `parent_id`. */
  reaction: Owned & Readonly<{ parent_id: string; type: string }>;
  /** People saw a post, its `parent_id`, or clicked on it. */
  view: Doc & Readonly<{ parent_id: string; impressions: number; clicks: number }>;
  subscription: Subscription;
  /** A webhook by its address, and how often in a row it has not proved itself. */
  endpoint: Doc & Readonly<{ strikes: number }>;
  /** What happened around an organisation. */
  notification: Owned & Readonly<{ shown: Fields & Readonly<{ action: string }> }>;
  blob: Blob;
};

/** How LinkedIn behaves from day to day. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** The versions that are served. */
  oldest_version: 202_512,
  newest_version: 202_611,
  /** The app is approved for refresh tokens, and to look up members. */
  refresh_tokens: true,
  people_lookup: true,
  /** How long files are worked on, and whether that fails. */
  processing_ms: 2000,
  processing_fails: false,
  /** How long a post is too new to be commented on by the API. */
  activity_ms: 0,
  /** How a repeated post is refused; every post is refused for one that does not exist. */
  duplicate_status: 422,
  ghost_duplicates: false,
  /** What comments and notifications call a post, and lists: activity, share, ugcPost, or own. */
  posts_named_as: 'activity',
  posts_listed_as: 'own',
  /** Notifications shorten the URN inside that of a comment. */
  short_comment_urns: false,
  calls_per_day: 100_000,
  posts_per_day: 150,
});
