/** The two logins: an account on Instagram itself, or a person with Pages on Facebook. */
import { makeDialog } from '../graph/oauth/dialog.ts';
import { longLivedMethods } from '../graph/oauth/long-lived.ts';
import { makeOAuth, type OAuth } from '../graph/oauth/oauth.ts';
import { openTokens, type Tokens } from '../graph/oauth/tokens.ts';
import type { Person } from '../graph/docs.ts';
import type { GraphWorld, Methods } from '../graph/world.ts';
import { there, type Act, type Values } from '../kit/acts.ts';
import type { ConsentDialog } from '../kit/oauth/consent.ts';
import { FACEBOOK_RIGHTS, INSTAGRAM_RIGHTS, SLUG, type Login, type World } from './world.ts';

/** The permissions of each login. The first one is always granted. */
const { delete: _delete, like: _like, ...OWN_RIGHTS } = INSTAGRAM_RIGHTS;
const INSTAGRAM_SCOPES = Object.freeze(Object.values(OWN_RIGHTS));
const FACEBOOK_SCOPES = Object.freeze([
  ...'public_profile email pages_show_list pages_read_engagement pages_manage_metadata pages_messaging'.split(' '),
  'business_management',
  ...Object.values(FACEBOOK_RIGHTS),
]);

/** One of the logins, with its tokens and its consent page. */
export type LoginParts = Readonly<{
  login: Login;
  /** The world as the hosts of this login see it. */
  world: World;
  oauth: OAuth;
  dialog: ConsentDialog;
}>;

/** Each account is also a person, whose handle is the account's username. */
export const accountOf = ({ people }: Pick<World, 'people'>, { id, handle }: Person) =>
  people
    .rolesOf(id)
    .flatMap(({ page_id }) => people.page(page_id) ?? [])
    .find(({ username }) => username === handle);

export const isLinked = ({ people }: Pick<World, 'people'>, username: string): boolean =>
  people.all().some(({ handle }) => handle === username);

/** Tokens for a person's account. Renewing the token also renews the permission. */
const accountTokens = (world: World): Tokens => {
  const { tokens, people, nodes, clock } = world;
  return {
    ...tokens,
    forPerson(person: string, life: number) {
      const now = clock.now();
      const found = people.byId(person);
      const { grant_no = 0 } = nodes.get('grant', person) ?? {};
      if (grant_no > 0) nodes.change('grant', person, { login_at: now });
      const page = (found && accountOf(world, found)?.id) ?? '';
      const { session_no = 0 } = found ?? {};
      return tokens.issue({ kind: 'page', person, page, session_no, grant_no, issued_at: now, expires_at: now + life });
    },
  };
};

export function makeLogins(world: World) {
  const { store, clock, appSecret, nodes, people } = world;
  const shared = nodes as unknown as GraphWorld['nodes'];
  const isAccount = (person: Person) => accountOf(world, person) !== undefined;

  function open(tokens: Tokens, isFacebook: boolean): LoginParts {
    const owners = () => people.owners().filter((one) => isAccount(one) !== isFacebook);
    const seen: World = { ...world, tokens };
    const oauth = makeOAuth(seen, isFacebook ? /^(?:pages_|instagram_)/ : /^$/);
    const dialog = makeDialog({ ...seen, people: { ...people, owners } }, oauth, {
      network: isFacebook ? 'Facebook' : 'Instagram',
      scopes: isFacebook ? FACEBOOK_SCOPES : INSTAGRAM_SCOPES,
      ...(isFacebook
        ? { configured: FACEBOOK_SCOPES }
        : { always: INSTAGRAM_RIGHTS.basic, profiles: 'none' as const, hash: '_' }),
    });
    const rights = isFacebook ? FACEBOOK_RIGHTS : INSTAGRAM_RIGHTS;
    return { login: { isFacebook, rights }, world: seen, oauth, dialog };
  }
  const facebook = open(openTokens({ slug: `${SLUG} facebook`, store, clock, appSecret }, shared, people), true);
  const instagram = open(accountTokens(world), false);

  /** Goes through the dialog that a URL belongs to. */
  const facebookAct = facebook.dialog.act((words) => there(people.findPage(words), 'Page').id, 'pages');
  const instagramAct = instagram.dialog.act((words) => words);
  const consent: Act = {
    ...facebookAct,
    run: (values: Values) => (values['url']?.includes('/dialog/oauth') ? facebookAct : instagramAct).run(values),
  };
  /** Removes the app from a person, who uses one of the two logins. */
  function remove(id: string): void {
    const found = people.byId(id);
    (found !== undefined && isAccount(found) ? instagram : facebook).oauth.remove(id);
  }
  return Object.freeze({ facebook, instagram, consent, remove });
}

/** The token endpoints of Instagram login. The response to a code has two formats. */
export function tokenMethods(world: World): Methods {
  const { nodes, settings } = world;
  return longLivedMethods(world, {
    prefix: 'ig',
    scope: INSTAGRAM_RIGHTS.basic,
    viewOf(token: string, person: string) {
      const scopes = nodes.get('grant', person)?.scopes ?? {};
      const granted = Object.keys(scopes).filter((scope) => scopes[scope] === 'granted');
      const isListed = settings.get('token_in_list');
      const permissions = JSON.stringify(isListed ? granted.join(',') : granted);
      // Here the id is a number, too large for a double.
      const one = `{"access_token":${JSON.stringify(token)},"user_id":${person},"permissions":${permissions}}`;
      return isListed ? `{"data":[${one}]}` : one;
    },
  });
}
