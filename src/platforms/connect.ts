import type { PlatformSetting } from '#kernel/config/names.ts';
import type { AppName } from '#kernel/platforms.ts';
import type { AccountCall, Session, UnauthenticatedCall } from './call.ts';
import type { Scopes } from './app/scopes.ts';

export type Profile = Readonly<{
  platform_user_id: string;
  username: string;
  name: string;
  bio?: string | undefined;
  profile_picture_url?: string | undefined;
  profile_url?: string | undefined;
  user_email?: string | undefined;
  metadata?: Readonly<Record<string, unknown>>;
}>;

export type Connected = Readonly<{
  profile: Profile;
  session: Session;
  expiresAt?: number | undefined;
  /** The pages the person granted, for accounts that have pages. */
  pages?: readonly PageProfile[];
  /** A further kind of account of the platform; absent for the first one. */
  kind?: string | undefined;
  /** The consent that several accounts share, unique over all platforms and apps; it ends with the last of them. */
  grant?: string | undefined;
  /** Session members that only an earlier consent returned; without them the login fails with `otherwise`. */
  inherits?: Readonly<{ members: readonly string[]; otherwise: string }> | undefined;
}>;

/** A renewed session; its changes are applied to the other sessions of the same grant and platform. */
export type Renewed = Readonly<{ session: Session; expiresAt?: number | undefined }>;

/** One field of our own connect form. */
export type FormField = Readonly<{
  name: string;
  label: string;
  hint: string;
  type: 'text' | 'password' | 'url';
  required: boolean;
  autocomplete?: string;
}>;

/** Accounts are connected by secrets from our form or from metadata. */
export type DirectConnect = Readonly<{
  kind: 'direct';
  form: readonly FormField[];
  /** Metadata with all of these connects at once, without a form. */
  required: readonly string[];
  /** Whether the fields name the account's own server, which has no simulator. */
  namesServer?(fields: Readonly<Record<string, string>>): boolean;
  /** `app`: the server's app, if the platform takes credentials in addition to consent. */
  login(call: UnauthenticatedCall, fields: Readonly<Record<string, string>>, app?: OAuthClient): Promise<Connected>;
  refresh?(call: AccountCall): Promise<Renewed>;
  revoke?(call: AccountCall): Promise<void>;
}>;

/** What a caller may send to steer a consent; stored unencrypted, so it holds no secrets. */
export type ConnectMetadata = Readonly<Record<string, string>>;

/** Accounts are connected on the platform's consent page. */
export type OAuthConnect = Readonly<{
  kind: 'oauth';
  /** What people log in to, if not the platform itself. */
  title?: string;
  /** The requested scopes, unless they are configured elsewhere. */
  scopes?: Scopes;
  settings?: readonly PlatformSetting[];
  /** The app that asks for consent, if not the platform's own. */
  app?: AppName;
  /** A code is useless without the secrets that `begin` returned. */
  needsState?: true;
  /** Credentials instead of consent: a form, metadata, and the only way if no app is configured. */
  byKey?: DirectConnect;
  /** The registered callback address ends with a slash. */
  callbackSlash?: true;
  /** What a caller may send in `metadata`, by name, and the form of its value. */
  metadata?: Readonly<Record<string, RegExp>>;
  /** Customers bring apps of their own, for which the sandbox has no substitute. */
  customerApps?: CustomerApps;
  begin(
    call: UnauthenticatedCall,
    request: Readonly<{ state: string; callback: string; client: OAuthClient; metadata: ConnectMetadata }>,
  ): Promise<Readonly<{ url: string; secrets: Readonly<Record<string, string>> }>>;
  /** The profiles that can be connected; a login without any is refused with the reason. */
  finish(
    call: UnauthenticatedCall,
    back: Readonly<{
      params: Readonly<Record<string, string>>;
      secrets: Readonly<Record<string, string>>;
      callback: string;
      client: OAuthClient;
      metadata: ConnectMetadata;
    }>,
  ): Promise<readonly Connected[]>;
  refresh?(call: AccountCall, client: OAuthClient): Promise<Renewed>;
  /** The scopes granted now, if the platform can be asked. */
  granted?(call: AccountCall): Promise<readonly string[]>;
  revoke?(call: AccountCall, client: OAuthClient): Promise<void>;
}>;

export type CustomerApps = Readonly<{
  secrets: readonly string[];
  /** The operation that stores an app. */
  storedBy?: string;
  /** Which secret signs pushes; without it, the client secret. */
  pushSecret?: string;
  /** Whether the platform accepts the app's credentials, and if not, why. */
  check(call: UnauthenticatedCall, client: OAuthClient): Promise<Readonly<{ valid: boolean; reason: string | null }>>;
}>;

export type OAuthClient = Readonly<{
  clientId: string;
  clientSecret: string;
  secrets?: Readonly<Record<string, string>>;
}>;

/** How accounts are connected with credentials; undefined if consent is the only way. */
export function directOf(connect: DirectConnect | OAuthConnect): DirectConnect | undefined {
  return connect.kind === 'direct' ? connect : connect.byKey;
}

export type PageProfile = Readonly<{
  platform_page_id: string;
  name: string;
  username?: string | undefined;
  category?: string | undefined;
  about?: string | undefined;
  link?: string | undefined;
  profile_picture_url?: string | undefined;
  cover_photo_url?: string | undefined;
  followers_count?: number | undefined;
  verification_status?: string | undefined;
}>;

export type Pages = Readonly<{
  /** The pages that the login manages now, with a session that covers all of them. */
  read(call: AccountCall): Promise<Readonly<{ pages: readonly PageProfile[]; session: Session }>>;
  /** Subscribes to the events of a page; idempotent. */
  subscribe?(call: AccountCall, platformPageId: string): Promise<void>;
}>;
