/** A team (a `person`) at Zernio with API keys, profiles and connected accounts. Other paths respond with 404. */
import type { Answered } from '../kit/api/once.ts';
import type { Blob } from '../kit/files.ts';
import type { Doc } from '../kit/docs.ts';
import type { Due } from '../kit/due.ts';
import type { Person } from '../kit/people.ts';

/** The platforms on which it can publish, then the others. */
export const PLATFORMS: readonly string[] = Object.freeze(
  [
    'twitter instagram facebook linkedin tiktok youtube threads pinterest reddit bluesky googlebusiness telegram',
    'snapchat discord slack whatsapp shopify wordpress linkedinads metaads pinterestads tiktokads xads googleads',
    'openaiads sms phone rcs',
  ].flatMap((names) => names.split(' ')),
);

/** Groups of resources that a key can be excluded from. */
const GROUP_NAMES = ['publishing', 'engagement', 'messages', 'contacts', 'analytics', 'ads', 'telephony'] as const;
export const GROUPS = Object.freeze([...GROUP_NAMES, 'accounts', 'billing', 'webhooks'] as const);
export type Group = (typeof GROUPS)[number];

/** A brand with its accounts. Here and below, `page_id` is the team. */
export type Profile = Doc &
  Readonly<{ page_id: string; name: string; description: string | undefined; color: string; is_default: boolean }>;

/** The states of a connection: working, invalid, disabled or unused. */
export const STATES = Object.freeze(['connected', 'needs reconnection', 'inactive', 'not enabled'] as const);

export type Account = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    platform: string;
    username: string;
    name: string;
    state: (typeof STATES)[number];
    /** For an ads account, the posting account whose login it uses. */
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
    /** Undefined allows every profile. */
    profiles?: readonly string[] | undefined;
    disabled: readonly Group[];
    expires_at: number | undefined;
    revoked_at?: number;
  }>;

/** An account to publish on, and the outcome; `own` is what the call overrides for it, as received. */
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

/** The content of a post, as it was received. */
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
  /** How it misbehaves towards everybody, a word of `MISBEHAVIOURS`. */
  misbehaves: 'no',
  /** Requests per minute; with 0 they depend on the number of accounts. */
  requests_per_minute: 0,
  /** Platforms on which publishing fails, separated by commas. */
  failing_platforms: '',
});
