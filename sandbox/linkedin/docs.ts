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

/** The id is the organization's URN. */
type Organization = Doc & Readonly<{ name: string; vanity: string }>;

export type Role = Owned & Readonly<{ person: string; role: string }>;

/** A file uploaded for posts. The id is its URN. */
export type Asset = Owned &
  Readonly<{
    /** The member who started the upload. */
    by: string;
    kind: 'image' | 'video' | 'document';
    /** Part of the upload URLs, and needed to complete an upload in parts. */
    token: string;
    blob?: string;
    size: number;
    /** The parts of a video that have arrived, by position. */
    parts: Readonly<Record<string, Readonly<{ etag: string; blob: string }>>>;
    ready_at?: number;
    failed?: boolean;
  }>;

/** The id is the URN that the API returned. */
export type Post = Owned &
  Deletable &
  Readonly<{
    /** As it was sent. */
    body: Fields & Readonly<{ commentary: string; visibility: string; content?: Fields }>;
    versions: readonly Version[];
    isClosed?: boolean;
  }>;

/** A comment on the post `parent_id`, which can be below another comment. */
export type Comment = Owned &
  Deletable &
  Readonly<{ parent_id: string; under?: string; text: string; images: readonly string[] }>;

/** A member's subscription to the notifications of an organization. */
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
  /** A webhook by URL, with the number of challenges in a row that it has failed. */
  endpoint: Doc & Readonly<{ strikes: number }>;
  /** A notification about an organization. */
  notification: Owned & Readonly<{ shown: Fields & Readonly<{ action: string }> }>;
  blob: Blob;
};

export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  oldest_version: 202_512,
  newest_version: 202_611,
  /** Whether LinkedIn has approved the app for refresh tokens and for looking up members. */
  refresh_tokens: true,
  people_lookup: true,
  /** How long files are processed, in ms, and whether processing fails. */
  processing_ms: 2000,
  processing_fails: false,
  /** For how many ms the API cannot comment on a new post. */
  activity_ms: 0,
  /** The status that refuses a repeated post; `ghost_duplicates` refuses every post as repeating a missing one. */
  duplicate_status: 422,
  ghost_duplicates: false,
  /** The type in the URN of a post in comments, notifications and lists. */
  posts_named_as: 'activity',
  posts_listed_as: 'own',
  /** Whether notifications shorten the URN inside the URN of a comment. */
  short_comment_urns: false,
  calls_per_day: 100_000,
  posts_per_day: 150,
});
