import { findMediaAmong, type MediaRow, type Storage } from '#db/posts/media.ts';
import type { Db } from '#db/store/tx.ts';
import { authorityOver } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { PLANS, type PlanTier } from '#kernel/plans.ts';

export type MediaItem = Readonly<{
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  status: MediaRow['status'];
  url: string;
  thumbnail_url: string | null;
  created_at: string;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
}>;

/** The item of a row, with URLs that expire. */
export function itemOf(row: MediaRow, addresses: Pick<MediaItem, 'url' | 'thumbnail_url'>): MediaItem {
  const { id, filename, content_type, size_bytes, status, width, height, duration_ms } = row;
  const created_at = isoTime(row.created_at);
  return { id, filename, content_type, size_bytes, status, ...addresses, created_at, width, height, duration_ms };
}

/** The storage of a plan in bytes; -1 means unlimited. */
export function storageLimit(plan: PlanTier): number {
  return PLANS[plan].limits.storage_bytes;
}

/** Limits unverified uploads on unlimited plans, where otherwise any key could fill the disk. */
const MOST_PENDING = 2_147_483_648;

export function pendingLimit(plan: PlanTier): number {
  return storageLimit(plan) < 0 ? MOST_PENDING : -1;
}

/** How many bytes pending items may still take. */
export function roomIn({ plan, storage_bytes, pending_bytes }: Storage): number {
  const max = storageLimit(plan);
  return max < 0 ? MOST_PENDING - pending_bytes : max - storage_bytes - pending_bytes;
}

export const BY_UPLOAD_PAGE =
  'Call get_media_upload_url: PUT the file to its upload_url, or give a person its upload_page, where they choose it.';

/** Recognises a path, URL or file name that was sent instead of an id. */
const IS_FILE = /[/\\]|^\w+:/;

export function noSuchMedia(id: string): never {
  fail('media.not_found', { next: IS_FILE.test(id) ? BY_UPLOAD_PAGE : undefined, meta: { resource: 'media', id } });
}

/** The item, if it exists and its bytes can be read. */
export function readyRow<T extends Pick<MediaRow, 'status'>>(id: string, row: T | undefined): T {
  if (!row) noSuchMedia(id);
  if (row.status !== 'ready') fail('media.not_ready', { meta: { id } });
  return row;
}

export async function loadReady(db: Db, workspaceId: string, id: string): Promise<MediaRow> {
  const [row] = await findMediaAmong(db, authorityOver(workspaceId), [id]);
  return readyRow(id, row);
}

export function overQuota(plan: PlanTier): never {
  const max = storageLimit(plan);
  if (max >= 0) fail('billing.storage_quota', { meta: { plan, max } });
  fail('billing.storage_quota', {
    message: 'Too many uploads are not verified yet.',
    next: 'Verify those items with verify_media_upload, or delete them with delete_media.',
    meta: { plan, max: MOST_PENDING },
  });
}
