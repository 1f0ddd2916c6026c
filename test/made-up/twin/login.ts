import { makeConsent } from '#sandbox/kit/oauth/consent.ts';
import { makeExchange } from '#sandbox/kit/oauth/exchange.ts';
import { bearerOf } from '#sandbox/kit/oauth/secrets.ts';
import { openTokens } from '#sandbox/kit/oauth/tokens.ts';
import { ownOrigins, type TwinOptions } from '#sandbox/kit/options.ts';
import type { RouteCall } from '#sandbox/kit/api/routes.ts';
import type { Context } from 'koa';
import { OWNERS, profilesOf } from './docs.ts';
import { refuse, Refusal } from './refusals.ts';

/** Who calls: the person, the profile they act as, and all profiles the app may see. */
export type PlazaCaller = Readonly<{
  person: string;
  scopes: readonly string[];
  profile: string;
  profiles: readonly string[];
}>;

/** The one app it knows, which is a customer's. */
export const APP = { id: 'corner-shop', secret: 'secret-of-the-corner-shop' };
export const isApp = ({ client_id, client_secret }: Readonly<Record<string, unknown>>) =>
  client_id === APP.id && client_secret === APP.secret;

/** Consent, tokens that rotate and are used once, and keys that are typed in. */
export function makeLogin(options: TwinOptions) {
  const { store, clock, forms } = options;
  const tokens = openTokens(store, 'plaza', clock, {
    lives: { code: 600, access: 3600, refresh: 60 * 86_400 },
    rotates: true,
    refuse: (_kind, flaw) => new Refusal(flaw === 'expired' ? 'token_expired' : 'token_revoked', flaw),
  });
  const consent = makeConsent({
    title: 'Plaza',
    app: 'The app',
    network: 'Plaza',
    forms,
    terms: {
      clientId: APP.id,
      scopes: ['all'],
      origins: () => ownOrigins(options),
      words: { client: 'No such app.', redirect: 'No such address.', type: 'No such type', scopes: 'No such right.' },
    },
    people: () => OWNERS,
    profiles: { name: 'profiles', field: 'profiles' },
    allow: ({ redirect_uri }, { person, profiles = profilesOf(person).map(({ id }) => id) }) => ({
      code: tokens.code({ person, scopes: ['all'], profiles }, { redirect_uri }),
    }),
    denied: { error: 'access_denied' },
  });
  const exchange = makeExchange({
    tokens,
    auth: { by: 'body' },
    app: APP,
    words: { client: refuse('forbidden'), grant: refuse('bad_request') },
  });
  const keyOf = (person: string) => `plaza-key-of-${person}`;

  function grantOf(token: string) {
    const owner = OWNERS.find(({ id }) => keyOf(id) === token);
    if (owner === undefined) return tokens.grantOf(token);
    return { person: owner.id, scopes: ['all'], profiles: owner.profiles.map(({ id }) => id) };
  }

  return Object.freeze({
    tokens,
    consent,
    keyOf,
    token({ ctx, params }: RouteCall<PlazaCaller>): object {
      const { expires_in, grant, ...pair } = exchange(ctx, params);
      // As text, as some networks say it.
      return { ...pair, expires_in: String(expires_in), person: grant.person };
    },
    caller(ctx: Context): PlazaCaller {
      const token = bearerOf(ctx.get('authorization'));
      if (token === undefined) throw new Refusal('token_revoked');
      const { person, profiles } = grantOf(token);
      const profile = ctx.get('plaza-profile') || profiles[0]!;
      if (!profiles.includes(profile)) throw new Refusal('forbidden');
      return { person, scopes: [], profile, profiles };
    },
  });
}
