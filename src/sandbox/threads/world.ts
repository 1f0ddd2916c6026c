import type { WorldOf } from '../graph/index.ts';
import { CONTAINER_SETTINGS } from '../graph/media/containers.ts';
import { GRAPH_SETTINGS } from '../graph/world.ts';
import { ABOUT } from './about.ts';
import type { Post, ThreadsDocs } from './docs.ts';

export const SLUG = ABOUT.slug;

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  ...CONTAINER_SETTINGS,
  ...GRAPH_SETTINGS,
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
