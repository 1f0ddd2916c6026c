import type { GraphDocs } from '../graph/docs.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { CONTAINER_SETTINGS, type Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { AuthoredPost } from '../graph/authored.ts';
import { GRAPH_SETTINGS } from '../graph/world.ts';
import type { Doc } from '../kit/docs.ts';
import { ABOUT } from './about.ts';

export const AUDIENCES = Object.freeze(
  'everyone accounts_you_follow mentioned_only parent_post_author_only followers_only'.split(' '),
);

/** A post to be published; a reply names the post it replies to. */
export type Draft = Readonly<{
  text: string;
  media?: readonly Medium[];
  reply_to?: string | undefined;
  /** The post that it quotes or, if it has no text, reposts. */
  quoted?: string | undefined;
  reposted?: string | undefined;
  link?: string | undefined;
  gif?: string | undefined;
  topic_tag?: string | undefined;
  audience?: string | undefined;
  /** Polls, locations and the like, as they were sent. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}>;

/** A post of `page_id`; `parent_id` is the post it replies to. */
export type Post = AuthoredPost &
  Omit<Draft, 'reply_to' | 'media'> &
  Readonly<{
    /** The first post of the conversation, which may be the post itself. */
    root: string;
    audience: string;
    is_hidden: boolean;
  }>;

export const isReply = ({ parent_id = '' }: Post): boolean => parent_id !== '';

/** A `deletion` records that a post was deleted, for the daily limit. */
export type ThreadsDocs = GraphDocs &
  Readonly<{ post: Post; deletion: Doc & Readonly<{ page_id: string }>; container: Container<Draft> }>;

export const SLUG = ABOUT.slug;

export const SETTINGS = Object.freeze({
  ...CONTAINER_SETTINGS,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
  /** For how many ms a new container is not found when it is published. */
  publish_lag_ms: 0,
  post_quota: 250,
  reply_quota: 1000,
  delete_quota: 100,
  /** The fields chosen in the app's dashboard. */
  subscribed_fields: 'replies,mentions,publish,delete',
  /** Whether the values of an update are a list. */
  push_values_array: false,
});

export type World = WorldOf<ThreadsDocs, typeof SETTINGS>;

export const permalinkOf = ({ hosts, people }: World, { page_id, shortcode }: Post): string =>
  `${hosts.www()}/@${people.byId(page_id)?.handle}/post/${shortcode}`;
