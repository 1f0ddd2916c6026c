/** Accounts as the app sees them, their Facebook Pages and their subscriptions. */
import { edge, inner, own, lookOf, always, type NodeType } from '../graph/api/render.ts';
import { unknownObject } from '../graph/api/errors.ts';
import type { Page } from '../graph/docs.ts';
import { pageFields, profileMethods } from '../graph/people/profiles.ts';
import { subscriptionMethods } from '../graph/push/subscriptions.ts';
import { isLive } from '../graph/authored.ts';
import { drawOne, pageAt, pictureUrl, type Call, type Method, type Methods } from '../graph/world.ts';
import { fixedId } from '../kit/ids.ts';
import type { Comments } from './comments.ts';
import type { Media } from './docs.ts';
import { isLinked, type LoginParts } from './logins.ts';
import type { Posts } from './posts.ts';
import { methodsOf, SLUG, type World } from './world.ts';

const FIELDS = Object.freeze(
  `comments live_comments mentions story_insights messages message_reactions message_edit message_edits messaging_seen
  messaging_postbacks messaging_referral messaging_optins messaging_handover messaging_policy_enforcement standby
  message_echoes response_feedback`.split(/\s+/),
);
/** Fields of Pages. Subscribing to any of them enables the account's updates. */
const PAGE_FIELDS = Object.freeze([
  ...FIELDS,
  ...'feed mention ratings messaging_referrals message_deliveries message_reads conversations name'.split(' '),
]);

const facebookId = (account: string) => fixedId(SLUG, 'facebook page', account);

/** Gives every account a Facebook Page. Inside a transaction. */
export function linkPages({ nodes, people }: World): void {
  for (const { id, at } of people.pages()) {
    const page = facebookId(id);
    if (nodes.get('fbpage', page) === undefined) nodes.put('fbpage', { id: page, at, page_id: id });
  }
}

export type AccountParts = Readonly<{ look: NodeType<Media>; comments: Comments; posts: Posts }>;

/** Looks up mentions of an account by the id of a post or comment. Only people with Pages can use it. */
function mentionFields({ nodes }: World, { look, comments }: AccountParts): NodeType<Page>['fields'] {
  const missing = (id = '') => unknownObject(id);
  return {
    mentioned_media: ({ id }, { args: { media_id } }) => {
      const found = nodes.get('media', media_id ?? '');
      if (found?.page_id !== id || found.author === undefined || !isLive(found)) throw missing(media_id);
      return inner(look, found);
    },
    mentioned_comment: ({ id }, { args: { comment_id } }) => {
      const found = nodes.get('comment', comment_id ?? '');
      if (found?.page_id !== id || !isLive(found)) throw missing(comment_id);
      return inner(comments.look, found);
    },
  };
}

/** An account, with the field names of Instagram login or, for people with Pages, of Facebook login. */
function accountLook(world: World, { login }: LoginParts, parts: AccountParts): NodeType<Page> {
  const { people } = world;
  const { look, posts } = parts;
  const fields: NodeType<Page>['fields'] = {
    ...(login.isFacebook ? mentionFields(world, parts) : { user_id: ({ id }) => id, account_type: () => 'BUSINESS' }),
    ...own<Page>('username', 'name'),
    ...always({ website: undefined }),
    biography: ({ about }) => about,
    profile_picture_url: ({ id }) => pictureUrl(world, id),
    followers_count: () => people.followers().length,
    follows_count: () => 0,
    media_count: ({ id }) => posts.listed(id).length,
    media: ({ id }) => edge(look, `${id}/media`, () => posts.listed(id)),
  };
  if (login.isFacebook) return lookOf('IGUser', fields);
  // With Instagram login, the id is the app-scoped id of the person.
  return { ...lookOf('InstagramUser', fields), id: ({ id, username }) => people.find(username)?.id ?? id };
}

function facebookPageLook(world: World, account: NodeType<Page>): NodeType<Page> {
  const linked = (one: Page) => (isLinked(world, one.username) ? inner(account, one) : undefined);
  const fields = { instagram_business_account: linked, connected_instagram_account: linked };
  return { ...lookOf('Page', { ...pageFields(world), ...fields }, ['name']), id: ({ id }) => facebookId(id) };
}

/** The same methods, called on the Facebook Page. */
export function onFacebookPage({ nodes }: World, methods: Methods): Methods {
  const moved = ([name, method]: readonly [string, Method]) => [
    name.replace(/\bpage\b/, 'fbpage'),
    { ...method, run: (call: Call, id: string) => method.run(call, nodes.get('fbpage', id)?.page_id ?? id) },
  ];
  return Object.fromEntries(Object.entries(methods).map(moved)) as Methods;
}

export function accountMethods(parts: LoginParts, looks: AccountParts): Methods {
  const { login, oauth, world } = parts;
  const account = accountLook(world, parts, looks);
  const { readsOf } = methodsOf(world, login);
  const subscriptions = subscriptionMethods(world, {
    object: 'instagram',
    fields: login.isFacebook ? PAGE_FIELDS : FIELDS,
    right: { scopes: [login.isFacebook ? 'pages_manage_metadata' : login.rights.basic], task: 'MODERATE' },
    fieldRights: login.isFacebook ? [] : [{ fields: /^messag/, scope: login.rights.messages }],
  });
  const ofPage = Object.fromEntries(Object.entries(subscriptions).filter(([name]) => name.includes('page/')));
  const own = { 'GET page': readsOf('basic', [], (call, id) => drawOne(call, account, pageAt(world, id))) };
  if (login.isFacebook) {
    const { 'GET page': ofFacebook, ...profiles } = profileMethods(world, facebookPageLook(world, account));
    return { ...oauth.methods, ...profiles, ...onFacebookPage(world, { ...ofPage, 'GET page': ofFacebook! }), ...own };
  }
  return {
    ...ofPage,
    ...own,
    'GET debug_token': oauth.methods['GET debug_token']!,
    'DELETE page/permissions': {
      params: [],
      run({ actor }: Call) {
        if (actor.kind !== 'app') oauth.remove(actor.claims.person);
        return { success: true };
      },
    },
  };
}
