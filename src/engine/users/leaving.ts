import { passKeysOn } from '#db/access/keys.ts';
import { deleteUser, findWorkspaceOwner, type UserRow } from '#db/access/users.ts';
import { endAppsOf, endKeysOf, holdConnectionsOf } from '#db/leash/connections.ts';
import type { LogEntry, Tx } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

/** The entry of the events log for what was done with a person. */
export function entryOf({ workspace }: Pick<Authority, 'workspace'>, id: string, done: string, what: string): LogEntry {
  return {
    workspaceId: workspace,
    category: 'api',
    action: `person_${done}`,
    status: 'success',
    resourceId: id,
    summary: what,
  };
}

/** Removes a person in a transaction; their keys go to whoever is left to answer for them. */
export async function removeWithin(
  tx: Tx,
  person: UserRow,
  { endKeys, by, now }: Readonly<{ endKeys: boolean; by: string; now: number }>,
): Promise<void> {
  const heir = by === person.id ? (await findWorkspaceOwner(tx.db, person.workspace_id))!.id : by;
  // No action of the person's apps and keys can begin between here and the answer.
  await holdConnectionsOf(tx.db, tx.dialect, person.id);
  await endAppsOf(tx.db, person.id, now);
  if (endKeys) await endKeysOf(tx.db, person.id, by, now);
  await passKeysOn(tx.db, person.id, heir);
  await deleteUser(tx.db, person.id);
  const what = by === person.id ? `${person.email} left the workspace` : `${person.email} was removed`;
  await tx.log(entryOf({ workspace: person.workspace_id }, person.id, 'removed', what));
}
