import type Provider from 'oidc-provider';
import { ApiError, fail } from '#kernel/errors.ts';
import { sha256 } from '#kernel/sign.ts';
import { exchangeOf } from './provider-request.ts';
import { SCOPE } from './constants.ts';

/** An authorization request awaiting consent. */
export type Interaction = Readonly<{
  uid: string;
  client: Readonly<{ id: string; name: string }>;
  redirectUri: string;
  /** Host of the redirect, shown because client names are unverified. */
  redirectHost: string;
  scope: string;
}>;

/** Consent requests, bound to the browser they began in by a cookie; throws auth.oauth.request_expired. */
export type Interactions = Readonly<{
  read(uid: string, cookie: string | undefined): Promise<Interaction>;
  /** Records consent; returns the path to redirect to. */
  approve(uid: string, cookie: string | undefined, userId: string): Promise<string>;
  /** Records the denial; returns the path to redirect to. */
  deny(uid: string, cookie: string | undefined): Promise<string>;
}>;

export function makeInteractions(provider: () => Promise<Provider>, rootUrl: string): Interactions {
  async function open(uid: string, cookie: string | undefined) {
    const current = await provider();
    const { req, res } = exchangeOf(current, { method: 'GET', url: `/oauth/consent/${uid}`, cookie });
    const details = await orExpired(() => current.interactionDetails(req, res));
    if (details.uid !== uid) fail('auth.oauth.request_expired');
    const clientId = String(details.params['client_id']);
    const client = (await current.Client.find(clientId)) ?? fail('auth.oauth.invalid_client');
    return { current, req, res, details, client };
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
    async approve(uid: string, cookie: string | undefined, userId: string) {
      const opened = await open(uid, cookie);
      const grant = new opened.current.Grant({ accountId: userId, clientId: opened.client.clientId });
      // Idempotent: one request and user make one grant.
      grant.jti = sha256(`${uid} ${userId}`).slice(0, 32);
      grant.addResourceScope(rootUrl, SCOPE);
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
