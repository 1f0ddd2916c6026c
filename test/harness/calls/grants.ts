import { listGrants } from '#db/leash/connections.ts';
import { findUser } from '#db/access/users.ts';
import type { Store } from '#db/store/open.ts';
import { authorityOver } from '#kernel/authority.ts';

type Around = Readonly<{ store: Pick<Store, 'db' | 'write'>; clock: { now(): number } }>;

/** The grants by which clients can act for a user now. */
export async function grantsOf({ store, clock }: Around, userId: string) {
  const { workspace_id } = (await findUser(store.db, userId))!;
  const grants = await listGrants(store.db, authorityOver(workspace_id), clock.now());
  return grants.filter(({ user_id }) => user_id === userId);
}

/** Ends everything a user gave a client; false when there was nothing. */
export async function endGrants({ store }: Pick<Around, 'store'>, userId: string, clientId: string): Promise<boolean> {
  const records = store.write(({ db }) =>
    db.deleteFrom('oauth_records').where('user_id', '=', userId).where('client_id', '=', clientId).executeTakeFirst(),
  );
  return (await records).numDeletedRows > 0n;
}
