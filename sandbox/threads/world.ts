/** What is kept of Threads, and how it behaves where the real network differs from day to day. */
import type { GraphDocs } from '../graph/docs.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { CONTAINER_SETTINGS } from '../graph/media/containers.ts';
import type { Container } from '../graph/media/containers.ts';
import type { Medium } from '../graph/media/medium.ts';
import type { AuthoredPost } from '../graph/authored.ts';
import { GRAPH_SETTINGS } from '../graph/world.ts';
import type { Doc } from '../kit/docs.ts';
import { ABOUT } from './about.ts';

/** Who may answer a post. */
export const AUDIENCES = Object.freeze(
  'everyone accounts_you_follow mentioned_only parent_post_author_only followers_only'.split(' '),
);

/** What a post will be; an answer names what it answers. */
export type Draft = Readonly<{
  text: string;
  media?: readonly Medium[];
  reply_to?: string | undefined;
  /** What it quotes or, without words of its own, repeats. */
  quoted?: string | undefined;
  reposted?: string | undefined;
  link?: string | undefined;
  gif?: string | undefined;
  topic_tag?: string | undefined;
  audience?: string | undefined;
  /** Polls, locations and the like, as they were sent. */
  extra?: Readonly<Record<string, unknown>> | undefined;
}>;

/** What somebody said; `page_id` is its author, and a reply's `parent_id` is what it answers. */
export type Post = AuthoredPost &
  Omit<Draft, 'reply_to' | 'media'> &
  Readonly<{
    /** The post at the top of the conversation; its own id where it is that post. */
    root: string;
    audience: string;
    is_hidden: boolean;
  }>;

export const isReply = ({ parent_id = '' }: Post): boolean => parent_id !== '';

/** A deletion counts towards the limit of a day. */
export type ThreadsDocs = GraphDocs &
  Readonly<{ post: Post; deletion: Doc & Readonly<{ page_id: string }>; container: Container<Draft> }>;

export const SLUG = ABOUT.slug;

/** The switches of the twin. */
export const SETTINGS = Object.freeze({
  ...CONTAINER_SETTINGS,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
  /** A fresh container is not found by those who publish it for so long. */
  publish_lag_ms: 0,
  /** What is published, answered and deleted by the app in 24 hours at most. */
  post_quota: 250,
  reply_quota: 1000,
  delete_quota: 100,
  /** The fields that the app has subscribed to in its dashboard. */
  subscribed_fields: 'replies,mentions,publish,delete',
  /** Updates come as a list. */
  push_values_array: false,
});

/** Everything the parts of the twin share. */
export type World = WorldOf<ThreadsDocs, typeof SETTINGS>;

/** Where people find a post. */
export const permalinkOf = ({ hosts, people }: World, { page_id, shortcode }: Post): string =>
  `${hosts.www()}/@${people.byId(page_id)?.handle}/post/${shortcode}`;
