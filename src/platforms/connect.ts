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
  /** The pages to which the person granted access, for accounts that have pages. */
  pages?: readonly PageProfile[];
  /** The name of a further kind of account; absent for the platform's first kind. */
  kind?: string | undefined;
  /** The id of a consent shared by several accounts, unique everywhere; the consent ends with the last account. */
  grant?: string | undefined;
  /** Session members to copy from an earlier consent; if there is none, the login fails with `otherwise`. */
  inherits?: Readonly<{ members: readonly string[]; otherwise: string }> | undefined;
}>;

/** A renewed session; its changes are applied to the other sessions of the same grant and platform. */
export type Renewed = Readonly<{ session: Session; expiresAt?: number | undefined }>;

/** One field of Rostra's own connect form. */
export type FormField = Readonly<{
  name: string;
  label: string;
  hint: string;
  type: 'text' | 'password' | 'url';
  required: boolean;
  autocomplete?: string;
}>;

/** Connects accounts by credentials from Rostra's form or from connection metadata. */
export type DirectConnect = Readonly<{
  kind: 'direct';
  form: readonly FormField[];
  /** Metadata with all of these fields connects the account at once, without the form. */
  required: readonly string[];
  /** Whether the fields name the account's own server, which the sandbox cannot simulate. */
  namesServer?(fields: Readonly<Record<string, string>>): boolean;
  /** `app` is the server's app, given if the platform offers consent as well as credentials. */
  login(call: UnauthenticatedCall, fields: Readonly<Record<string, string>>, app?: OAuthClient): Promise<Connected>;
  refresh?(call: AccountCall): Promise<Renewed>;
  revoke?(call: AccountCall): Promise<void>;
}>;

/** Parameters with which a caller adjusts a consent; stored unencrypted, so never secrets. */
export type ConnectMetadata = Readonly<Record<string, string>>;

/** Connects accounts on the platform's consent page. */
export type OAuthConnect = Readonly<{
  kind: 'oauth';
  /** The name of the service that people log in to, if it is not the platform. */
  title?: string;
  /** The requested scopes, unless they are configured elsewhere. */
  scopes?: Scopes;
  settings?: readonly PlatformSetting[];
  /** The app that requests consent, if it is not the platform's own. */
  app?: AppName;
  /** The code can only be redeemed with the secrets that `begin` returned. */
  needsState?: true;
  /** A login with credentials next to consent; without a configured app, it is the only way. */
  byKey?: DirectConnect;
  /** The registered callback address ends with a slash. */
  callbackSlash?: true;
  /** The parameters that callers may send in `metadata`, with the pattern of each value. */
  metadata?: Readonly<Record<string, RegExp>>;
  /** Set if customers bring their own apps, which the sandbox cannot replace. */
  customerApps?: CustomerApps;
  begin(
    call: UnauthenticatedCall,
    request: Readonly<{ state: string; callback: string; client: OAuthClient; metadata: ConnectMetadata }>,
  ): Promise<Readonly<{ url: string; secrets: Readonly<Record<string, string>> }>>;
  /** Finds the accounts that can be connected; a login without any is refused with the reason. */
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
  /** The scopes that are granted now, if the platform can report them. */
  granted?(call: AccountCall): Promise<readonly string[]>;
  revoke?(call: AccountCall, client: OAuthClient): Promise<void>;
}>;

export type CustomerApps = Readonly<{
  secrets: readonly string[];
  /** The operation with which a customer stores an app. */
  storedBy?: string;
  /** The secret that signs pushes; the client secret by default. */
  pushSecret?: string;
  /** Checks whether the platform accepts the app's credentials; `reason` says why not. */
  check(call: UnauthenticatedCall, client: OAuthClient): Promise<Readonly<{ valid: boolean; reason: string | null }>>;
}>;

export type OAuthClient = Readonly<{
  clientId: string;
  clientSecret: string;
  secrets?: Readonly<Record<string, string>>;
}>;

/** The login with credentials; undefined if consent is the only way. */
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
  /** The pages that the login can manage now, and a session that covers all of them. */
  read(call: AccountCall): Promise<Readonly<{ pages: readonly PageProfile[]; session: Session }>>;
  /** Subscribes to the events of a page; idempotent. */
  subscribe?(call: AccountCall, platformPageId: string): Promise<void>;
}>;
