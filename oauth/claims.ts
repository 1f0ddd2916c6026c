import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Keys } from './keys.ts';

const REMEMBERED = 1000;
const LONGEST = 4096;

/** Two kinds of token share a key; the header's type separates them. */
const KINDS = Object.freeze({ 'at+jwt': 'oauth', 'dashboard+jwt': 'dashboard' } as const);
export const DASHBOARD_TYPE = 'dashboard+jwt';

type Kind = (typeof KINDS)[keyof typeof KINDS];

export type Claims = Readonly<{
  kind: Kind;
  /** The grant of an access token, or the id of a dashboard token. */
  id: string;
  userId: string;
  /** The app of an access token. */
  clientId: string;
  name: string;
  email: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}>;

export type ClaimsDeps = Readonly<{ clock: Clock; rootUrl: string; keys: Pick<Keys, 'find'> }>;

/** Verifies tokens and caches the valid ones; throws auth.invalid_token. */
export function makeClaimsReader(deps: ClaimsDeps): (token: string) => Promise<Claims> {
  const { clock } = deps;
  const verified = boundedMap<string, Claims>(REMEMBERED);

  return async function readClaims(token) {
    const key = sha256(token);
    const known = verified.get(key);
    if (known && known.expiresAt <= clock.now()) {
      verified.delete(key);
      fail('auth.invalid_token');
    }
    const claims = known ?? (await verify(deps, token));
    verified.set(key, claims);
    return claims;
  };
}

async function verify({ clock, rootUrl, keys }: ClaimsDeps, token: string): Promise<Claims> {
  if (token.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) fail('auth.invalid_token');
  const { typ = '' } = await orInvalid(async () => decodeProtectedHeader(token));
  if (!Object.hasOwn(KINDS, typ)) fail('auth.invalid_token');
  const options = {
    typ,
    issuer: rootUrl,
    audience: rootUrl,
    algorithms: ['EdDSA'],
    requiredClaims: ['sub', 'iat', 'exp', 'jti'],
    currentDate: new Date(clock.now()),
  };
  const publicKeyOf = async ({ kid = '' }) => (await keys.find(kid))?.publicKey ?? fail('auth.invalid_token');
  const { payload } = await orInvalid(() => jwtVerify(token, publicKeyOf, options));
  return claimsIn(payload, KINDS[typ as keyof typeof KINDS]);
}

function claimsIn(payload: JWTPayload, kind: Kind): Claims {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : '');
  return Object.freeze({
    kind,
    id: kind === 'oauth' ? text('grant') : text('jti'),
    userId: text('sub'),
    clientId: text('client_id'),
    name: text('name'),
    email: text('email'),
    expiresAt: payload.exp! * 1000,
  });
}

/** Says for which address a token was issued. Claims are checked after the signature, so it is one of ours. */
const otherAddress = ({ iss = '' }: JWTPayload) => ({
  message: `This token was issued while ROOT_URL was ${iss}.`,
  next: 'Sign in again, or create a token with the present ROOT_URL.',
});

/** Throws auth.invalid_token for faults of a token; our own failures pass. */
async function orInvalid<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    if (cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'iss' && cause.reason === 'check_failed') {
      throw new ApiError('auth.invalid_token', { ...otherAddress(cause.payload), cause });
    }
    if (cause instanceof errors.JOSEError || cause instanceof TypeError)
      throw new ApiError('auth.invalid_token', { cause });
    throw cause;
  }
}
