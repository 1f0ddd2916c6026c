import type { PlatformSetting } from '#kernel/config/names.ts';
import type { JwtExpectation } from '#kernel/net/jwks.ts';
import type { AppName } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, UnauthenticatedCall } from './call.ts';
import type { OAuthClient } from './connect.ts';
import type { InboundEvent } from './inbound.ts';

/** The accounts an event is about; empty at the address of an account. */
export type PushedTo = Readonly<{
  user?: string | undefined;
  /** Accounts that use the page with this id. */
  page?: string | undefined;
  /** Accounts whose profile metadata has this member. */
  having?: Readonly<{ name: string; value: string }> | undefined;
}>;

export type PushedEvent = PushedTo & Readonly<{ event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** Below the push address: '' or a path of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The query of the URL, for verification; it is not stored. */
  query?: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** For `read`: the profile whose address it came to; undefined at the address of an app. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** For `read`: the hosts of the network it came by. */
  hosts?: Hosts;
}>;

/** What a push is verified with. */
export type PushTrust = Omit<UnauthenticatedCall, 'http'> &
  Readonly<{
    callback: string;
    /** The app secrets: the platform's own, then those of `signedBy`. */
    app: readonly string[];
    verifyToken: string;
    /** The secret of the account whose address it is; undefined at the address of an app. */
    account?: string | undefined;
    /** The account was removed: the platform gets a confirmation that its pushes end. */
    ending?: true;
    /** The claims of a JWT; undefined unless a key at `jwksUrl` signed it and it is as expected and unexpired. */
    jwt(
      token: string,
      expected: JwtExpectation & Readonly<{ jwksUrl: string }>,
    ): Promise<Readonly<Record<string, unknown>> | undefined>;
  }>;

/** The answer to a verification of a push address; `lease`: seconds that the account's subscription lasts from now. */
export type HandshakeAnswer = Readonly<{ type: 'text' | 'json'; body: string; lease?: number | undefined }>;

/** Verifies a push address by a challenge, answered with itself or its signature. */
type Handshake = Readonly<{
  /** Query parameters that may hold the challenge; the first present one counts. */
  challenge: readonly string[];
  /** Other parameters of the platform's request, by the verify token of its app. */
  question?(call: Pick<UnauthenticatedCall, 'hosts'>, verifyToken: string): Readonly<Record<string, string>>;
  /** Undefined refuses. */
  answer(challenge: string, query: Readonly<Record<string, string>>, trust: PushTrust): HandshakeAnswer | undefined;
}>;

/** Where the platform is to push to. */
export type PushTarget = Readonly<{
  callback: string;
  verifyToken: string;
  /** The signing secret at the address of an account. */
  secret?: string | undefined;
  client?: OAuthClient | undefined;
  kept?: unknown;
}>;

/** A subscription with its end and non-secret state; `isUnconfirmed`: a handshake will say how long it lasts. */
type PushSubscription = Readonly<{ until?: number | undefined; kept?: unknown; isUnconfirmed?: true }>;

/** Inbound webhooks. Members are pure, except `register` and those with an AccountCall. */
export type Push = Readonly<{
  /** One address for all accounts, per account with its own secret, or per customer's app. */
  scope: 'app' | 'account' | 'customer_app';
  signedBy?: readonly AppName[];
  handshake?: Handshake;
  /** Further addresses entered in the app's dashboard, below the push address: names by path. */
  callbacks?: Readonly<Record<string, string>>;
  /** Holds the verify token where webhooks are entered in that dashboard too. */
  verifyToken?: PlatformSetting;
  verify(request: PushRequest, trust: PushTrust): boolean | Promise<boolean>;
  /** The events of a verified request; invalid parts are omitted. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of our 200, text or JSON, if the platform requires one. */
  reply?(request: PushRequest): unknown;
  /** The body of our 200 to a data-deletion request, which must then be completed; undefined for other pushes. */
  confirmDeletion?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /** Reads what a push omits, once per new event; on failure it is stored as received, or retried if only named. */
  complete?(call: AccountCall, event: InboundEvent): Promise<InboundEvent>;
  /** Registers our push address with the platform, once per app; idempotent. */
  register?(
    call: Omit<AccountCall, 'session'>,
    request: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
  /** The push addresses that the platform lists for the app. */
  registered?(call: UnauthenticatedCall, client: OAuthClient): Promise<readonly string[]>;
  /** Subscribes to an account's events; idempotent, and repeated before it ends. Undefined if not configured. */
  subscribe?(call: AccountCall, target: PushTarget): Promise<PushSubscription | undefined>;
  /** Whether the platform considers a subscription valid; checked every hour. */
  isSubscribed?(call: AccountCall, kept: unknown): Promise<boolean>;
  /** Ends the subscription of a removed account; `isShared`: its grant stays in use. `client` is its app. */
  unsubscribe?(call: AccountCall, kept: unknown, isShared: boolean, client?: OAuthClient): Promise<void>;
  /** The app ends subscriptions by itself, so also when an account's access is lost. */
  endedByApp?: true;
}>;
