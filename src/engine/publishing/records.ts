import type { PostRow } from '../../../db/posts.ts';
import type { TargetRow } from '../../../db/targets.ts';
import type { PublishLogRow } from '../../../db/logs.ts';
import type { ListedPost, PostMetrics } from '../../platforms/platform.ts';
import { wireTime } from '../../kernel/clock.ts';
import { mediaIdsOf, parseOverrides, parseRefs, parseSegments } from './content.ts';
import type { TargetError } from './failures.ts';

/** What the API shows of a target's failure. */
function wireError(stored: string | null) {
  if (stored === null) return null;
  const { upstream: _, ...error } = JSON.parse(stored) as TargetError;
  return error;
}

/** A target as it stands in `targets` and `results`. */
export function wireTarget(row: TargetRow) {
  const { board_id, text, title, first_comment, visibility, media, platform_data } = parseOverrides(row.overrides);
  const error = wireError(row.error);
  return {
    account_id: row.account_id,
    brand_id: row.brand_id,
    platform: row.platform,
    status: row.status,
    page_id: row.page_id,
    board_id: board_id ?? null,
    text: text ?? null,
    title: title ?? null,
    first_comment: first_comment ?? null,
    visibility: visibility ?? null,
    media: media ?? null,
    media_ids: media ? mediaIdsOf(media) : null,
    platform_data: platform_data ?? null,
    scheduled_at: wireTime(row.scheduled_at),
    platform_post_id: row.platform_post_id,
    permalink: row.permalink,
    published_at: wireTime(row.published_at),
    attempts: row.attempts,
    error_code: error?.code ?? null,
    error,
    metrics: row.metrics === null ? null : (JSON.parse(row.metrics) as PostMetrics),
    metrics_synced_at: wireTime(row.metrics_synced_at),
    platform_media: row.platform_media === null ? null : (JSON.parse(row.platform_media) as ListedPost['media']),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  };
}

/** A post as every operation answers it: `targets` and `results` are the same array (clients.md § Post). */
export function wirePost(row: PostRow, targets: readonly TargetRow[]) {
  const results = targets.map(wireTarget);
  const media = parseRefs(row.media);
  return {
    id: row.id,
    post_id: row.id,
    status: row.status,
    text: row.text,
    title: row.title,
    visibility: row.visibility,
    first_comment: row.first_comment,
    media,
    media_ids: mediaIdsOf(media),
    segments: parseSegments(row.segments),
    platform_data: JSON.parse(row.platform_data) as Record<string, unknown>,
    scheduled_at: wireTime(row.scheduled_at),
    published_at: wireTime(row.published_at),
    hidden: row.hidden === 1,
    retry_count: row.retry_count,
    source: row.source,
    targets: results,
    results,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
  };
}

export type WirePost = ReturnType<typeof wirePost>;

/** An entry of the publishing log (spec § Publishing log entry). */
export function wirePublishLog(row: PublishLogRow) {
  const { workspace_id: _, created_at, ...entry } = row;
  return { ...entry, created_at: wireTime(created_at) };
}
