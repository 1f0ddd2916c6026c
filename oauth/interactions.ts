import type Provider from 'oidc-provider';
import { ApiError, fail } from '../src/kernel/errors.ts';
import { sha256 } from '../src/kernel/sign.ts';
import { exchangeOf } from './provider-request.ts';
import { SCOPE } from './constants.ts';

/** A request that waits for its user: what a consent page has to tell. */
export type Interaction = Readonly<{
  uid: string;
  client: Readonly<{ id: string; name: string }>;
  redirectUri: string;
  /** Where the code will go, to be shown: the name of a client is its own claim. */
  redirectHost: string;
  scope: string;
}>;

/**
 * How consent pages see a request. It belongs to the browser it began in: every function takes that browser's Cookie
 * header, which holds a signed cookie for the path of the page, and refuses auth.oauth.request_expired without it.
 */
export type Interactions = Readonly<{
  /** The request behind /oauth/consent/{uid}. */
  read(uid: string, cookie: string | undefined): Promise<Interaction>;
  /** The user's yes; answers the path to send the browser to. */
  approve(uid: string, cookie: string | undefined, userId: string): Promise<string>;
  /** The user's no; answers the path to send the browser to. */
  deny(uid: string, cookie: string | undefined): Promise<string>;
}>;

/** The hand-over between the provider and the pages where people sign in and decide. */
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
      // One request and user make one grant, however often the form is sent.
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
