import * as z from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import type { Session } from '../call.ts';
import type { Connected, OAuthConnect, Profile } from '../connect.ts';
import { isRefused, refused } from '../shared/errors.ts';
import { text, word } from '../shared/fields.ts';
import { codeFlow, type CodeFlow } from '../shared/oauth.ts';
import { makeRest } from '../shared/rest.ts';
import { declareScopes, type Need } from '../shared/scopes.ts';
import { type GoogleCall, googleRest, sessionOf } from './api.ts';
import { googleErrors } from './errors.ts';

const API = 'https://www.googleapis.com/auth';
/** What does not work without the identity scopes. */
const IDENTITY = Object.freeze({
  openid: 'The account cannot be connected.',
  email: 'The e-mail address of the login is not known.',
  profile: 'The name of the login is not known.',
});
/** The full names that Google returns for the scopes `email` and `profile`. */
const FULL_NAMES: ReadonlyMap<string, string> = tableOf({
  [`${API}/userinfo.email`]: 'email',
  [`${API}/userinfo.profile`]: 'profile',
});

type GoogleUser = Readonly<{ id: string; name: string; email: string | undefined; picture: string | undefined }>;

export type GoogleProfile = Readonly<{ profile: Profile; session?: Session }>;

export type GoogleLogin = Readonly<
  Pick<CodeFlow, 'slug' | 'title'> & {
    /** The setting of the scopes, and what each one enables (below `https://www.googleapis.com/auth/`). */
    scopes: Readonly<{
      setting: `${string}_SCOPES`;
      losses: Readonly<Record<string, string>>;
      needs?: readonly Need[];
    }>;
    /** Scopes without which the login is refused. */
    required: readonly string[];
    /** Every account that the login can connect; if there is none, throws a refusal that says why. */
    profiles(call: GoogleCall, user: GoogleUser): Promise<readonly GoogleProfile[]>;
  }
>;

const User = z.object({ sub: z.string().min(1).max(255), name: word, email: text, picture: text });

const identity = googleRest(googleErrors().errorOf);

const revokeErrors = googleErrors([[{ name: 'invalid_token' }, 'refused', 'not_found']]);

/** Revoking a token needs no other authentication. */
const revoking = makeRest({
  base: ({ hosts }) => hosts['oauth2']!,
  errorOf: (answer, { now }) => revokeErrors.errorOf(answer, now()),
});

const NOT_LASTING =
  'Google gave access for an hour only, because it was granted before: remove this app at myaccount.google.com/permissions and connect again.';

/** Connects by a Google login; all Google platforms of the app share its grant. */
export function googleLogin({ slug, title, scopes, required, profiles }: GoogleLogin): OAuthConnect {
  const full = (scope: string) => (scope.includes('/') || Object.hasOwn(IDENTITY, scope) ? scope : `${API}/${scope}`);
  const named = Object.entries(scopes.losses).map(([scope, loss]) => [full(scope), loss] as const);
  const losses: Record<string, string> = { ...Object.fromEntries(named), ...IDENTITY };
  const needs = scopes.needs?.map(([features, ...oneOf]): Need => [features, ...oneOf.map(full)]) ?? [];
  const declared = declareScopes({ ...scopes, title, losses, needs, nameOf: full });
  return codeFlow({
    slug,
    title,
    authorize: { host: 'accounts', path: '/o/oauth2/v2/auth' },
    token: { host: 'oauth2', path: '/token' },
    scopes: declared,
    separator: ' ',
    // Without the first two parameters, repeated logins return no refresh token.
    extra: () => ({ access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' }),
    async profiles(call, { access, refresh, expiresAt, granted }, { client }): Promise<readonly Connected[]> {
      const wanted = declared.wantedIn(call.settings);
      const given = granted.map((scope) => FULL_NAMES.get(scope) ?? scope);
      const unticked = required.filter((scope) => wanted.includes(full(scope)) && !given.includes(full(scope)));
      if (unticked.length > 0)
        throw refused(
          'permission_denied',
          `The login did not grant ${unticked.join(', ')}: connect again and tick every box.`,
        );
      const own: GoogleCall = { ...call, access };
      const requested = await identity.get(own, { path: '/v1/userinfo' }, User, { host: 'openid' });
      const { sub: id, name, email, picture } = requested;
      const found = await profiles(own, { id, name, email, picture });
      return found.map(({ profile, session }) => ({
        profile: {
          user_email: email,
          ...profile,
          metadata: { ...profile.metadata, login_id: id, ...declared.reported(call.settings, given) },
        },
        session: { ...session, access, ...(refresh !== undefined && { refresh }) },
        expiresAt,
        grant: `google:${client.clientId}:${id}`,
        ...(refresh === undefined && { inherits: { members: ['refresh'], otherwise: NOT_LASTING } }),
      }));
    },
    refresh: {
      tokenOf(session) {
        const { refresh } = sessionOf(session);
        if (refresh === undefined) throw refused('auth', NOT_LASTING);
        return refresh;
      },
      renew: (session, { access, refresh }) => ({ ...session, access, refresh }),
    },
    async revoke(call) {
      const { access, refresh } = sessionOf(call.session);
      const form = { token: refresh ?? access };
      try {
        await revoking.post(call, { path: '/revoke' }, z.unknown(), { form });
      } catch (error) {
        // The person has already revoked the access.
        if (!isRefused(error, 'not_found')) throw error;
      }
    },
  });
}
