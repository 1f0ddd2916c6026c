import type { Doc } from '../kit/docs.ts';
import type { Blob } from '../kit/files.ts';
import type { Person, Version } from '../kit/people.ts';

export const ACCOUNT_TYPES = Object.freeze(['PERSONAL', 'LOCATION_GROUP', 'USER_GROUP', 'ORGANIZATION'] as const);
export type AccountType = (typeof ACCOUNT_TYPES)[number];
type Role = 'PRIMARY_OWNER' | 'OWNER' | 'MANAGER' | 'SITE_MANAGER';

/** A container of locations. A person can have roles in several accounts, and a location can be in several. */
export type Account = Doc &
  Readonly<{
    type: AccountType;
    name: string;
    roles: Readonly<Record<string, Role>>;
    /** The organization that the account belongs to. */
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
    /** Whether Google has verified the business. Without that nothing can be published for it. */
    has_voice: boolean;
    no_posts?: boolean;
  }>;

/** A post of the location `page_id`, created through the account `account`. */
export type LocalPost = Doc &
  Readonly<{
    page_id: string;
    account: string;
    fields: Readonly<Record<string, unknown>>;
    media: readonly string[];
    by_app: boolean;
    updated_at: number;
    /** The result of the review, and when it becomes visible. */
    verdict: 'LIVE' | 'REJECTED';
    decided_at: number;
    versions: readonly Version[];
    deleted_at?: number;
  }>;

/** A photo or video of a location. If it has an author, a customer took it. */
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

/** An upload whose media item has not been created yet. */
type Upload = Doc & Readonly<{ page_id: string; blob?: string; is_used?: boolean }>;

export type Reply = Readonly<{
  comment: string;
  updated_at: number;
  verdict: 'APPROVED' | 'REJECTED';
  violation?: string;
  decided_at: number;
}>;

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

export type GoogleDocs = {
  person: Person;
  account: Account;
  location: Location;
  post: LocalPost;
  media: MediaItem;
  upload: Upload;
  review: Review;
  blob: Blob;
};
