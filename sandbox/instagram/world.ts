import { makeMethods } from '../graph/api/methods.ts';
import type { Access } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { CONTAINER_SETTINGS } from '../graph/media/containers.ts';
import { requireRead, requireWrite } from '../graph/oauth/tokens.ts';
import { GRAPH_SETTINGS, pageAt } from '../graph/world.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { ABOUT } from './about.ts';
import type { InstagramDocs, Media } from './docs.ts';

export const SLUG = ABOUT.slug;

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  ...CONTAINER_SETTINGS,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
  /** Posts of 24 hours, and containers. */
  publish_quota: 50,
  container_quota: 400,
  /** How long the address of a file is good for. */
  media_url_life_ms: 4 * 86_400_000,
  /** Numbers of a post are not there before it is so old. */
  insights_delay_ms: 0,
  /** The answer to a code lists its one token, with its rights in one text. */
  token_in_list: false,
  /** Likes are refused to Page tokens. */
  likes_by_user_only: false,
  /** The fields that the app has subscribed to in its dashboard. */
  subscribed_fields:
    'comments,live_comments,mentions,messages,message_reactions,message_edit,messaging_seen,messaging_postbacks,messaging_referral',
  /** Changes stand in the entry itself; comments are named by `comment_id`. */
  push_flat: false,
  push_comment_id: false,
  /** Who wrote a comment is told by name alone. */
  author_ids: true,
});

/** Everything the parts of the twin share. */
export type World = WorldOf<InstagramDocs, typeof SETTINGS>;

/** What the rights are called, behind the words that each of the two log-ins begins them with. */
const RIGHTS = Object.freeze({
  basic: 'basic',
  publish: 'content_publish',
  comments: 'manage_comments',
  messages: 'manage_messages',
  insights: 'manage_insights',
  delete: 'manage_contents',
  like: 'manage_engagement',
});
export type Right = keyof typeof RIGHTS;

/** One of the two log-ins, and what it calls the rights. */
export type Login = Readonly<{ isFacebook: boolean; rights: Readonly<Record<Right, string>> }>;

const rightsOf = (start: string) =>
  Object.fromEntries(Object.entries(RIGHTS).map(([right, name]) => [right, `${start}_${name}`])) as Login['rights'];
export const INSTAGRAM_RIGHTS = rightsOf('instagram_business');
export const FACEBOOK_RIGHTS = rightsOf('instagram');

/** Who may read and write what an account has, by one of the two log-ins. */
export const accessOf = ({ people }: World, { rights }: Login): Access<Right> => ({
  read: ({ actor }, account, right) => requireRead(actor, account, people, rights[right]),
  write: ({ actor }, account, right) =>
    requireWrite(actor, pageAt({ people }, account), people, {
      scopes: [rights.basic, rights[right]],
      task: right === 'publish' ? 'CREATE_CONTENT' : 'MODERATE',
    }),
});

/** Makes the methods of one of the two log-ins. */
export const methodsOf = (world: World, login: Login) =>
  makeMethods<InstagramDocs, Right>(world, accessOf(world, login));

const seal = ({ appSecret }: World, blob: string, ends: string) =>
  hmac(appSecret, 'sha256', `${blob} ${ends}`).digest('hex').slice(0, 32);

/** The address of a file, which is good for a while. */
export function mediaUrl(world: World, blob: string): string {
  const ends = Math.floor((world.clock.now() + world.settings.get('media_url_life_ms')) / 1000).toString(16);
  return `${world.hosts.cdn()}/${blob}?oh=${seal(world, blob, ends)}&oe=${ends}`;
}

/** Whether the address of a file still counts; one without an end always does. */
export function isGood(world: World, blob: string, query: URLSearchParams): boolean {
  const ends = query.get('oe');
  if (ends === null) return true;
  return query.get('oh') === seal(world, blob, ends) && Number.parseInt(ends, 16) * 1000 > world.clock.now();
}

/** Where people find a post. */
export function permalinkOf({ hosts, people }: World, { product, page_id, id, shortcode }: Media): string {
  const username = people.page(page_id)?.username;
  if (product === 'STORY') return `${hosts.www()}/stories/${username}/${id}`;
  return `${hosts.www()}/${product === 'REELS' ? 'reel' : 'p'}/${shortcode}/`;
}
