import type { MediaRef, Segment, TargetError } from '#db/schema/database.ts';
import type { PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { PublishLogRow } from '#db/posts/logs.ts';
import { isoTime } from '#kernel/clock.ts';
import type { ConvertedPicture } from '#kernel/pictures/picture.ts';
import { sentences, stepOf } from '#kernel/envelope.ts';
import { isPartlyPublic } from '../state/machine.ts';
import { reportedIn } from '#platforms/refusal.ts';
import { mediaIdsOf } from '../content/content.ts';
import { nextAttemptOf } from './waiting.ts';

/** A failure as the API shows it: what happened, and what to do about it. */
export function presentError(error: TargetError) {
  const { code, message, next = stepOf(code), category, caused_by, status } = error;
  return { code, message: sentences(message, next), category, caused_by, status, ...reportedIn(error) };
}

/** A target's failure and the time of the next attempt; null while published or in processing. */
function failureOf(row: TargetRow) {
  if (row.error === null || row.error.pending || row.status === 'published') return null;
  const stored = row.error;
  if (row.status !== 'publishing') return presentError(stored);
  const at = isoTime(nextAttemptOf(row) ?? null);
  if (at === null) return presentError({ ...stored, next: 'It is being tried again now.' });
  return { ...presentError({ ...stored, next: `Next attempt at ${at}.` }), next_attempt_at: at };
}

/** Items that were stored without a kind are images. */
function presentMedia({ source, source_type, type = 'image', fit, background, focus }: MediaRef) {
  return { source, source_type, type, ...(fit && { fit }), ...(background && { background }), ...(focus && { focus }) };
}

function presentPicture({ source, content_type, size_bytes, width, height }: ConvertedPicture) {
  return { source, content_type, size_bytes, width, height };
}

/** A target as `targets` and `results` show it; unless it has its own media, it shows the post's. */
export function presentTarget(row: TargetRow, mediaOfPost: readonly MediaRef[]) {
  const overrides = row.overrides;
  const { board_id, text, title, first_comment, visibility, platform_data } = overrides;
  const media = overrides.media ?? mediaOfPost;
  const error = failureOf(row);
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
    media: media.map(presentMedia),
    media_ids: mediaIdsOf(media),
    platform_data: platform_data ?? null,
    scheduled_at: isoTime(row.scheduled_at),
    platform_post_id: row.platform_post_id,
    permalink: row.permalink,
    segments: row.segments ?? [],
    partly_public: isPartlyPublic(row),
    published_at: isoTime(row.published_at),
    attempts: row.attempts,
    error_code: error?.code ?? null,
    error,
    metrics: row.metrics,
    metrics_synced_at: isoTime(row.metrics_synced_at),
    ...(row.converted?.length && { converted_media: row.converted.map(presentPicture) }),
    platform_media: row.platform_media,
    metadata: row.metadata,
  };
}

function presentSegment({ text, media = [] }: Segment) {
  return { text: text ?? null, media: media.map(presentMedia), media_ids: mediaIdsOf(media) };
}

/** Clients read either `targets` or `results`, which are the same array. */
export function presentPost(row: PostRow, targets: readonly TargetRow[]) {
  const media = row.media;
  const results = targets.map((target) => presentTarget(target, media));
  return {
    id: row.id,
    post_id: row.id,
    status: row.status,
    text: row.text,
    title: row.title,
    visibility: row.visibility,
    first_comment: row.first_comment,
    media: media.map(presentMedia),
    media_ids: mediaIdsOf(media),
    segments: row.segments.map(presentSegment),
    platform_data: row.platform_data,
    scheduled_at: isoTime(row.scheduled_at),
    published_at: isoTime(row.published_at),
    hidden: row.hidden === 1,
    retry_count: row.retry_count,
    source: row.source,
    targets: results,
    results,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export type WirePost = ReturnType<typeof presentPost>;

export function presentPublishLog(row: PublishLogRow) {
  const { workspace_id: _, created_at, reported, ...entry } = row;
  return { ...entry, ...reported, created_at: isoTime(created_at) };
}
