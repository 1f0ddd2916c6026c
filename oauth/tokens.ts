import { decodeProtectedHeader, errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { tokenUser } from '../db/access/oauth.ts';
import { rememberUntilChanged } from '../db/access/remembered.ts';
import type { Store } from '../db/store/store.ts';
import type { Caller } from '../src/call/caller.ts';
import { authorityOver, workspaceOf } from '../src/kernel/authority.ts';
import { boundedMap } from '../src/kernel/limits/bounded-map.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { ApiError, fail } from '../src/kernel/errors.ts';
import { randomHex } from '../src/kernel/ids.ts';
import { sha256 } from '../src/kernel/sign.ts';
import type { Keys } from './keys.ts';
import { LIFE } from './constants.ts';

const REMEMBERED = 1000;
const LONGEST = 4096;

/** Two kinds of token under one key: the type in the header keeps them apart. */
const KINDS = Object.freeze({ 'at+jwt': 'oauth', 'dashboard+jwt': 'dashboard' } as const);
const DASHBOARD_TYPE = 'dashboard+jwt';

type Kind = (typeof KINDS)[keyof typeof KINDS];
type Claims = Readonly<{ kind: Kind; id: string; userId: string; name: string; email: string; expiresAt: number }>;

export type TokenDeps = Readonly<{ store: Store; clock: Clock; rootUrl: string; keys: Keys }>;

/**
 * Verifies access tokens and dashboard tokens by signature, issuer, audience, type and time. The caller is read from the
 * store once per grant and cached until the store changes, so that tokens of a deleted user end (rulings 1.27).
 */
export function makeTokens({ store, clock, rootUrl, keys }: TokenDeps) {
  const verified = boundedMap<string, Claims>(REMEMBERED);
  const callers = rememberUntilChanged<Caller>(store, REMEMBERED);

  const find = store.prepared(tokenUser);

  async function claimsOf(token: string): Promise<Claims> {
    const key = sha256(token);
    const known = verified.get(key);
    if (known && known.expiresAt <= clock.now()) {
      verified.delete(key);
      fail('auth.invalid_token');
    }
    const claims = known ?? (await verify(token));
    verified.set(key, claims);
    return claims;
  }

  async function verify(token: string): Promise<Claims> {
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
    const { payload } = await orInvalid(() =>
      jwtVerify(
        token,
        async ({ kid = '' }) => (await keys.find(kid))?.publicKey ?? fail('auth.invalid_token'),
        options,
      ),
    );
    return claimsIn(payload, KINDS[typ as keyof typeof KINDS]);
  }

  /** `id` is the grant of an access token, and the token itself where it is one of the dashboard. */
  function callerOf({ kind, id, userId, name }: Claims): Promise<Caller> {
    return callers.of(`${kind} ${id} ${userId}`, async () => {
      const row = await find({ id: userId });
      if (!row) fail(kind === 'dashboard' ? 'auth.not_provisioned' : 'auth.user_not_found');
      return Object.freeze({
        kind,
        id,
        name: kind === 'oauth' ? name : row.name,
        userId,
        workspace: workspaceOf(row),
        authority: authorityOver(row.workspace_id, { dashboard: kind === 'dashboard' }),
      });
    });
  }

  return Object.freeze({
    forget: callers.forget,

    /** The caller a token stands for: one with full access to the account of its user. */
    async verifyToken(token: string): Promise<Caller> {
      return callerOf(await claimsOf(token));
    },

    /** A token for the dashboard of a user, good for 15 minutes. */
    async signDashboardToken(userId: string): Promise<Readonly<{ token: string; expiresAt: number }>> {
      const user = (await find({ id: userId })) ?? fail('auth.user_not_found');
      const { kid, privateKey } = await keys.signer();
      const now = Math.floor(clock.now() / 1000);
      const token = await new SignJWT({ name: user.name, email: user.email })
        .setProtectedHeader({ alg: 'EdDSA', typ: DASHBOARD_TYPE, kid })
        .setSubject(userId)
        .setJti(randomHex(16))
        .setIssuer(rootUrl)
        .setAudience(rootUrl)
        .setIssuedAt(now)
        .setExpirationTime(now + LIFE.dashboard)
        .sign(privateKey);
      return { token, expiresAt: (now + LIFE.dashboard) * 1000 };
    },

    /** Who a dashboard token is about, whether or not that person has an account here. */
    async readDashboardToken(token: string): Promise<Readonly<{ userId: string; name: string; email: string }>> {
      const { kind, userId, name, email } = await claimsOf(token);
      if (kind !== 'dashboard') fail('auth.invalid_token');
      return { userId, name, email };
    },
  });
}

function claimsIn(payload: JWTPayload, kind: Kind): Claims {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : '');
  return Object.freeze({
    kind,
    id: kind === 'oauth' ? text('grant') : text('jti'),
    userId: text('sub'),
    name: kind === 'oauth' ? text('client_id') : text('name'),
    email: text('email'),
    expiresAt: payload.exp! * 1000,
  });
}

/** Whatever is wrong with a token has one name; a failure of ours is not the token's. */
async function orInvalid<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    if (cause instanceof errors.JOSEError || cause instanceof TypeError)
      throw new ApiError('auth.invalid_token', { cause });
    throw cause;
  }
}
