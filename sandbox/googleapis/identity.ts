import { tableOf } from '#kernel/text/table.ts';
import type { Grant } from '../kit/oauth/tokens.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Person } from '../kit/people.ts';
import { APP } from './calls.ts';
import { ISSUER, type GoogleKeys } from './keys.ts';

const SCOPE_ROOT = 'https://www.googleapis.com/auth/';
/** Scopes of the login, which need no checkbox. Short names come back as long ones. */
export const SIGN_IN: ReadonlyMap<string, string> = tableOf({
  openid: 'openid',
  email: `${SCOPE_ROOT}userinfo.email`,
  profile: `${SCOPE_ROOT}userinfo.profile`,
});
export const SIGN_IN_SCOPES = Object.freeze([...new Set([...SIGN_IN.keys(), ...SIGN_IN.values()])]);
export const isSignIn = (scope: string) => SIGN_IN_SCOPES.includes(scope);

const HOUR_S = 3600;

export const emailOf = ({ handle }: Pick<Person, 'handle'>): string => handle.replace('.', '@');

type IdentityOptions = Readonly<{
  twin: TwinOptions;
  keys: GoogleKeys;
  people: Readonly<{ byId(id: string): Person | undefined }>;
  picture(person: string): string;
}>;

export function makeIdentity({ twin, people, picture, keys }: IdentityOptions) {
  function claimsOf({ person, scopes }: Pick<Grant, 'person' | 'scopes'>) {
    const who = people.byId(person);
    const name = who?.name ?? '';
    return {
      sub: person,
      ...(scopes.includes(SIGN_IN.get('profile')!) && {
        name,
        given_name: name.split(' ')[0],
        picture: picture(person),
      }),
      ...(scopes.includes(SIGN_IN.get('email')!) && { email: who && emailOf(who), email_verified: true }),
    };
  }
  return Object.freeze({
    claimsOf,
    idToken(grant: Grant): string {
      const iat = Math.floor(twin.clock.now() / 1000);
      return keys.sign({ iss: ISSUER, azp: APP.id, aud: APP.id, ...claimsOf(grant), iat, exp: iat + HOUR_S });
    },
  });
}
