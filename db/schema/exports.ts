import type { PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { ListedPost, PostMetrics } from '#platforms/posts.ts';
import type { Flag, Json } from './column.ts';

/** Tables of exports. Conventions are in database.ts. */
export type ExportTables = {
  exports: ExportsTable;
  export_posts: ExportPostsTable;
};

export type ExportStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** The work left to do: first pages to read, with the cursor and the number of empty pages, then the analysis. */
export type Reading = Readonly<
  | { pages: readonly (string | null)[]; cursor?: string | undefined; empty?: number; shown?: true }
  | { pages?: never; insight: number }
>;

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
  /** May belong to an account that has been deleted since. */
  account_id: string;
  platform: PlatformSlug;
  account_name: string;
  /** The plan when the export was created; its limits apply. */
  plan: PlanTier;
  status: ExportStatus;
  transcripts: Flag;
  vision: Flag;
  /** Null when there is no work left. */
  reading: Json<Reading> | null;
  posts: number;
  /** How many posts are complete. */
  processed: number;
  warnings: Json<readonly string[]>;
  /** Names of metrics that this platform has only for some posts. */
  extra_names: Json<readonly string[]>;
  failure: string | null;
  /** How many tries in a row have failed. */
  failures: number;
  /** Goes up with every step, so that no step is done twice. */
  version: number;
  /** The period of the usage counter that was charged. */
  charged: number;
  created_at: number;
  completed_at: number | null;
  /** When its posts are deleted; NEVER while it is running. */
  expires_at: number;
  /** When the user deleted it. The row is kept, because it counts towards the pause between exports. */
  deleted_at: number | null;
};

type ExportPostsTable = {
  export_id: string;
  platform_id: string;
  workspace_id: string;
  /** Increases in the platform's order, but may have gaps. */
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
