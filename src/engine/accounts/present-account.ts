import type { AccountRow } from '#db/access/accounts.ts';
import { sandboxMark } from '#call/accounts.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { capabilitiesOf } from '#platforms/support.ts';

/** An account in the API's format; each part of a sandbox account is marked as such. */
export function presentAccount(row: AccountRow, platforms: Platforms) {
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
    capabilities: capabilitiesIn(row, platforms),
    metadata: metadataOf(row),
  };
}

function capabilitiesIn(row: AccountRow, platforms: Platforms) {
  const platform = platformFor(platforms, row);
  const { scopes_granted: granted } = row.metadata;
  if (platform === undefined) return [];
  return capabilitiesOf(platform, Array.isArray(granted) ? (granted as readonly string[]) : undefined);
}

/** The platform's metadata, with the sandbox mark and notices to the owner added. */
function metadataOf(row: AccountRow): Record<string, unknown> {
  return { ...row.metadata, ...(row.notice !== null && { notice: row.notice }), ...sandboxMark(row) };
}

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
