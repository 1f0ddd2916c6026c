import { GRAPH_SETTINGS } from '../graph/world.ts';
import type { WorldOf } from '../graph/index.ts';
import type { FacebookDocs } from './docs.ts';

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  /** A fresh post is missing from lists for so long. */
  list_lag_ms: 0,
  /** A video is in processing for so long, and for so many reads of its status. */
  video_processing_ms: 0,
  video_processing_polls: 1,
  /** Off: an unpublished post cannot be switched on by `is_published=true`. */
  drafts: true,
  ...GRAPH_SETTINGS,
});

/** Everything the parts of the twin share. */
export type World = WorldOf<FacebookDocs, typeof SETTINGS>;
