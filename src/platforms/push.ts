import type { JwtExpectation } from '#kernel/net/jwks.ts';
import type { AppName } from '#kernel/platforms.ts';
import type { AccountCall, Hosts, UnauthenticatedCall } from './call.ts';
import type { OAuthClient } from './connect.ts';
import type { InboundEvent } from './inbound.ts';

/** The accounts an event is about; nothing at the address of an account. */
export type PushedTo = Readonly<{
  /** The platform user id of one. */
  user?: string | undefined;
  /** The platform's id of a page, of those that use it. */
  page?: string | undefined;
  /** A member of their profiles' metadata, of all that have it. */
  having?: Readonly<{ name: string; value: string }> | undefined;
}>;

export type PushedEvent = PushedTo & Readonly<{ event: InboundEvent }>;

export type PushRequest = Readonly<{
  /** Below the push address: '' or a path of the connector's own, such as 'deauthorize'. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The query of the address, of a request that is verified; it is not stored. */
  query?: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** What `read` gets of the profile whose address it came to; undefined at the address of an app. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** What `read` gets of the network that it came by. */
  hosts?: Hosts;
}>;

/** What a push is verified with. */
export type PushTrust = Omit<UnauthenticatedCall, 'http'> &
  Readonly<{
    /** The URL of the push address. */
    callback: string;
    /** The app secrets: the platform's own, then those of `signedBy`. */
    app: readonly string[];
    verifyToken: string;
    /** The secret of the account whose address it is; undefined at the address of an app. */
    account?: string | undefined;
    /** The account is gone: what the platform is confirmed is that its pushes end. */
    ending?: true;
    /** The claims of a JWT; undefined unless a key of the set at `jwksUrl` signed it, and it is unexpired and as expected. */
    jwt(
      token: string,
      expected: JwtExpectation & Readonly<{ jwksUrl: string }>,
    ): Promise<Readonly<Record<string, unknown>> | undefined>;
  }>;

/**
 * The answer to the platform's verification of a push address; JSON is already text. `lease`: the subscription of the
 * account begins with it, and lasts so many seconds.
 */
export type HandshakeAnswer = Readonly<{ type: 'text' | 'json'; body: string; lease?: number | undefined }>;

/** How a platform verifies a push address: by a challenge, which is answered with itself or with its signature. */
export type Handshake = Readonly<{
  /** The query parameters that may have the challenge; the first that is there has it. */
  challenge: readonly string[];
  /** What else the platform asks with, by the verify token of its app. */
  question?(call: Pick<UnauthenticatedCall, 'hosts'>, verifyToken: string): Readonly<Record<string, string>>;
  /** Undefined refuses. */
  answer(challenge: string, query: Readonly<Record<string, string>>, trust: PushTrust): HandshakeAnswer | undefined;
}>;

/** Where the platform is to push to. */
export type PushTarget = Readonly<{
  callback: string;
  verifyToken: string;
  /** At the address of an account: the secret to sign with. */
  secret?: string | undefined;
  client?: OAuthClient | undefined;
  /** What the subscription before this one has kept. */
  kept?: unknown;
}>;

/**
 * A subscription: its end in milliseconds, where it has one, and what the connector needs later; no secrets.
 * `isUnconfirmed`: it is there once a handshake says how long it lasts.
 */
export type PushSubscription = Readonly<{ until?: number | undefined; kept?: unknown; isUnconfirmed?: true }>;

/**
 * Inbound webhooks of a platform. All members are pure: no calls to the platform, except those with an AccountCall and
 * `register`.
 */
export type Push = Readonly<{
  /**
   * `app`: one address for all accounts, `/push/<slug>`, signed with app secrets. `account`: an address for each
   * account, with a secret of its own, made when `subscribe` is called. `customer_app`: an address for each app of a
   * customer, signed with its secret; it reaches the accounts that were connected with that app.
   */
  scope: 'app' | 'account' | 'customer_app';
  /** Other apps that may be the one that signs. */
  signedBy?: readonly AppName[];
  /** How the platform verifies the push address, if it does. */
  handshake?: Handshake;
  /** Whether the platform signed the request; compares in constant time. */
  verify(request: PushRequest, trust: PushTrust): boolean | Promise<boolean>;
  /** The events of a verified request; invalid parts are omitted. */
  read(request: PushRequest): readonly PushedEvent[];
  /** The body of our 200, text or JSON, if the platform requires one. */
  reply?(request: PushRequest): unknown;
  /**
   * The body of our 200 to a data-deletion request, from the URL of a status page and a code; undefined for every other
   * push. What is answered so must be completed.
   */
  confirmDeletion?(request: PushRequest, status: Readonly<{ url: string; code: string }>): unknown;
  /**
   * Reads what a push omits (a name, a text). Called once per event that is not stored yet; if it fails, the event is
   * stored as received. What a push only names is read each time, and the push is tried again if that fails.
   */
  complete?(call: AccountCall, event: InboundEvent): Promise<InboundEvent>;
  /** Registers our push address with the platform, once per app; idempotent. */
  register?(
    call: Omit<AccountCall, 'session'>,
    request: Readonly<{ clientId: string; clientSecret: string; callback: string; verifyToken: string }>,
  ): Promise<void>;
  /** The addresses that the platform pushes to for the app, by its own list. */
  registered?(call: UnauthenticatedCall, client: OAuthClient): Promise<readonly string[]>;
  /**
   * Has the events of an account pushed; idempotent, and repeated before the end of the subscription. Undefined where
   * the settings name nothing that it could be done with.
   */
  subscribe?(call: AccountCall, target: PushTarget): Promise<PushSubscription | undefined>;
  /** Whether the platform still calls a subscription valid; asked every hour. */
  isSubscribed?(call: AccountCall, kept: unknown): Promise<boolean>;
  /**
   * Ends a subscription when its account is removed; `isShared`: other accounts of its grant stay. `client` is the app
   * the account was connected with.
   */
  unsubscribe?(call: AccountCall, kept: unknown, isShared: boolean, client?: OAuthClient): Promise<void>;
  /** Its app ends a subscription by itself, so it is ended too when the access of its account is lost. */
  endedByApp?: true;
}>;
