import { hasEnded, type ExportPostRow, type ExportRow } from '#db/exports/exports.ts';
import { isoTime } from '#kernel/clock.ts';
import { PLANS } from '#kernel/plans.ts';

export type Files = Readonly<{ excel_url: string; report_url: string }>;

/** Progress in percent of the posts known so far, up to the plan's limit. */
function progressOf({ status, plan, reading, posts, processed, transcripts, vision }: ExportRow): number {
  if (status === 'completed') return 100;
  const { videos: most } = PLANS[plan].exports;
  const total = reading?.pages && most > 0 ? most : posts;
  const done = transcripts || vision ? processed : posts;
  if (reading?.pages && most < 0) return 0;
  return total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total));
}

/** `files` is set for a completed export that has not expired. */
export function presentExport(row: ExportRow, files: Files | null) {
  const looksInto = row.transcripts || row.vision;
  return {
    id: row.id,
    account_id: row.account_id,
    platform: row.platform,
    status: row.status,
    total_videos: row.posts,
    processed_videos: looksInto && !hasEnded(row) ? row.processed : row.posts,
    progress: progressOf(row),
    error: row.failure,
    warnings: row.warnings,
    created_at: isoTime(row.created_at),
    completed_at: isoTime(row.completed_at),
    expires_at: row.status === 'completed' ? isoTime(row.expires_at) : null,
    result: files,
    report_url: files?.report_url ?? null,
    download_url: files?.excel_url ?? null,
  };
}

/** Views, if the platform counts them. */
export function viewsOf({ metrics }: Pick<ExportPostRow, 'metrics'>): number | null {
  return metrics?.extra?.['views'] ?? metrics?.extra?.['impressions'] ?? null;
}

export function presentPost(post: ExportPostRow, platform: ExportRow['platform']) {
  return {
    platform,
    platform_video_id: post.platform_id,
    title: post.title ?? '',
    description: post.text,
    share_url: post.permalink ?? '',
    cover_image_url: post.media.find(({ type }) => type === 'image')?.url ?? '',
    create_time: isoTime(post.published_at),
    duration_seconds: post.duration_ms === null ? null : Math.round(post.duration_ms / 1000),
    width: post.width,
    height: post.height,
    view_count: viewsOf(post),
    ...presentCounts(post),
    ...presentInsight(post),
  };
}

function presentCounts({ metrics }: ExportPostRow) {
  return {
    like_count: metrics?.likes ?? null,
    comment_count: metrics?.comments ?? null,
    share_count: metrics?.shares ?? null,
    save_count: metrics?.saves ?? null,
    metrics: metrics?.extra ?? {},
  };
}

function presentInsight({ insight }: ExportPostRow) {
  return {
    transcript: insight?.transcript ?? null,
    transcript_lang: insight?.transcript_lang ?? null,
    vision_summary: insight?.vision_summary ?? null,
    vision_category: insight?.vision_category ?? null,
    vision_elements: insight?.vision_elements ?? [],
  };
}
