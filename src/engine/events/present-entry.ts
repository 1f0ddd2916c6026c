import type { LogRow } from '#db/delivery/activity.ts';
import { isoTime } from '#kernel/clock.ts';

export function presentEntry(row: LogRow) {
  return {
    id: row.id,
    category: row.category,
    action: row.action,
    status: row.status,
    platform: row.platform,
    account_id: row.account_id,
    resource_id: row.resource_id,
    summary: row.summary,
    created_at: isoTime(row.created_at),
    duration_ms: row.duration_ms,
    status_code: row.status_code,
    error_category: row.error_category,
    error_message: row.error_message,
    metadata: row.metadata,
  };
}
