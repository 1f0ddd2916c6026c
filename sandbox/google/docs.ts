import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';

export const ACCOUNT_TYPES = Object.freeze(['PERSONAL', 'LOCATION_GROUP', 'USER_GROUP', 'ORGANIZATION'] as const);
export type AccountType = (typeof ACCOUNT_TYPES)[number];
export type Role = 'PRIMARY_OWNER' | 'OWNER' | 'MANAGER' | 'SITE_MANAGER';

/** What locations are kept in; one person may have a role in several, and a location may be in several. */
export type Account = Doc &
  Readonly<{
    type: AccountType;
    name: string;
    /** Roles by person. */
    roles: Readonly<Record<string, Role>>;
    /** The organization above it. */
    parent?: string;
    topic?: string;
    notices?: readonly string[];
  }>;

export type Location = Doc &
  Readonly<{
    title: string;
    accounts: readonly string[];
    code?: string;
    description: string;
    /** Google knows that the business is theirs; else nothing may be published in its name. */
    has_voice: boolean;
    /** It can have no posts. */
    no_posts?: boolean;
  }>;

/** A local post; `page_id` is its location, `account` the one it was made through. */
export type LocalPost = Doc &
  Readonly<{
    page_id: string;
    account: string;
    /** What the app or the owner wrote, in the words of the API. */
    fields: Readonly<Record<string, unknown>>;
    media: readonly string[];
    by_app: boolean;
    updated_at: number;
    /** The verdict, and from when on it shows. */
    verdict: 'LIVE' | 'REJECTED';
    decided_at: number;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** A photo or video of a location; one with an author was taken by a customer. */
export type MediaItem = Doc &
  Readonly<{
    page_id: string;
    format: 'PHOTO' | 'VIDEO';
    category: string;
    blob: string;
    source: Readonly<{ sourceUrl: string } | { dataRef: { resourceName: string } }>;
    description?: string;
    width?: number;
    height?: number;
    author?: string;
    deleted_at?: number;
  }>;

/** A place for bytes that are sent before their media item. */
export type Upload = Doc & Readonly<{ page_id: string; blob?: string; is_used?: boolean }>;

export type Reply = Readonly<{
  comment: string;
  updated_at: number;
  verdict: 'APPROVED' | 'REJECTED';
  violation?: string;
  decided_at: number;
}>;

/** A review of a location, which is its `page_id`. */
export type Review = Doc &
  Readonly<{
    page_id: string;
    person: string;
    is_anonymous: boolean;
    stars: number;
    comment?: string;
    blob?: string;
    updated_at: number;
    reply?: Reply;
    deleted_at?: number;
  }>;

/** What a location was seen and used on a day, where people said so; everything else follows from the day. */
export type Metric = Doc & Readonly<{ page_id: string; value: number }>;

export type GoogleDocs = {
  person: Person;
  account: Account;
  location: Location;
  post: LocalPost;
  media: MediaItem;
  upload: Upload;
  review: Review;
  metric: Metric;
  blob: Blob;
};
