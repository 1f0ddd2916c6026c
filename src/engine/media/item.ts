import type { MediaRow } from '../../../db/media.ts';
import { wireTime } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import { PLANS, type PlanTier } from '../../kernel/plans.ts';

/** A media item as it is answered. */
export type MediaItem = Readonly<{
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  status: MediaRow['status'];
  url: string;
  created_at: string;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
}>;

/** The item of a row; `url` is where its bytes can be read for a while. */
export function itemOf(row: MediaRow, url: string): MediaItem {
  const { id, filename, content_type, size_bytes, status, width, height, duration_ms } = row;
  const created_at = wireTime(row.created_at);
  return { id, filename, content_type, size_bytes, status, url, created_at, width, height, duration_ms };
}

/** How many bytes a plan stores; -1 is any number. */
export function storageLimit(plan: PlanTier): number {
  return PLANS[plan].limits.storage_bytes;
}

export function noSuchMedia(id: string): never {
  fail('media.not_found', { meta: { resource: 'media', id } });
}

export function overQuota(plan: PlanTier): never {
  fail('billing.storage_quota', { meta: { plan, max: storageLimit(plan) } });
}
