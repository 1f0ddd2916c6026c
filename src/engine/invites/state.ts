import { loadInvite, spendInvite, type InviteRow } from '#db/access/invites.ts';
import type { Tx } from '#db/store/tx.ts';
import { fail } from '#kernel/errors.ts';

/** Refuses an unusable invite with a reason that outsiders understand. */
export function refuseEnded(invite: InviteRow | undefined, now: number): asserts invite is InviteRow {
  if (invite === undefined) fail('invite.invalid', { message: 'This invitation does not exist.' });
  if (invite.used_at !== null) fail('invite.invalid', { message: 'This invitation was already used.' });
  if (invite.revoked_at !== null) fail('invite.invalid', { message: 'This invitation was withdrawn.' });
  if (invite.expires_at <= now) fail('invite.expired', { message: 'This invitation has expired.' });
}

/** Uses up an invite for an account; refuses if it was used up in the meantime. */
export async function takeInvite(tx: Tx, id: string, accountId: string, now: number): Promise<void> {
  const taken = await spendInvite(tx.db, id, accountId, now);
  const invite = await loadInvite(tx.db, id);
  if (!taken || !invite) return refuseEnded(invite, now);
  await tx.log(entryOf(invite, 'used'));
}

export function entryOf({ workspace_id, id, platform, brand_id }: InviteRow, done: 'created' | 'revoked' | 'used') {
  return {
    workspaceId: workspace_id,
    category: 'account',
    action: `invite_${done}`,
    status: 'success',
    platform,
    resourceId: id,
    summary: `Invite for ${platform} ${done}`,
    metadata: { brand_id },
  } as const;
}
