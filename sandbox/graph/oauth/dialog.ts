import { PageError } from '../../forms.ts';
import { ownOrigins } from '../../kit/options.ts';
import { makeConsent, type AuthorizationRequest, type Consent, type ConsentDialog } from '../../kit/oauth/consent.ts';
import type { OAuth } from './oauth.ts';
import { APP } from './tokens.ts';
import type { GraphWorld } from '../world.ts';

type DialogOptions = Readonly<{
  network: string;
  scopes: readonly string[];
  /** The permissions that a `config_id` stands for, if the platform has it. */
  configured?: readonly string[];
  /** The permission that cannot be declined. */
  always?: string;
  /** What people choose from and the form field for it; `none` if the app acts for the person alone. */
  profiles?: Readonly<{ name: string; field: string }> | 'none';
  /** The fragment that every redirect ends with. */
  hash?: string;
}>;

/** The login dialog, where a person chooses Pages and grants permissions. */
export function makeDialog(
  { people, nodes, options: sandbox }: GraphWorld,
  oauth: OAuth,
  options: DialogOptions,
): ConsentDialog {
  const { always = 'public_profile', profiles: choice = { name: 'Pages', field: 'page' }, hash = '_=_' } = options;
  function allow(
    { scopes: requestedScopes, redirect_uri, query }: AuthorizationRequest,
    { person: who, profiles, scopes }: Consent,
  ) {
    const person = people.find(who);
    if (person === undefined) throw new PageError(400, 'There is no such person.');
    const own = people.rolesOf(person.id).map(({ page_id }) => page_id);
    const pages = profiles === undefined ? own : own.filter((id) => profiles.includes(id));
    // A declined permission stays declined unless the app requests it again with `rerequest`.
    const before = query.get('auth_type') === 'rerequest' ? undefined : nodes.get('grant', person.id)?.scopes;
    const granted = requestedScopes.filter(
      (scope) => scope === always || (scopes?.includes(scope) !== false && before?.[scope] !== 'declined'),
    );
    return { code: oauth.consent({ person: person.id, pages, granted, requestedScopes, redirect_uri }) };
  }

  return makeConsent({
    title: `Log in with ${options.network}`,
    app: APP.name,
    network: options.network,
    forms: sandbox.forms,
    terms: {
      clientId: APP.id,
      scopes: options.scopes,
      always: [always],
      origins: () => ownOrigins(sandbox),
      rights: (query) => (query.get('config_id') ? options.configured : undefined),
      words: {
        client: 'Invalid App ID: The provided app ID does not look like a valid app ID.',
        redirect:
          "URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app's Client OAuth Settings.",
        type: 'Invalid response_type',
        scopes: 'Invalid Scopes: {scopes}. This message is only shown to developers.',
      },
    },
    people: () =>
      people.owners().map(({ id, name }) => ({
        id,
        name,
        profiles: people.rolesOf(id).flatMap(({ page_id }) => people.page(page_id) ?? []),
      })),
    ...(choice !== 'none' && { profiles: choice }),
    note: 'And see who you are, as every app may.',
    allow,
    denied: {
      error: 'access_denied',
      error_code: '200',
      error_description: 'Permissions error',
      error_reason: 'user_denied',
    },
    hash,
  });
}
