import type { PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { ListedPost, PostMetrics } from '#platforms/posts.ts';
import type { Flag, Json } from './column.ts';

/** Tables of exports. The conventions are those of database.ts. */
export type ExportTables = {
  exports: ExportsTable;
  export_posts: ExportPostsTable;
};

export type ExportStatus = 'pending' | 'processing' | 'completed' | 'failed';

/**
 * What is still to be done: pages of the account to be read (null where it has none), where the first of them goes on,
 * after how many pages of its list in a row without anything new, and whether any page was shown by now; then the
 * position from which on posts are to be listened to and looked at.
 */
export type Reading = Readonly<
  | { pages: readonly (string | null)[]; cursor?: string | undefined; empty?: number; shown?: true }
  | { pages?: never; insight: number }
>;

/** What was found out about a post by listening and looking. */
export type Insight = Readonly<{
  transcript?: string;
  transcript_lang?: string | undefined;
  vision_summary?: string;
  vision_category?: string;
  vision_elements?: readonly string[];
}>;

type ExportsTable = {
  id: string;
  workspace_id: string;
  brand_id: string;
  /** The account may be gone by now. */
  account_id: string;
  platform: PlatformSlug;
  account_name: string;
  /** The plan it was made under, whose limits it keeps. */
  plan: PlanTier;
  status: ExportStatus;
  transcripts: Flag;
  vision: Flag;
  /** Null as soon as nothing is left to be done. */
  reading: Json<Reading> | null;
  /** How many posts were read. */
  posts: number;
  /** How many of them are complete. */
  processed: number;
  warnings: Json<readonly string[]>;
  /** The names of the metrics that this platform counts beside those of all, as far as posts had some. */
  extra_names: Json<readonly string[]>;
  failure: string | null;
  /** Tries in a row that did not work out. */
  failures: number;
  /** Goes up with every step, so that no step is taken twice. */
  version: number;
  /** The period whose counter it was taken from. */
  charged: number;
  created_at: number;
  completed_at: number | null;
  /** When its posts are removed; NEVER while it is under way. */
  expires_at: number;
};

type ExportPostsTable = {
  export_id: string;
  platform_id: string;
  workspace_id: string;
  /** Rises in the order in which the platform listed them, with gaps. */
  position: number;
  published_at: number;
  page_id: string | null;
  title: string | null;
  text: string;
  permalink: string | null;
  media: Json<ListedPost['media']>;
  duration_ms: number | null;
  width: number | null;
  height: number | null;
  metrics: Json<PostMetrics> | null;
  insight: Json<Insight> | null;
};
