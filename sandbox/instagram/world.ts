import { makeMethods, type Access } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { CONTAINER_SETTINGS } from '../graph/media/containers.ts';
import { requireRead, requireWrite } from '../graph/oauth/tokens.ts';
import { GRAPH_SETTINGS, pageAt } from '../graph/world.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { ABOUT } from './about.ts';
import type { InstagramDocs, Media } from './docs.ts';

export const SLUG = ABOUT.slug;

export const SETTINGS = Object.freeze({
  ...CONTAINER_SETTINGS,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
  /** How many posts and containers an account may create in 24 hours. */
  publish_quota: 50,
  container_quota: 400,
  /** For how many ms the URL of a file works. */
  media_url_life_ms: 4 * 86_400_000,
  /** The age in ms at which a post gets its metrics. */
  insights_delay_ms: 0,
  /** Whether the response to a code has the token in a list, and the permissions as one string. */
  token_in_list: false,
  /** Whether liking with a Page token is refused. */
  likes_by_user_only: false,
  /** The fields chosen in the app's dashboard. */
  subscribed_fields:
    'comments,live_comments,mentions,messages,message_reactions,message_edit,messaging_seen,messaging_postbacks,messaging_referral',
  /** Whether changes are in the entry itself; `push_comment_id` calls the id `comment_id`. */
  push_flat: false,
  push_comment_id: false,
  author_ids: true,
});

export type World = WorldOf<InstagramDocs, typeof SETTINGS>;

/** Names of permissions, without the prefix that each login adds. */
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

/** One of the logins, with its names of the permissions. */
export type Login = Readonly<{ isFacebook: boolean; rights: Readonly<Record<Right, string>> }>;

const rightsOf = (start: string) =>
  Object.fromEntries(Object.entries(RIGHTS).map(([right, name]) => [right, `${start}_${name}`])) as Login['rights'];
export const INSTAGRAM_RIGHTS = rightsOf('instagram_business');
export const FACEBOOK_RIGHTS = rightsOf('instagram');

export const accessOf = ({ people }: World, { rights }: Login): Access<Right> => ({
  read: ({ actor }, account, right) => requireRead(actor, account, people, rights[right]),
  write: ({ actor }, account, right) =>
    requireWrite(actor, pageAt({ people }, account), people, {
      scopes: [rights.basic, rights[right]],
      task: right === 'publish' ? 'CREATE_CONTENT' : 'MODERATE',
    }),
});

export const methodsOf = (world: World, login: Login) =>
  makeMethods<InstagramDocs, Right>(world, accessOf(world, login));

const seal = ({ appSecret }: World, blob: string, ends: string) =>
  hmac(appSecret, 'sha256', `${blob} ${ends}`).digest('hex').slice(0, 32);

/** The URL of a file, which works only for a while. */
export function mediaUrl(world: World, blob: string): string {
  const ends = Math.floor((world.clock.now() + world.settings.get('media_url_life_ms')) / 1000).toString(16);
  return `${world.hosts.cdn()}/${blob}?oh=${seal(world, blob, ends)}&oe=${ends}`;
}

/** Whether the URL of a file still works. */
export function isGood(world: World, blob: string, query: URLSearchParams): boolean {
  const ends = query.get('oe');
  if (ends === null) return true;
  return query.get('oh') === seal(world, blob, ends) && Number.parseInt(ends, 16) * 1000 > world.clock.now();
}

export function permalinkOf({ hosts, people }: World, { product, page_id, id, shortcode }: Media): string {
  const username = people.page(page_id)?.username;
  if (product === 'STORY') return `${hosts.www()}/stories/${username}/${id}`;
  return `${hosts.www()}/${product === 'REELS' ? 'reel' : 'p'}/${shortcode}/`;
}
