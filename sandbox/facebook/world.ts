import { makeMethods } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { INSIGHT_SETTINGS } from '../graph/insights.ts';
import { requireRead, requireWrite } from '../graph/oauth/tokens.ts';
import { GRAPH_SETTINGS, pageAt } from '../graph/world.ts';
import type { FacebookDocs } from './docs.ts';

export const SETTINGS = Object.freeze({
  /** For how many ms a new post is missing from lists. */
  list_lag_ms: 0,
  /** How long processing a video takes in ms, and for how many status reads. */
  video_processing_ms: 0,
  video_processing_polls: 1,
  /** If true, every new video fails to process. */
  video_fails: false,
  /** If false, `is_published=true` cannot publish an unpublished post. */
  drafts: true,
  ...GRAPH_SETTINGS,
  ...INSIGHT_SETTINGS,
});

export type World = WorldOf<FacebookDocs, typeof SETTINGS>;

type Right = Readonly<{ scopes: readonly string[]; task: string }>;

export const READ = 'pages_read_engagement';
export const WRITE: Right = Object.freeze({ scopes: ['pages_manage_posts', READ], task: 'CREATE_CONTENT' });
export const ACT: Right = Object.freeze({ scopes: ['pages_manage_engagement'], task: 'MODERATE' });

/** Makes methods that need a permission on a Page, and in some cases a task. */
export const methodsOf = (world: World) =>
  makeMethods<FacebookDocs, string, Right>(world, {
    read: ({ actor }, page, scope) => requireRead(actor, page, world.people, scope),
    write: ({ actor }, page, right) => requireWrite(actor, pageAt(world, page), world.people, right),
  });
