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

/** Patterns of the platform's ids, for things that callers may name. */
export type IdShapes = Readonly<Partial<Record<'post' | 'comment' | 'review' | 'template', RegExp>>>;

/** How a further kind of account differs from the first one; an undefined member is missing there. */
export type PlatformKind = Readonly<{
  [Member in keyof Omit<Platform, 'slug' | 'title' | 'errors' | 'settings' | 'kinds'>]?: Platform[Member] | undefined;
}>;

/** A platform; operations of a missing member answer 501 `resource.not_supported`. There are no stubs. */
export type Platform = Readonly<{
  slug: PlatformSlug;
  title: string;
  errors?: ErrorTables;
  /** Additional environment variables; calls have the values in `settings`. */
  settings?: readonly PlatformSetting[];
  /** The API versions it calls, and their ends. */
  versions?: readonly ApiVersion[];
  /** Other programs have variables with this prefix too: unknown ones do not stop the start. */
  sharedPrefix?: true;
  /** For accounts that have pages (facebook, linkedin). */
  pages?: Pages;
  hosts: Readonly<{
    real: Hosts;
    /** Hosts of the simulator: `api` is reached by this server, `web` by people's browsers. */
    sandbox(base: Readonly<{ api: string; web: string }>): Hosts;
  }>;
  connect: DirectConnect | OAuthConnect;
  /** Anything with an id of another form does not exist, and the platform is not asked for it. */
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
  /** Its own error codes; the start checks them against the catalogue. */
  codes?: readonly OwnCode[];
  /** Remaining counts by name, such as `posts_remaining`; empty if the platform has no limit. */
  limits?(call: AccountCall): Promise<Readonly<Record<string, number>>>;
  /** Quotas of its requests, by name; `limits` shows what is left of each as `<name>_remaining`. */
  quotas?: Quotas;
  creatorInfo?(call: AccountCall): Promise<CreatorInfo>;
  /** What `rostra verify` may publish for an account; nothing without it. */
  verification?: Verification;
  /** Further kinds of account, named by `Connected.kind`; made by `withKinds`. */
  kinds?: Readonly<Record<string, Platform>>;
}>;
