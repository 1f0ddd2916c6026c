import { deleteSessionsOf, endPasswordLinksOf } from '#db/access/signin.ts';
import { findOwner, findUserByEmail, insertPerson, OWNER, updateUser, type UserRow } from '#db/access/users.ts';
import { endAppsOf, holdConnectionsOf } from '#db/leash/connections.ts';
import { writeSetting } from '#db/store/settings.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { wordsOf, type Role } from '#kernel/people/roles.ts';
import { changePeople, entryOf, takeRole, whyNotOwner } from './changes.ts';
import { refuseAddress, refuseKnown } from './people.ts';

type StandingDeps = Readonly<{ store: Store; clock: Clock }>;

export type Refusal = 'unknown' | 'owner' | 'disabled' | 'no_password' | 'owns_workspace';

/** The user, or why nothing was changed. */
type StandingResult = Readonly<{ user: UserRow; refused?: undefined } | { user?: undefined; refused: Refusal }>;

/** Changes the user with this address in one transaction, unless `change` says why not. */
async function changeUser(
  store: Store,
  email: string,
  change: (tx: Tx, user: UserRow) => Promise<Refusal | void>,
): Promise<StandingResult> {
  const known = await findUserByEmail(store.db, email);
  if (known === undefined) return { refused: 'unknown' };
  return changePeople(store, known.workspace_id, async (tx) => {
    const user = await findUserByEmail(tx.db, email);
    if (user === undefined) return { refused: 'unknown' };
    const refused = await change(tx, user);
    return refused === undefined ? { user } : { refused };
  });
}

/** Signs a user out, disconnects their apps, and refuses their keys until the user is enabled again. */
export function disableUser({ store, clock }: StandingDeps, email: string): Promise<StandingResult> {
  return changeUser(store, email, async (tx, user) => {
    if ((await findOwner(tx.db))?.id === user.id) return 'owner';
    const now = clock.now();
    // No action of the user's keys can begin between here and the answer.
    await holdConnectionsOf(tx.db, tx.dialect, user.id);
    await updateUser(tx.db, user.id, { disabled_at: user.disabled_at ?? now });
    await deleteSessionsOf(tx.db, user.id);
    await endPasswordLinksOf(tx.db, user.id);
    await endAppsOf(tx.db, user.id, now);
    return undefined;
  });
}

/** Lets a disabled user sign in again. Their keys work again, but their apps have to be connected again. */
export function enableUser({ store }: Pick<StandingDeps, 'store'>, email: string): Promise<StandingResult> {
  return changeUser(store, email, (tx, user) => updateUser(tx.db, user.id, { disabled_at: null }));
}

/** Makes a user the owner of the server in place of the current one; the user must be able to sign in. */
export function makeOwner({ store }: Pick<StandingDeps, 'store'>, email: string): Promise<StandingResult> {
  return changeUser(store, email, async (tx, user) => whyNotOwner(user) ?? writeSetting(tx.db, OWNER, user.id));
}

/**
 * Gives a user another role in their workspace, in which the owner is then an administrator if the role is theirs. The
 * new owner needs no password: an identity provider may sign them in.
 */
export function giveRole({ store }: Pick<StandingDeps, 'store'>, email: string, role: Role): Promise<StandingResult> {
  return changeUser(store, email, async (tx, user) => {
    if (user.role === role) return undefined;
    if (user.role === 'owner') return 'owns_workspace';
    if (role === 'owner' && user.disabled_at !== null) return 'disabled';
    return takeRole(tx, user, role);
  });
}

type Added = Readonly<{ email: string; name: string; passwordHash: string; role: Exclude<Role, 'owner'> }>;

/** Adds a person to a workspace without an invitation; refused as an invitation would be. Returns their id. */
export function addPerson({ store, clock }: StandingDeps, workspaceId: string, added: Added): Promise<string> {
  const { email, name, passwordHash, role } = added;
  return changePeople(store, workspaceId, async (tx) => {
    const now = clock.now();
    await refuseAddress(tx.db, authorityOver(workspaceId), email, now);
    const id = newId('usr', now);
    const user = { id, workspace_id: workspaceId, email, name, password_hash: passwordHash, role, created_at: now };
    if (!(await insertPerson(tx.db, user))) refuseKnown(email);
    const what = `${name} was added as ${wordsOf(role).title}`;
    await tx.log(entryOf({ workspace: workspaceId }, id, 'added', what));
    return id;
  });
}
