import type { ActionRow } from '#db/leash/actions.ts';
import { loadConnection } from '#db/leash/connections.ts';
import { findKey } from '#db/access/keys.ts';
import { isGrantAlive, tokenUser } from '#db/access/oauth.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import { connectedAs, type Caller } from '#call/caller.ts';
import { authorityOf, authorityOver, workspaceOf } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Scope } from '#kernel/scopes.ts';

/** Finds the caller of an action; undefined if they may no longer call. */
export function makeCallerOf({ store, clock }: Readonly<{ store: Store; clock: Clock }>) {
  return async function callerOf(
    { connection_id, client }: Pick<ActionRow, 'connection_id' | 'client'>,
    db: Db = store.db,
  ): Promise<Caller | undefined> {
    const connection = await loadConnection(db, connection_id);
    if (!connection || connection.ended_at !== null) return undefined;
    const { ref, kind, user_id } = connection;
    if (kind === 'oauth' && !(await isGrantAlive(db, ref, clock.now()))) return undefined;
    const user = await tokenUser(db, { id: user_id }).executeTakeFirst();
    if (!user) return undefined;
    const whole = authorityOver(user.workspace_id);
    const key = kind === 'key' ? await findKey(db, whole, ref) : undefined;
    if (kind === 'key' && key?.is_active !== 1) return undefined;
    const authority = key
      ? authorityOver(user.workspace_id, { scopes: key.scopes as readonly Scope[], brands: key.brand_ids })
      : authorityOf(user);
    return {
      kind,
      id: ref,
      name: client ?? key?.name ?? user.name,
      userId: user_id,
      workspace: workspaceOf(user),
      ...connectedAs(ref, authority, connection),
    };
  };
}
