import { insertAccount } from '#db/access/accounts.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Workspace } from '#kernel/authority.ts';
import { newId } from '#kernel/ids.ts';
import { periodOf, type PlanTier } from '#kernel/plans.ts';

type Db = Tx['db'];

/** A workspace without brands, made now. */
export async function addWorkspace(store: Store, now: number, plan: PlanTier = 'enterprise'): Promise<Workspace> {
  const id = newId('ws', now);
  const row = { id, plan, created_at: now, blocked_at: null, brands_count: 0, storage_bytes: 0 };
  await store.write(({ db }) => db.insertInto('workspaces').values(row).execute());
  return { id, plan, createdAt: now, blockedAt: undefined, timezone: 'UTC' };
}

/** A brand; answers its id. */
export async function addBrand(db: Db, workspace_id: string, name: string, now: number): Promise<string> {
  const id = newId('brd', now);
  await db.insertInto('brands').values({ id, workspace_id, name, created_at: now, updated_at: now }).execute();
  return id;
}

type Person = Readonly<{ platform_user_id: string; name: string; username: string; profile_url?: string }>;
type Place = Pick<Parameters<typeof insertAccount>[1], 'workspace_id' | 'brand_id' | 'platform'>;

/** An account of a sandbox person whose session goes on for ever; answers its id. */
export async function addAccount(db: Db, now: number, place: Place, person: Person): Promise<string> {
  const id = newId('acc', now);
  await insertAccount(db, {
    id,
    ...place,
    network: 'sandbox',
    ...person,
    status: 'active',
    metadata: {},
    session: 'sealed',
    refresh_at: NEVER,
    lease_until: 0,
    created_at: now,
    updated_at: now,
  });
  return id;
}

/** What webhooks are told, oldest first. */
export async function eventsIn({ db }: Store) {
  const rows = await db.selectFrom('events').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(({ name, body }) => ({ name, data: (JSON.parse(body) as { data: Record<string, any> }).data }));
}

/** What a workspace has used in the running period. */
export async function usedIn({ db }: Store, workspace: Workspace, now: number): Promise<Used> {
  const row = await db
    .selectFrom('usage')
    .select(['posts', 'interactions'])
    .where('workspace_id', '=', workspace.id)
    .where('period_start', '=', periodOf(workspace, now).start)
    .executeTakeFirst();
  return row ?? { posts: 0, interactions: 0 };
}

type Used = Readonly<{ posts: number; interactions: number }>;
