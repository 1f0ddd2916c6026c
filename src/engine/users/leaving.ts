import { passKeysOn } from '#db/access/keys.ts';
import { deleteUser, holdWorkspace, ownerIdOf, type UserRow } from '#db/access/users.ts';
import { endAppsOf, endKeysOf, holdConnectionsOf } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry, Tx } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';

/** Changes the people of a workspace in one transaction; two such changes of a workspace never run at once. */
export function changePeople<T>(store: Store, workspaceId: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  return store.write(async (tx) => {
    const workspace = await holdWorkspace(tx.db, tx.dialect, workspaceId);
    if (workspace === undefined || workspace.removed_at !== null) fail('auth.user_not_found');
    return change(tx);
  });
}

/** The entry of the events log for what was done with a person. It names nobody's address: viewers read the log. */
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

/** Removes a person who is not the owner. Their keys end, or belong to the owner from then on. */
export async function removeWithin(
  tx: Tx,
  { id, name, workspace_id: workspace }: UserRow,
  { endKeys, by, now }: Readonly<{ endKeys: boolean; by: string | undefined; now: number }>,
): Promise<void> {
  const ownerId = await ownerIdOf(tx.db, { workspace });
  // No action of the person's apps and keys can begin between here and the answer.
  await holdConnectionsOf(tx.db, tx.dialect, id);
  await endAppsOf(tx.db, id, now);
  if (endKeys) await endKeysOf(tx.db, id, by ?? ownerId, now);
  await passKeysOn(tx.db, id, ownerId);
  await deleteUser(tx.db, id);
  await tx.log(entryOf({ workspace }, id, 'removed', by === id ? `${name} left the workspace` : `${name} was removed`));
}
