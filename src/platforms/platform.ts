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

/** What ids of the platform look like, of each thing that callers may name by one. */
export type IdShapes = Readonly<Partial<Record<'post' | 'comment' | 'review' | 'template', RegExp>>>;

/** What tells a further kind of account from the first one; a member that is undefined is missing there. */
export type PlatformKind = Readonly<{
  [Member in keyof Omit<Platform, 'slug' | 'title' | 'errors' | 'settings' | 'kinds'>]?: Platform[Member] | undefined;
}>;

/**
 * A platform. A missing member means that the platform does not support the feature, and its operations answer 501
 * `resource.not_supported`. There are no stubs.
 */
export type Platform = Readonly<{
  slug: PlatformSlug;
  /** Display name. */
  title: string;
  /** What it answers that refuses or fails, and what that becomes here. */
  errors?: ErrorTables;
  /** Additional environment variables; calls have the values in `settings`. */
  settings?: readonly PlatformSetting[];
  /** What it calls, and until when each is there. */
  versions?: readonly ApiVersion[];
  /** Other programs have variables that begin with the slug too: unknown ones do not stop the start. */
  sharedPrefix?: true;
  /** Accounts have pages (facebook, linkedin). */
  pages?: Pages;
  hosts: Readonly<{
    real: Hosts;
    /** Hosts of the twin: `api` is reached by this server, `web` by people's browsers. */
    sandbox(base: Readonly<{ api: string; web: string }>): Hosts;
  }>;
  connect: DirectConnect | OAuthConnect;
  /** A thing that is named by something else is not there, and the platform is not asked for it. */
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
  /** The codes of its own that its failures may have; the start checks them against the catalogue. */
  codes?: readonly OwnCode[];
  /** Remaining counts by name, such as `posts_remaining`; empty where the platform has no ceiling. */
  limits?(call: AccountCall): Promise<Readonly<Record<string, number>>>;
  /** Quotas that its requests use, by name; `limits` shows what is left of each as `<name>_remaining`. */
  quotas?: Quotas;
  creatorInfo?(call: AccountCall): Promise<CreatorInfo>;
  /** What `rostra verify` may publish for an account; without it nothing is. */
  verification?: Verification;
  /** Its further kinds of account, which `Connected.kind` names; made by `withKinds`. */
  kinds?: Readonly<Record<string, Platform>>;
}>;
