import { deleteGrant } from '#db/access/oauth.ts';
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

/** Ends, as End now does, what a user gave a client; false when there was nothing. */
export async function endGrants(around: Around, userId: string, clientId: string): Promise<boolean> {
  const grants = (await grantsOf(around, userId)).filter(({ client_id }) => client_id === clientId);
  for (const { grant_id } of grants) await around.store.write(({ db }) => deleteGrant(db, grant_id!));
  return grants.length > 0;
}
