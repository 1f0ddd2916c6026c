/** The one scope: everything the approving user may do. */
export const SCOPE = 'social:all';

export const RESPONSE_TYPES = Object.freeze(['code'] as const);
export const GRANT_TYPES = Object.freeze(['authorization_code', 'refresh_token'] as const);
export const SECRET_METHOD = 'client_secret_post';

export const LIFE = Object.freeze({
  access: 3600,
  code: 600,
  refresh: 30 * 86_400,
  consent: 3600,
  dashboard: 900,
});

/** How long an access token lives, in milliseconds. */
export const ACCESS_MS = LIFE.access * 1000;

/**
 * Limits for unauthenticated callers. A network over its limit is refused; over the total, the largest network loses
 * its oldest.
 */
export const LIMITS = Object.freeze({
  consents: Object.freeze({ network: 300, all: 10_000 }),
  registrations: Object.freeze({ network: 20, all: 1000 }),
});

/** Options of a deployment, off by default. */
export type OAuthOptions = Readonly<{
  /** Redirects include `iss` (RFC 9207), as the metadata says. */
  iss?: boolean;
  /** A client id may be the URL of a metadata document. */
  clientIdMetadata?: boolean;
  /** A code or refresh token reused after more than a minute ends its grant. */
  replayRevokes?: boolean;
}>;

/** Our response mode, sent with every authorization request. */
export const PLAIN_MODE = 'plain';
/** Extra parameter of authorization requests: the keyed hash of the client's network. */
export const ADDRESS_PARAM = 'address';

/** The cookie of a browser that may return from consent. */
export const RESUME_COOKIE = 'oauth_r';
/** The provider's session cookie, which is neither stored nor sent to browsers. */
export const SESSION_COOKIE = 'oauth_s';
