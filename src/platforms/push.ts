import type { PlatformSetting } from '#kernel/config/names.ts';
import type { JwtExpectation } from '#kernel/net/jwks.ts';
import type { AppName } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, UnauthenticatedCall } from './call.ts';
import type { OAuthClient } from './connect.ts';
import type { InboundEvent } from './inbound.ts';

/** The accounts that an event belongs to; empty if the push came to the address of one account. */
export type PushedTo = Readonly<{
  user?: string | undefined;
  /** Accounts that use the page with this id. */
  page?: string | undefined;
  /** Accounts whose profile metadata has this member. */
  having?: Readonly<{ name: string; value: string }> | undefined;
}>;

export type PushedEvent = PushedTo & Readonly<{ event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** The path below the push address: '' or one of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The query of the URL, used for verification and not stored. */
  query?: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** For `read`: the profile metadata of the account addressed; undefined at the address of an app. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** For `read`: the hosts of the network from which the push came. */
  hosts?: Hosts;
}>;

/** The data with which a push is verified. */
export type PushTrust = Omit<UnauthenticatedCall, 'http'> &
  Readonly<{
    callback: string;
    /** The app secrets: the platform's own, then those of `signedBy`. */
    app: readonly string[];
    verifyToken: string;
    /** The secret of the account to whose address the push came; undefined at the address of an app. */
    account?: string | undefined;
    /** The account was removed, so the platform gets a confirmation that its pushes end. */
    ending?: true;
    /** The claims of a JWT; undefined unless it is unexpired, as expected and signed by a key at `jwksUrl`. */
    jwt(
      token: string,
      expected: JwtExpectation & Readonly<{ jwksUrl: string }>,
    ): Promise<Readonly<Record<string, unknown>> | undefined>;
  }>;

/** The response to the verification of a push address; `lease`: duration of the account's subscription in seconds. */
export type HandshakeAnswer = Readonly<{ type: 'text' | 'json'; body: string; lease?: number | undefined }>;

/** Proves control of a push address: the platform sends a challenge and gets it (or its signature) back. */
type Handshake = Readonly<{
  /** Query parameters that may contain the challenge; the first that is present counts. */
  challenge: readonly string[];
  /** The other query parameters of the platform's request, given the app's verify token. */
  question?(call: Pick<UnauthenticatedCall, 'hosts'>, verifyToken: string): Readonly<Record<string, string>>;
  /** Builds the response; undefined rejects the request. */
  answer(challenge: string, query: Readonly<Record<string, string>>, trust: PushTrust): HandshakeAnswer | undefined;
}>;

/** Where the platform should push to. */
export type PushTarget = Readonly<{
  callback: string;
  verifyToken: string;
  /** The secret with which the platform signs pushes to an account's address. */
  secret?: string | undefined;
  client?: OAuthClient | undefined;
  kept?: unknown;
}>;

/** A subscription with its end and non-secret state; `isUnconfirmed`: the handshake will report the end. */
type PushSubscription = Readonly<{ until?: number | undefined; kept?: unknown; isUnconfirmed?: true }>;

/** Inbound webhooks. Members send no requests, except `register` and those with a call. */
export type Push = Readonly<{
  /** One address for all accounts, one per account with its own secret, or one per customer's app. */
  scope: 'app' | 'account' | 'customer_app';
  signedBy?: readonly AppName[];
  handshake?: Handshake;
  /** Names of further addresses to enter in the app's dashboard, by their path below the push address. */
  callbacks?: Readonly<Record<string, string>>;
  /** The setting of the verify token, if webhooks are entered in that dashboard too. */
  verifyToken?: PlatformSetting;
  verify(request: PushRequest, trust: PushTrust): boolean | Promise<boolean>;
  /** The events in a verified request; invalid parts are omitted. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of the 200 response, text or JSON, if the platform requires one. */
  reply?(request: PushRequest): unknown;
  /** The body of the 200 response to a data-deletion request; undefined for other pushes. */
  confirmDeletion?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /** Adds what a push omits, once per new event. On failure it is stored as received; if only named, retried. */
  complete?(call: AccountCall, event: InboundEvent): Promise<InboundEvent>;
  /** Registers our push address with the platform, once per app; idempotent. */
  register?(
    call: Omit<AccountCall, 'session'>,
    request: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
  /** The push addresses that the platform lists for the app. */
  registered?(call: UnauthenticatedCall, client: OAuthClient): Promise<readonly string[]>;
  /** Subscribes to an account's events; idempotent, repeated before expiry. Undefined if not configured. */
  subscribe?(call: AccountCall, target: PushTarget): Promise<PushSubscription | undefined>;
  /** Whether the platform still considers a subscription valid; checked every hour. */
  isSubscribed?(call: AccountCall, kept: unknown): Promise<boolean>;
  /** Ends the subscription of a removed account. `isShared`: other accounts use its grant; `client` is its app. */
  unsubscribe?(call: AccountCall, kept: unknown, isShared: boolean, client?: OAuthClient): Promise<void>;
  /** The app itself ends subscriptions, even after access to the account was lost. */
  endedByApp?: true;
}>;
