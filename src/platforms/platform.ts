import type { PlatformSetting } from '#kernel/config/names.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { OwnCode } from '#kernel/errors.ts';
import type { Numbers, Places, Templates } from './business.ts';
import type { AccountCall, Hosts } from './call.ts';
import type { DirectConnect, OAuthConnect, Pages } from './connect.ts';
import type { Inbox } from './inbound.ts';
import type { Comments, Mentions, Reviews } from './interactions.ts';
import type { Messages } from './messages.ts';
import type { Posts, Verification } from './posts.ts';
import type { Quotas } from './app/quotas.ts';
import type { Push } from './push.ts';
import type { ApiVersion } from './app/versions.ts';
import type { ErrorTables } from './shared/reasons.ts';

export type CreatorInfo = Readonly<{
  nickname: string;
  avatar_url: string | null;
  can_post: boolean;
  max_video_duration_sec: number;
  privacy_level_options: readonly string[];
  interaction_settings: Readonly<Record<string, boolean>>;
}>;

/** Patterns of the platform's ids, for objects whose ids callers may send. */
export type IdShapes = Readonly<Partial<Record<'post' | 'comment' | 'review' | 'template', RegExp>>>;

/** How a further kind of account differs from the first; an undefined member is not supported by that kind. */
export type PlatformKind = Readonly<{
  [Member in keyof Omit<Platform, 'slug' | 'title' | 'errors' | 'settings' | 'kinds'>]?: Platform[Member] | undefined;
}>;

/** A platform; operations that need a missing member return 501 `resource.not_supported`. There are no stubs. */
export type Platform = Readonly<{
  slug: PlatformSlug;
  title: string;
  errors?: ErrorTables;
  /** Additional environment variables; calls receive the values in `settings`. */
  settings?: readonly PlatformSetting[];
  /** The API versions that the connector calls, with their end dates. */
  versions?: readonly ApiVersion[];
  /** Other programs use variables with this prefix too, so unknown ones do not prevent the start. */
  sharedPrefix?: true;
  /** For accounts that have pages (facebook, linkedin). */
  pages?: Pages;
  hosts: Readonly<{
    real: Hosts;
    /** Hosts of the simulator: this server calls `api`, people's browsers open `web`. */
    sandbox(base: Readonly<{ api: string; web: string }>): Hosts;
  }>;
  connect: DirectConnect | OAuthConnect;
  /** An id of another form is treated as not found, without a request to the platform. */
  ids?: IdShapes;
  posts?: Posts;
  comments?: Comments;
  messages?: Messages;
  mentions?: Mentions;
  reviews?: Reviews;
  push?: Push;
  inbox?: Inbox;
  numbers?: Numbers;
  templates?: Templates;
  places?: Places;
  /** The platform's own error codes; at startup they are checked against the catalogue. */
  codes?: readonly OwnCode[];
  /** Remaining counts by name, such as `posts_remaining`; empty if the platform has no limit. */
  limits?(call: AccountCall): Promise<Readonly<Record<string, number>>>;
  /** Quotas of the platform's requests, by name; `limits` reports the rest of each as `<name>_remaining`. */
  quotas?: Quotas;
  creatorInfo?(call: AccountCall): Promise<CreatorInfo>;
  /** What `rostra verify` may publish for an account; if absent, it publishes nothing. */
  verification?: Verification;
  /** Further kinds of account by the name in `Connected.kind`; added by `withKinds`. */
  kinds?: Readonly<Record<string, Platform>>;
}>;
