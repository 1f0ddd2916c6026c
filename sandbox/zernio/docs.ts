/** A team (a `person`) at Zernio with API keys, profiles and connected accounts; other paths answer 404. */
import type { Answered } from '../kit/api/once.ts';
import type { Blob } from '../kit/files.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Person } from '../kit/people.ts';

/** Platforms for posting, and others. */
export const PLATFORMS: readonly string[] = Object.freeze(
  [
    'twitter instagram facebook linkedin tiktok youtube threads pinterest reddit bluesky googlebusiness telegram',
    'snapchat discord slack whatsapp shopify wordpress linkedinads metaads pinterestads tiktokads xads googleads',
    'openaiads sms phone rcs',
  ].flatMap((names) => names.split(' ')),
);

/** Resource groups that a key may lack. */
const GROUP_NAMES = ['publishing', 'engagement', 'messages', 'contacts', 'analytics', 'ads', 'telephony'] as const;
export const GROUPS = Object.freeze([...GROUP_NAMES, 'accounts', 'billing', 'webhooks'] as const);
export type Group = (typeof GROUPS)[number];

/** A brand with its accounts; here and below `page_id` is the team. */
export type Profile = Doc &
  Readonly<{ page_id: string; name: string; description: string | undefined; color: string; is_default: boolean }>;

/** Connection states: working, invalid, disabled, or unused. */
export const STATES = Object.freeze(['connected', 'needs reconnection', 'inactive', 'not enabled'] as const);

export type Account = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    platform: string;
    username: string;
    name: string;
    state: (typeof STATES)[number];
    /** The posting account whose login an ads account shares. */
    of?: string | undefined;
    metadata: Readonly<Record<string, unknown>>;
  }>;

/** An API key, which is `parent_id` itself. */
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

/** A target account and its outcome; `own` is its override as received. */
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

/** A post's content, as received. */
type PostFields = Readonly<{ content?: string | undefined; mediaItems?: readonly unknown[] | undefined }>;

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
  /** Misbehaviour towards everybody, a word of `MISBEHAVIOURS`. */
  misbehaves: 'no',
  /** Requests per minute; 0 follows from the number of accounts. */
  requests_per_minute: 0,
  /** Comma-separated platforms on which publishing fails. */
  failing_platforms: '',
});
