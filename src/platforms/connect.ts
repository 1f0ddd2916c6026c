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
  /** Where accounts have pages: those the person granted. */
  pages?: readonly PageProfile[];
  /** One of the platform's further kinds of account; absent for the first one. */
  kind?: string | undefined;
  /**
   * The consent this account shares with others, unique over all platforms and apps. It is ended with its last account,
   * and when the platform refuses to refresh it, all its accounts must be connected again.
   */
  grant?: string | undefined;
  /**
   * Members of the session that the platform gave with an earlier consent only. They are those of the account as it is
   * stored, or of another one of the grant; a login that finds none is refused with the words of `otherwise`.
   */
  inherits?: Readonly<{ members: readonly string[]; otherwise: string }> | undefined;
}>;

/**
 * A renewed session. What the refresh changed in it is changed in the sessions of the other accounts of the same grant
 * and platform too.
 */
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

/** Accounts are connected by secrets typed into our own form, or passed as metadata. */
export type DirectConnect = Readonly<{
  kind: 'direct';
  form: readonly FormField[];
  /** Metadata with all of these connects at once, without a form. */
  required: readonly string[];
  /** Whether the fields name a server of the account's own, for which there is no twin. */
  namesServer?(fields: Readonly<Record<string, string>>): boolean;
  /** `app`: that of the server, where it has one and the credentials stand beside consent. */
  login(call: UnauthenticatedCall, fields: Readonly<Record<string, string>>, app?: OAuthClient): Promise<Connected>;
  refresh?(call: AccountCall): Promise<Renewed>;
  revoke?(call: AccountCall): Promise<void>;
}>;

/** What a caller may send to steer a consent; it is stored in the clear, so it holds no secrets. */
export type ConnectMetadata = Readonly<Record<string, string>>;

/** Accounts are connected by sending the person to the platform's consent page. */
export type OAuthConnect = Readonly<{
  kind: 'oauth';
  /** What people log in to, where that is not the platform itself. */
  title?: string;
  /** What the consent page is asked for, where that is not said elsewhere. */
  scopes?: Scopes;
  /** The settings of the login, beside those of its app. */
  settings?: readonly PlatformSetting[];
  /** The app that asks for consent, where it is not the platform's own. */
  app?: AppName;
  /** A code is useless without the secrets that `begin` returned. */
  needsState?: true;
  /** Credentials in place of consent: a form beside it, metadata, and the only way where no app is configured. */
  byKey?: DirectConnect;
  /** The callback address that is registered for the app ends with a slash. */
  callbackSlash?: true;
  /** What a caller may send in `metadata`, by name, and what its value must look like. */
  metadata?: Readonly<Record<string, RegExp>>;
  /** Customers bring apps of their own; the sandbox has none in place of them. */
  customerApps?: CustomerApps;
  begin(
    call: UnauthenticatedCall,
    request: Readonly<{ state: string; callback: string; client: OAuthClient; metadata: ConnectMetadata }>,
  ): Promise<Readonly<{ url: string; secrets: Readonly<Record<string, string>> }>>;
  /** The profiles of the login that can be connected; a login without any is refused by the reason that fits. */
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
  /** The scopes that the person grants by now, where the platform can be asked. */
  granted?(call: AccountCall): Promise<readonly string[]>;
  revoke?(call: AccountCall, client: OAuthClient): Promise<void>;
}>;

export type CustomerApps = Readonly<{
  /** Further secrets that an app may have, by name. */
  secrets: readonly string[];
  /** The operation that stores an app. */
  storedBy?: string;
  /** Which of them signs what the platform pushes; the client secret where an app has none. */
  pushSecret?: string;
  /** Whether the platform accepts the credentials of an app, and if not, why. */
  check(call: UnauthenticatedCall, client: OAuthClient): Promise<Readonly<{ valid: boolean; reason: string | null }>>;
}>;

export type OAuthClient = Readonly<{
  clientId: string;
  clientSecret: string;
  /** Further secrets of a customer's app. */
  secrets?: Readonly<Record<string, string>>;
}>;

/** How accounts of a platform are connected with credentials; undefined where only consent will do. */
export function directOf(connect: DirectConnect | OAuthConnect): DirectConnect | undefined {
  return connect.kind === 'direct' ? connect : connect.byKey;
}

/** A page of an account that has several. */
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
