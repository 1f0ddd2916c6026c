import type { PlanTier } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { ListedPost, PostMetrics } from '#platforms/posts.ts';
import type { Flag, Json } from './column.ts';

/** Tables of exports; conventions: database.ts. */
export type ExportTables = {
  exports: ExportsTable;
  export_posts: ExportPostsTable;
};

export type ExportStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** The remaining work: pages to read with cursor and empty-page count, then the position of the analysis. */
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
  /** The account may be deleted by now. */
  account_id: string;
  platform: PlatformSlug;
  account_name: string;
  /** The plan it was created under, whose limits apply. */
  plan: PlanTier;
  status: ExportStatus;
  transcripts: Flag;
  vision: Flag;
  /** Null when nothing is left to do. */
  reading: Json<Reading> | null;
  posts: number;
  /** Posts that are complete. */
  processed: number;
  warnings: Json<readonly string[]>;
  /** Additional metrics of this platform that some posts have. */
  extra_names: Json<readonly string[]>;
  failure: string | null;
  /** Consecutive failed tries. */
  failures: number;
  /** Rises with every step, so that none is done twice. */
  version: number;
  /** The period whose counter was charged. */
  charged: number;
  created_at: number;
  completed_at: number | null;
  /** When its posts are removed; NEVER while it runs. */
  expires_at: number;
  /** When somebody deleted it; the row stays, as it counts for the pause between exports. */
  deleted_at: number | null;
};

type ExportPostsTable = {
  export_id: string;
  platform_id: string;
  workspace_id: string;
  /** Rises in the platform's order, with gaps. */
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
