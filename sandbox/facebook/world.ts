import { makeMethods } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { requireRead, requireWrite } from '../graph/oauth/tokens.ts';
import { GRAPH_SETTINGS, pageAt } from '../graph/world.ts';
import type { FacebookDocs } from './docs.ts';

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  /** A fresh post is missing from lists for so long. */
  list_lag_ms: 0,
  /** A video is in processing for so long, and for so many reads of its status. */
  video_processing_ms: 0,
  video_processing_polls: 1,
  /** On: videos that arrive from now on cannot be used. */
  video_fails: false,
  /** Off: an unpublished post cannot be switched on by `is_published=true`. */
  drafts: true,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
});

/** Everything the parts of the twin share. */
export type World = WorldOf<FacebookDocs, typeof SETTINGS>;

type Right = Readonly<{ scopes: readonly string[]; task: string }>;

/** What reading, publishing, and taking part in what is said need. */
export const READ = 'pages_read_engagement';
export const WRITE: Right = Object.freeze({ scopes: ['pages_manage_posts', READ], task: 'CREATE_CONTENT' });
export const ACT: Right = Object.freeze({ scopes: ['pages_manage_engagement'], task: 'MODERATE' });

/** Makes methods for those with a permission on a Page, or with a task on it besides. */
export const methodsOf = (world: World) =>
  makeMethods<FacebookDocs, string, Right>(world, {
    read: ({ actor }, page, scope) => requireRead(actor, page, world.people, scope),
    write: ({ actor }, page, right) => requireWrite(actor, pageAt(world, page), world.people, right),
  });
