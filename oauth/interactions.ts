import type Provider from 'oidc-provider';
import { connectionOf, insertConnection, policiesOf, updateConnection } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import { findUser } from '#db/access/users.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { connectionIdOf, isFull, isWider, policyOf, type Policy } from '#kernel/limits/leash.ts';
import { sha256 } from '#kernel/sign.ts';
import { exchangeOf } from './provider-request.ts';
import { SCOPE } from './constants.ts';

export type Interaction = Readonly<{
  uid: string;
  client: Readonly<{ id: string; name: string }>;
  redirectUri: string;
  /** The host of the redirect. Shown because client names are not verified. */
  redirectHost: string;
  scope: string;
}>;

/** Consent requests, bound by a cookie to the browser in which they began; throws auth.oauth.request_expired. */
export type Interactions = Readonly<{
  read(uid: string, cookie: string | undefined): Promise<Interaction>;
  /** The strictest limits under which a user has already allowed this client; undefined if it was never allowed. */
  allowedBefore(clientId: string, userId: string): Promise<Policy | undefined>;
  /** Records consent, with limits if the policy has any; returns the path to redirect to. */
  approve(uid: string, cookie: string | undefined, userId: string, policy?: Policy): Promise<string>;
  /** Records the denial; returns the path to redirect to. */
  deny(uid: string, cookie: string | undefined): Promise<string>;
}>;

const FULL = policyOf('full');

type InteractionsDeps = Readonly<{
  store: Store;
  clock: Clock;
  provider: () => Promise<Provider>;
  rootUrl: string;
  /** Called when limits have changed, so that this process drops its cached callers. */
  forget(): void;
}>;

const stricterOf = (one: Policy | undefined, other: Policy): Policy =>
  one === undefined || isWider(one, other) ? other : one;

export function makeInteractions({ store, clock, provider, rootUrl, forget }: InteractionsDeps): Interactions {
  async function open(uid: string, cookie: string | undefined) {
    const current = await provider();
    const { req, res } = exchangeOf(current, { method: 'GET', url: `/oauth/consent/${uid}`, cookie });
    const details = await orExpired(() => current.interactionDetails(req, res));
    if (details.uid !== uid) fail('auth.oauth.request_expired');
    const clientId = String(details.params['client_id']);
    const client = (await current.Client.find(clientId)) ?? fail('auth.oauth.invalid_client');
    return { current, req, res, details, client };
  }

  async function leash(ref: string, userId: string, policy: Policy): Promise<void> {
    const user = (await findUser(store.db, userId)) ?? fail('auth.oauth.user_missing');
    const now = clock.now();
    const { workspace_id } = user;
    const who = { id: connectionIdOf(ref), workspace_id, user_id: userId, kind: 'oauth', ref } as const;
    const when = { created_at: now, updated_at: now, updated_by: userId };
    await store.write(async (tx) => {
      await insertConnection(tx.db, { ...who, policy, decides: 0, ended_at: null, ...when });
      // If one request is approved twice, the stricter limits apply, whichever came first.
      const present = await connectionOf(tx.db, { ref }).executeTakeFirstOrThrow();
      if (!isWider(policy, present.policy)) await updateConnection(tx.db, who.id, { policy, updated_at: now });
    });
    forget();
  }

  type Opened = Awaited<ReturnType<typeof open>>;

  async function decide({ current, req, res }: Opened, result: Decision): Promise<string> {
    const back = await orExpired(() => current.interactionResult(req, res, result));
    return new URL(back, rootUrl).pathname;
  }

  return Object.freeze({
    async read(uid: string, cookie: string | undefined) {
      const { details, client } = await open(uid, cookie);
      const redirectUri = String(details.params['redirect_uri']);
      return Object.freeze({
        uid,
        client: Object.freeze({ id: client.clientId, name: client.clientName ?? new URL(redirectUri).host }),
        redirectUri,
        redirectHost: new URL(redirectUri).host,
        scope: SCOPE,
      });
    },
    async allowedBefore(clientId, userId) {
      const policies = await policiesOf(store.db, { clientId, userId, now: clock.now() });
      return policies.map((policy) => policy ?? FULL).reduce<Policy | undefined>(stricterOf, undefined);
    },
    async approve(uid, cookie, userId, policy = FULL) {
      const opened = await open(uid, cookie);
      const grant = new opened.current.Grant({ accountId: userId, clientId: opened.client.clientId });
      // Idempotent: one request and user make one grant.
      grant.jti = sha256(`${uid} ${userId}`).slice(0, 32);
      grant.addResourceScope(rootUrl, SCOPE);
      // Stored before the grant, so that no token ever exists without its limits.
      if (!isFull(policy)) await leash(grant.jti, userId, policy);
      const grantId = await grant.save();
      return decide(opened, { login: { accountId: userId, remember: false }, consent: { grantId } });
    },
    async deny(uid: string, cookie: string | undefined) {
      return decide(await open(uid, cookie), { error: 'access_denied' });
    },
  });
}

type Decision = Parameters<Provider['interactionResult']>[2];

async function orExpired<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    const { errors } = await import('oidc-provider');
    if (cause instanceof errors.SessionNotFound) throw new ApiError('auth.oauth.request_expired', { cause });
    throw cause;
  }
}
