/** The one scope: everything the approving user may do. */
export const SCOPE = 'social:all';

export const RESPONSE_TYPES = Object.freeze(['code'] as const);
export const GRANT_TYPES = Object.freeze(['authorization_code', 'refresh_token'] as const);
export const SECRET_METHOD = 'client_secret_post';

/** Lifetimes in seconds (spec § Token lifetimes). */
export const LIFE = Object.freeze({
  access: 3600,
  code: 600,
  refresh: 30 * 86_400,
  consent: 3600,
  dashboard: 900,
});

/**
 * What strangers may leave here: consent requests that are open at once, and clients registered within an hour. One
 * network is refused at its limit; at the limit of all, the network with the most loses its oldest unused one.
 */
export const LIMITS = Object.freeze({
  consents: Object.freeze({ network: 300, all: 10_000 }),
  registrations: Object.freeze({ network: 20, all: 1000 }),
});

/** What a deployment may switch on; everything is off by default, which is the specification to the letter. */
export type OAuthOptions = Readonly<{
  /** Redirects carry `iss` (RFC 9207), and the metadata says so. */
  iss?: boolean;
  /** A client may be the address of a document about itself instead of registering. */
  clientIdMetadata?: boolean;
  /** A code or refresh token that is used again, more than a minute later, ends all that came from it. */
  replayRevokes?: boolean;
}>;

/** How redirects to clients are written; its name is sent with every authorization request. */
export const PLAIN_MODE = 'plain';
/** What the front tells the store about a request besides its own parameters. */
export const ADDRESS_PARAM = 'address';

/** The cookie of a browser that may come back from consent. */
export const RESUME_COOKIE = 'oauth_r';
/** The provider's own log-in session: never kept, so its cookie is never handed out either. */
export const SESSION_COOKIE = 'oauth_s';
