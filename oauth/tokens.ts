import { SignJWT } from 'jose';
import { tokenUser } from '#db/access/oauth.ts';
import { clientNamed } from '#db/access/oauth-clients.ts';
import { rememberUntilChanged } from '#db/access/remembered.ts';
import type { Store } from '#db/store/store.ts';
import { connectionOf } from '#db/leash/connections.ts';
import { connectedAs, type Caller } from '#call/caller.ts';
import { authorityOf, workspaceOf } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { DASHBOARD_TYPE, makeClaimsReader, type Claims } from './claims.ts';
import type { Keys } from './keys.ts';
import { LIFE } from './constants.ts';

const REMEMBERED = 1000;

export type TokenDeps = Readonly<{ store: Store; clock: Clock; rootUrl: string; keys: Keys }>;

/** Verifies access and dashboard tokens; callers are cached until the store changes, so deleted users lose access. */
export function makeTokens({ store, clock, rootUrl, keys }: TokenDeps) {
  const readClaims = makeClaimsReader({ clock, rootUrl, keys });
  const callers = rememberUntilChanged<Caller>(store, REMEMBERED);

  const find = store.prepared(tokenUser);
  const findConnection = store.prepared(connectionOf);
  const findClient = store.prepared(clientNamed);

  /** The name that an app registered, or the host of its metadata document. */
  async function nameOf(clientId: string): Promise<string> {
    return (await findClient({ id: clientId }))?.name ?? URL.parse(clientId)?.host ?? clientId;
  }

  function callerOf({ kind, id, userId, clientId }: Claims): Caller | Promise<Caller> {
    return callers.of(`${kind} ${id} ${userId}`, async () => {
      const row = await find({ id: userId });
      if (!row) fail(kind === 'dashboard' ? 'auth.not_provisioned' : 'auth.user_not_found');
      const isApp = kind === 'oauth';
      const [connection, name] = isApp
        ? await Promise.all([findConnection({ ref: id }), nameOf(clientId)])
        : [undefined, row.name];
      if (typeof connection?.ended_at === 'number') fail('auth.invalid_token');
      return Object.freeze({
        kind,
        id,
        name,
        userId,
        workspace: workspaceOf(row),
        ...connectedAs(id, authorityOf(row, { dashboard: !isApp }), connection),
      });
    });
  }

  return Object.freeze({
    forget: callers.forget,

    /** The token's caller, with the access that its user has. */
    async verifyToken(token: string): Promise<Caller> {
      return callerOf(await readClaims(token));
    },

    /** Signs a dashboard token for 15 minutes; `expiresAt` in milliseconds since 1970. */
    async signDashboardToken(userId: string): Promise<Readonly<{ token: string; expiresAt: number }>> {
      const user = (await find({ id: userId })) ?? fail('auth.user_not_found');
      const issuedAt = Math.floor(clock.now() / 1000);
      const expiresAt = issuedAt + LIFE.dashboard;
      const { kid, privateKey } = await keys.signer();
      const token = await new SignJWT({ name: user.name, email: user.email })
        .setProtectedHeader({ alg: 'EdDSA', typ: DASHBOARD_TYPE, kid })
        .setSubject(userId)
        .setJti(randomHex(16))
        .setIssuer(rootUrl)
        .setAudience(rootUrl)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(privateKey);
      return { token, expiresAt: expiresAt * 1000 };
    },

    /** The person of a dashboard token, who may have no user here. */
    async readDashboardToken(token: string): Promise<Readonly<{ userId: string; name: string; email: string }>> {
      const { kind, userId, name, email } = await readClaims(token);
      if (kind !== 'dashboard') fail('auth.invalid_token');
      return { userId, name, email };
    },
  });
}
