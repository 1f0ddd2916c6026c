/**
 * What a company has at Zernio: a team (a `person`), its API keys, and profiles with connected accounts.
 *
 * Not there, and answered 404 as unknown paths are: analytics, inbox, contacts, ads, telephony, webhooks, queues, logs,
 * users, account groups, bulk uploads, and connecting by OAuth. Nor are there dry runs, limits of plans, a time of its own for one
 * platform of a post, caps of posts a day, or the posts themselves on the platforms, which hear nothing of this provider.
 */
import type { Answered } from '../kit/api/once.ts';
import type { Blob } from '../kit/files.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Person } from '../kit/people.ts';

/** The platforms on which people post, and those that carry something else. */
export const PLATFORMS: readonly string[] = Object.freeze(
  [
    'twitter instagram facebook linkedin tiktok youtube threads pinterest reddit bluesky googlebusiness telegram',
    'snapchat discord slack whatsapp shopify wordpress linkedinads metaads pinterestads tiktokads xads googleads',
    'openaiads sms phone rcs',
  ].flatMap((names) => names.split(' ')),
);

/** Resource groups that a key may be without. */
const GROUP_NAMES = ['publishing', 'engagement', 'messages', 'contacts', 'analytics', 'ads', 'telephony'] as const;
export const GROUPS = Object.freeze([...GROUP_NAMES, 'accounts', 'billing', 'webhooks'] as const);
export type Group = (typeof GROUPS)[number];

/** A profile: a brand with its accounts. `page_id` is the team, here and below. */
export type Profile = Doc &
  Readonly<{ page_id: string; name: string; description: string | undefined; color: string; is_default: boolean }>;

/** What a connection is like: working, to be connected again, switched off, or not wanted by anybody. */
export const STATES = Object.freeze(['connected', 'needs reconnection', 'inactive', 'not enabled'] as const);

/** A connected account; `parent_id` is its profile. */
export type Account = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    platform: string;
    username: string;
    name: string;
    state: (typeof STATES)[number];
    /** The account of posts whose log-in an account of ads shares. */
    of?: string | undefined;
    metadata: Readonly<Record<string, unknown>>;
  }>;

/** An API key; `parent_id` is the key itself. */
export type Key = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    name: string;
    permission: 'read-write' | 'read';
    /** Absent: every profile. */
    profiles?: readonly string[] | undefined;
    disabled: readonly Group[];
    expires_at: number | undefined;
    revoked_at?: number;
  }>;

/** One account that a post goes to, and what became of it there; `own` is what it says there alone, as it came. */
export type Target = Readonly<{
  platform: string;
  account: string;
  own: Readonly<{ customContent?: string | undefined; customMedia?: readonly unknown[] | undefined }>;
  status: 'pending' | 'published' | 'failed' | 'cancelled';
  published?: Readonly<{ id: string; url: string; at: number }>;
  failure?: Readonly<{ errorMessage: string; errorCategory: string; errorSource: 'user' | 'platform' }> | undefined;
}>;

export const POST_STATES = Object.freeze([
  ...(['draft', 'scheduled', 'publishing', 'published', 'partial', 'failed', 'cancelled'] as const),
]);

/** What is said of a post, as it came. */
export type PostFields = Readonly<{ content?: string | undefined; mediaItems?: readonly unknown[] | undefined }>;

export type Post = Doc &
  Readonly<{
    page_id: string;
    fields: PostFields;
    targets: readonly Target[];
    is_draft: boolean;
    scheduled_at: number | undefined;
    updated_at: number;
  }>;

export type ZernioDocs = {
  post: Post;
  due: Due;

  person: Person;
  blob: Blob;
  profile: Profile;
  account: Account;
  key: Key;
  answered: Answered;
};

export const SETTINGS = Object.freeze({
  /** How it misbehaves towards everybody, a word of `MISBEHAVIOURS`. */
  misbehaves: 'no',
  /** Requests a minute; 0 is as many as the number of accounts earns a team. */
  requests_per_minute: 0,
  /** Platforms on which nothing is published, with commas between them. */
  failing_platforms: '',
});
