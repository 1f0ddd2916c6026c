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
  /** Posts and containers of 24 hours. */
  publish_quota: 50,
  container_quota: 400,
  /** How long a file URL works. */
  media_url_life_ms: 4 * 86_400_000,
  /** A post's numbers appear at this age. */
  insights_delay_ms: 0,
  /** The code's answer has its token in a list, with permissions as one text. */
  token_in_list: false,
  /** Likes refuse Page tokens. */
  likes_by_user_only: false,
  /** Fields selected in the app's dashboard. */
  subscribed_fields:
    'comments,live_comments,mentions,messages,message_reactions,message_edit,messaging_seen,messaging_postbacks,messaging_referral',
  /** Changes are in the entry itself, with `comment_id`. */
  push_flat: false,
  push_comment_id: false,
  author_ids: true,
});

export type World = WorldOf<InstagramDocs, typeof SETTINGS>;

/** Permissions without the prefix of each log-in. */
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

/** A log-in, and its names of permissions. */
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

/** A file's temporary URL. */
export function mediaUrl(world: World, blob: string): string {
  const ends = Math.floor((world.clock.now() + world.settings.get('media_url_life_ms')) / 1000).toString(16);
  return `${world.hosts.cdn()}/${blob}?oh=${seal(world, blob, ends)}&oe=${ends}`;
}

/** Whether a file URL is still valid. */
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
