import { deleteSessionsOf } from '#db/access/signin.ts';
import { findOwner, findUserByEmail, OWNER, updateUser, type UserRow } from '#db/access/users.ts';
import { endAppsOf, holdConnectionsOf } from '#db/leash/connections.ts';
import { writeSetting } from '#db/store/settings.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';

type StandingDeps = Readonly<{ store: Store; clock: Clock }>;

export type Refusal = 'unknown' | 'owner' | 'disabled' | 'no_password';

/** The user, or why nothing was changed. */
type StandingResult = Readonly<{ user: UserRow; refused?: undefined } | { user?: undefined; refused: Refusal }>;

/** Changes the user with this address in one transaction, unless `change` says why not. */
function changeUser(
  store: Store,
  email: string,
  change: (tx: Tx, user: UserRow) => Promise<Refusal | void>,
): Promise<StandingResult> {
  return store.write(async (tx) => {
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
  return changeUser(store, email, async (tx, { id, disabled_at, password_hash }) => {
    if (disabled_at !== null) return 'disabled';
    if (password_hash === null) return 'no_password';
    return writeSetting(tx.db, OWNER, id);
  });
}
