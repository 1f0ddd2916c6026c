/** The one scope: everything the approving user may do. */
export const SCOPE = 'social:all';

export const RESPONSE_TYPES = Object.freeze(['code'] as const);
export const GRANT_TYPES = Object.freeze(['authorization_code', 'refresh_token'] as const);
export const SECRET_METHOD = 'client_secret_post';

/** Lifetimes in seconds. */
export const LIFE = Object.freeze({
  access: 3600,
  code: 600,
  refresh: 30 * 86_400,
  consent: 3600,
  dashboard: 900,
});

/**
 * Limits of unauthenticated callers: open consent requests, and clients registered within an hour. A network over its
 * limit is refused; over the limit of all, the network with the most loses its oldest unused one.
 */
export const LIMITS = Object.freeze({
  consents: Object.freeze({ network: 300, all: 10_000 }),
  registrations: Object.freeze({ network: 20, all: 1000 }),
});

/** Options of a deployment, all off by default. */
export type OAuthOptions = Readonly<{
  /** Redirects carry `iss` (RFC 9207), and the metadata says so. */
  iss?: boolean;
  /** A client id may be the URL of a metadata document, without registration. */
  clientIdMetadata?: boolean;
  /** A code or refresh token used again more than a minute later ends its grant. */
  replayRevokes?: boolean;
}>;

/** Name of our response mode, which is sent with every authorization request. */
export const PLAIN_MODE = 'plain';
/** Extra parameter of authorization requests: the keyed hash of the client's network. */
export const ADDRESS_PARAM = 'address';

/** The cookie of a browser that may come back from consent. */
export const RESUME_COOKIE = 'oauth_r';
/** The cookie of the provider's own session, which is not stored and never sent to browsers. */
export const SESSION_COOKIE = 'oauth_s';
