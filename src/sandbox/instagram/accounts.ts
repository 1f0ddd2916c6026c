/** Accounts as the app sees them, the Facebook Pages they are linked to, and what the app is notified of. */
import { edge, inner } from '../graph/api/render.ts';
import type { Look } from '../graph/api/render.ts';
import { unknownObject } from '../graph/api/errors.ts';
import type { Page } from '../graph/docs.ts';
import { picture, profileMethods, roleOf } from '../graph/people/profiles.ts';
import { subscriptionMethods } from '../graph/push/subscriptions.ts';
import { drawOne, pageAt } from '../graph/world.ts';
import type { Call, Method, Methods } from '../graph/world.ts';
import { fixedId } from '../kit/ids.ts';
import type { Comment, Media } from './docs.ts';
import { isLive } from './docs.ts';
import { isLinked } from './logins.ts';
import type { LoginParts } from './logins.ts';
import { mayRead, pictureOf, SLUG } from './world.ts';
import type { World } from './world.ts';

const FIELDS = Object.freeze(
  `comments live_comments mentions story_insights messages message_reactions message_edit message_edits messaging_seen
  messaging_postbacks messaging_referral messaging_optins messaging_handover messaging_policy_enforcement standby
  message_echoes response_feedback`.split(/\s+/),
);
/** Fields of Pages; any of them lets the account's own updates through. */
const PAGE_FIELDS = Object.freeze([
  ...FIELDS,
  ...'feed mention ratings messaging_referrals message_deliveries message_reads conversations name'.split(' '),
]);

const facebookId = (account: string) => fixedId(SLUG, 'facebook page', account);

/** Gives every account its Page on Facebook. Inside a transaction only. */
export function linkPages({ nodes, people }: World): void {
  for (const { id, at } of people.pages()) {
    const page = facebookId(id);
    if (nodes.get('fbpage', page) === undefined) nodes.put('fbpage', { id: page, at, page_id: id });
  }
}

/** What the look of an account takes from its neighbours. */
export type AccountParts = Readonly<{
  media: Look<Media>;
  comment: Look<Comment>;
  mediaOf(account: string): readonly Media[];
}>;

/** How an account looks: to itself by the names of the Instagram log-in, and to people with Pages by those of Facebook. */
function accountLook(world: World, { login }: LoginParts, parts: AccountParts): Look<Page> {
  const { nodes, people } = world;
  const named = (id: string | undefined, account: string): Media | undefined => {
    const found = nodes.get('media', id ?? '');
    return found?.page_id === account && found.author !== undefined && isLive(found) ? found : undefined;
  };
  return {
    name: login.isFacebook ? 'IGUser' : 'InstagramUser',
    // To the Instagram log-in the id is the one that the person has for the app alone.
    id: ({ id, username }) => (login.isFacebook ? id : (people.find(username)?.id ?? id)),
    shown: [],
    fields: {
      ...(!login.isFacebook && { user_id: ({ id }) => id, account_type: () => 'BUSINESS' }),
      username: ({ username }) => username,
      name: ({ name }) => name,
      biography: ({ about }) => about,
      website: () => undefined,
      profile_picture_url: ({ id }) => pictureOf(world, id),
      followers_count: () => people.followers().length,
      follows_count: () => 0,
      media_count: ({ id }) => parts.mediaOf(id).length,
      media: ({ id }) => edge(parts.media, `${id}/media`, () => parts.mediaOf(id)),
      ...(login.isFacebook && {
        mentioned_media: ({ id }, { args }) => {
          const found = named(args['media_id'], id);
          if (found === undefined) throw unknownObject(args['media_id'] ?? '');
          return inner(parts.media, found);
        },
        mentioned_comment: ({ id }, { args }) => {
          const comment = nodes.get('comment', args['comment_id'] ?? '');
          if (comment === undefined || comment.page_id !== id || !isLive(comment))
            throw unknownObject(args['comment_id'] ?? '');
          return inner(parts.comment, comment);
        },
      }),
    },
  };
}

function facebookPageLook(world: World, account: Look<Page>): Look<Page> {
  const { tokens, people } = world;
  return {
    name: 'Page',
    id: ({ id }) => facebookId(id),
    shown: ['name'],
    fields: {
      name: ({ name }) => name,
      username: ({ username }) => username,
      category: ({ category }) => category,
      about: ({ about }) => about,
      followers_count: () => people.followers().length,
      picture: ({ id }, { args }) => picture(world, id, args['type']),
      tasks: (one, { frame }) => roleOf(world, frame.actor, one)?.tasks,
      access_token: (one, { frame }) =>
        frame.actor.kind === 'app' || roleOf(world, frame.actor, one) === undefined
          ? undefined
          : tokens.forPage(frame.actor, one.id),
      ...Object.fromEntries(
        ['instagram_business_account', 'connected_instagram_account'].map((name) => [
          name,
          (one: Page) => (isLinked(world, one.username) ? inner(account, one) : undefined),
        ]),
      ),
    },
  };
}

/** The same methods on the Page of Facebook instead of the account itself. */
export function onFacebookPage({ nodes }: World, methods: Methods): Methods {
  const moved = ([name, method]: readonly [string, Method]) => [
    name.replace(/\bpage\b/, 'fbpage'),
    { ...method, run: (call: Call, id: string) => method.run(call, nodes.get('fbpage', id)?.page_id ?? id) },
  ];
  return Object.fromEntries(Object.entries(methods).map(moved)) as Methods;
}

/** Reads of accounts and Pages, and subscriptions. */
export function accountMethods(parts: LoginParts, looks: AccountParts): Methods {
  const { login, oauth } = parts;
  const { world } = parts;
  const account = accountLook(world, parts, looks);
  const subscriptions = subscriptionMethods(world, {
    object: 'instagram',
    fields: login.isFacebook ? PAGE_FIELDS : FIELDS,
    right: { scopes: [login.isFacebook ? 'pages_manage_metadata' : login.rights.basic], task: 'MODERATE' },
    fieldRights: login.isFacebook ? [] : [{ fields: /^messag/, scope: login.rights.messages }],
  });
  const ofPage = Object.fromEntries(Object.entries(subscriptions).filter(([name]) => name.includes('page/')));
  const read: Method = {
    params: [],
    run(call: Call, id: string) {
      mayRead(world, login, call, id, 'basic');
      return drawOne(call, account, pageAt(world, id));
    },
  };
  if (!login.isFacebook)
    return {
      ...ofPage,
      'GET page': read,
      'GET debug_token': oauth.methods['GET debug_token']!,
      'DELETE page/permissions': {
        params: [],
        run({ actor }: Call) {
          if (actor.kind !== 'app') oauth.remove(actor.claims.person);
          return { success: true };
        },
      },
    };
  const page = facebookPageLook(world, account);
  const { 'GET page': ofFacebook, ...profiles } = profileMethods(world, page);
  return {
    ...oauth.methods,
    ...profiles,
    ...onFacebookPage(world, { ...ofPage, 'GET page': ofFacebook! }),
    'GET page': read,
  };
}
