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

type Owned = Doc & Readonly<{ page_id: string }>;
type Deletable = Readonly<{ changed_at: number; deleted_at?: number }>;

/** Its id is its URN. */
type Organization = Doc & Readonly<{ name: string; vanity: string }>;

export type Role = Owned & Readonly<{ person: string; role: string }>;

/** An uploaded file for posts; its id is its URN. */
export type Asset = Owned &
  Readonly<{
    /** The member who began the upload. */
    by: string;
    kind: 'image' | 'video' | 'document';
    /** In upload URLs, and for the call that completes an upload in parts. */
    token: string;
    blob?: string;
    size: number;
    /** Received parts of a video, by position. */
    parts: Readonly<Record<string, Readonly<{ etag: string; blob: string }>>>;
    ready_at?: number;
    failed?: boolean;
  }>;

/** Its id is the URN of the API's answer. */
export type Post = Owned &
  Deletable &
  Readonly<{
    /** As sent. */
    body: Fields & Readonly<{ commentary: string; visibility: string; content?: Fields }>;
    versions: readonly Version[];
    isClosed?: boolean;
  }>;

/** A comment on the post `parent_id`, maybe below another. */
export type Comment = Owned &
  Deletable &
  Readonly<{ parent_id: string; under?: string; text: string; images: readonly string[] }>;

/** A member's subscription to an organization's notifications. */
export type Subscription = Owned & Readonly<{ user: string; webhook: string; expires_at: number }>;

export type LinkedInDocs = {
  person: Person;
  organization: Organization;
  role: Role;
  asset: Asset;
  post: Post;
  comment: Comment;
  reaction: Owned & Readonly<{ parent_id: string; type: string }>;
  view: Doc & Readonly<{ parent_id: string; impressions: number; clicks: number }>;
  subscription: Subscription;
  /** A webhook by URL, with its consecutive failed proofs. */
  endpoint: Doc & Readonly<{ strikes: number }>;
  /** A notification about an organization. */
  notification: Owned & Readonly<{ shown: Fields & Readonly<{ action: string }> }>;
  blob: Blob;
};

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  oldest_version: 202_512,
  newest_version: 202_611,
  /** Approvals for refresh tokens, and for looking up members. */
  refresh_tokens: true,
  people_lookup: true,
  /** How long files are processed, and whether that fails. */
  processing_ms: 2000,
  processing_fails: false,
  /** How long a new post cannot be commented on by the API. */
  activity_ms: 0,
  /** How a repeated post is refused; with the other switch every post is, naming a missing one. */
  duplicate_status: 422,
  ghost_duplicates: false,
  /** The URN type of posts in comments, notifications and lists. */
  posts_named_as: 'activity',
  posts_listed_as: 'own',
  /** Notifications shorten the URN inside a comment's. */
  short_comment_urns: false,
  calls_per_day: 100_000,
  posts_per_day: 150,
});
