import { passKeysOn } from '#db/access/keys.ts';
import { endInvitationsOf } from '#db/access/signin.ts';
import { deleteUser, holdWorkspace, ownerIdOf, updateUser, type UserRow } from '#db/access/users.ts';
import { endAppsOf, endKeysOf, holdConnectionsOf } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry, Tx } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { ADMINISTRATORS, wordsOf, type Role } from '#kernel/people/roles.ts';

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

/** Why a person cannot become the owner of a workspace: nobody could sign in as its owner. */
export function whyNotOwner({ disabled_at, password_hash }: UserRow): 'disabled' | 'no_password' | undefined {
  if (disabled_at !== null) return 'disabled';
  return password_hash === null ? 'no_password' : undefined;
}

/** Gives a person another role in a transaction. An owner before them is an administrator from then on. */
export async function takeRole(tx: Tx, person: UserRow, role: Role): Promise<void> {
  const { id, name, workspace_id: workspace } = person;
  if (role === 'owner') await updateUser(tx.db, await ownerIdOf(tx.db, { workspace }), { role: 'admin' });
  if (!ADMINISTRATORS.some((one) => one === role)) await endInvitationsOf(tx.db, id);
  await updateUser(tx.db, id, { role });
  await tx.log(entryOf({ workspace }, id, 'role_changed', `${name} is now ${wordsOf(role).title}`));
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
  await endInvitationsOf(tx.db, id);
  await passKeysOn(tx.db, id, ownerId);
  await deleteUser(tx.db, id);
  await tx.log(entryOf({ workspace }, id, 'removed', by === id ? `${name} left the workspace` : `${name} was removed`));
}
