import { PageError } from '../../forms.ts';
import type { Person } from '../people.ts';
import { ownOrigins, type TwinOptions } from '../options.ts';
import type { TwinError } from '../api/errors.ts';
import { makeConsent, type AuthorizationRequest, type ConsentPage, type ConsentTerms } from './consent.ts';
import { makeExchange } from './exchange.ts';
import type { ClientAuth } from './secrets.ts';
import { openTokens, type TokenRules } from './tokens.ts';

export const APP_ID = 'sandbox';

type People = Readonly<{ owners(): readonly Person[]; find(words: string): Person | undefined }>;

/** Rules for consent requests; by default they apply to the sandbox's own app. */
type Terms = Omit<ConsentTerms, 'clientId' | 'origins'> & Partial<Pick<ConsentTerms, 'clientId' | 'origins'>>;

const DENIED = Object.freeze({ error: 'access_denied', error_description: 'The user denied the request.' });

/** A consent page where people choose only who they are; `allow` issues the code. */
export function makePersonConsent(
  options: Readonly<{
    twin: TwinOptions;
    network: string;
    people: People;
    terms: Terms;
    allow(request: AuthorizationRequest, person: string, scopes: readonly string[]): Readonly<Record<string, string>>;
  }> &
    Partial<Pick<ConsentPage, 'note' | 'denied'>>,
) {
  const { twin, network, people, terms, allow, note, denied = DENIED } = options;
  return makeConsent({
    title: network,
    app: 'The app',
    network,
    forms: twin.forms,
    terms: { clientId: APP_ID, origins: () => ownOrigins(twin), ...terms },
    people: () => people.owners().map(({ id, name }) => ({ id, name, profiles: [] })),
    allow(request, { person, scopes = request.scopes }) {
      const owner = people.find(person);
      if (owner?.owner !== true) throw new PageError(400, 'There is no such account.');
      const granted = request.scopes.filter((scope) => scopes.includes(scope));
      return allow(request, owner.id, granted);
    },
    ...(note !== undefined && { note }),
    denied,
  });
}

export function openCodeLogin(
  options: Readonly<{
    twin: TwinOptions;
    prefix: string;
    network: string;
    people: People;
    terms: Omit<ConsentTerms, 'clientId' | 'origins'>;
    rules: TokenRules;
    auth: ClientAuth;
    words: Readonly<{ client(): TwinError; grant(type: string): TwinError }>;
    /** Whether a code is exchanged for an access token without a refresh token. */
    isAccessOnly?(): boolean;
  }>,
) {
  const { twin, prefix, rules, auth, words, isAccessOnly = () => false } = options;
  const tokens = openTokens(twin.store, prefix, twin.clock, rules);
  const consent = makePersonConsent({
    ...options,
    allow: ({ redirect_uri }, person, scopes) => ({
      code: tokens.code({ person, scopes, profiles: [] }, { redirect_uri, isAccessOnly: isAccessOnly() }),
    }),
  });
  const exchange = makeExchange({ tokens, auth, app: { id: APP_ID, secret: twin.appSecret }, words });
  return Object.freeze({ tokens, consent, exchange });
}
