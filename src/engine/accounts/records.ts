import type { AccountRow } from '#db/access/accounts.ts';
import { sandboxMark } from '#call/accounts.ts';

/** An account as the API shows it; everything about a sandbox account says so. */
export function wireAccount(row: AccountRow) {
  return {
    id: row.id,
    brand_id: row.brand_id,
    platform: row.platform,
    name: row.name,
    username: row.username,
    bio: row.bio,
    profile_picture_url: row.profile_picture_url,
    status: row.status,
    reconnect_reason: row.reconnect_reason,
    metadata: metadataOf(row),
  };
}

/** The platform's own metadata of an account, with the sandbox flag and what its owner should know. */
export function metadataOf(row: AccountRow): Record<string, unknown> {
  return { ...row.metadata, ...(row.notice !== null && { notice: row.notice }), ...sandboxMark(row) };
}

/** What a finished connection answers. */
export function connectResult(row: AccountRow) {
  return {
    account_id: row.id,
    brand_id: row.brand_id,
    platform: row.platform,
    username: row.username,
    display_name: row.name,
    metadata: metadataOf(row),
  };
}
