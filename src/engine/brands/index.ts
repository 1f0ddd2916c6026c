import { listAccounts } from '#db/access/accounts.ts';
import {
  type BrandRow,
  deleteBrand,
  findBrand,
  freeBrandSlot,
  holdBrand,
  insertBrand,
  listBrands,
  renameBrand,
  takeBrandSlot,
} from '#db/access/brands.ts';
import { endInvitesTo } from '#db/access/invites.ts';
import { disconnectedEntry } from '#db/posts/logs.ts';
import type { Store } from '#db/store/store.ts';
import { countScheduled } from '#db/posts/targets.ts';
import type { LogEntry } from '#db/store/tx.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { PLANS } from '#kernel/plans.ts';
import type { ReadyRevoke, UnitLimit } from '#call/ports.ts';
import { counted } from '#kernel/people/counted.ts';

type BrandDeps = Readonly<{
  store: Store;
  clock: Clock;
  units: Pick<UnitLimit, 'check'>;
  readyRevoke: ReadyRevoke;
}>;

function presentBrand(row: BrandRow) {
  return {
    id: row.id,
    name: row.name,
    accounts_count: row.accounts_count,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

function entryOf(workspaceId: string, id: string, done: 'created' | 'renamed' | 'deleted', name: string): LogEntry {
  return {
    workspaceId,
    category: 'account',
    action: `brand_${done}`,
    status: 'success',
    resourceId: id,
    summary: `Brand "${name}" ${done}`,
  };
}

/** Brands: named groups of accounts, with at most one account per platform. */
export function makeBrands({ store, clock, units, readyRevoke }: BrandDeps) {
  const get = async (authority: Authority, id: string) =>
    presentBrand((await findBrand(store.db, authority, id)) ?? noSuch('brand', id));

  return Object.freeze({
    get,

    list: async (authority: Authority) => (await listBrands(store.db, authority)).map(presentBrand),

    async create(workspace: Workspace, name: string) {
      const now = clock.now();
      const id = newId('brd', now);
      const plan = PLANS[workspace.plan];
      const row = { id, workspace_id: workspace.id, name, created_at: now, updated_at: now };
      const brand = presentBrand({ ...row, accounts_count: 0 });
      await store.write(async (tx) => {
        if (!(await takeBrandSlot(tx.db, workspace.id, plan.limits.profiles))) {
          fail('billing.brands_limit', {
            message: `The ${plan.name} plan allows ${counted(plan.limits.profiles, 'brand')}.`,
            meta: { plan: plan.tier, max: plan.limits.profiles },
          });
        }
        await units.check(tx, workspace.id);
        await insertBrand(tx.db, row);
        await tx.log(entryOf(workspace.id, id, 'created', name));
        await tx.key?.record(brand);
      });
      return brand;
    },

    async rename(authority: Authority, id: string, name: string) {
      const renamed = await store.write(async (tx) => {
        if (!(await renameBrand(tx.db, authority, id, name, clock.now()))) return false;
        await tx.log(entryOf(authority.workspace, id, 'renamed', name));
        return true;
      });
      if (!renamed) noSuch('brand', id);
      return get(authority, id);
    },

    /** Removes a brand and disconnects its accounts; a given `confirm` must be its name. */
    async remove(authority: Authority, id: string, confirm?: string) {
      const brand = await get(authority, id);
      if (confirm !== undefined && confirm !== brand.name) {
        fail('validation.field_invalid', {
          message: 'confirm must be the name of this brand, letter by letter. Ask the person before you delete it.',
          meta: { field: 'confirm' },
        });
      }
      const revokeAll = await readyRevoke(await listAccounts(store.db, authority, { brandId: id }));
      const { held, scheduled } = await store.write(async (tx) => {
        // Locked first, so that an account that is being connected to the brand at the same time is not missed.
        if (!(await holdBrand(tx.db, tx.dialect, authority, id))) noSuch('brand', id);
        const held = await listAccounts(tx.db, authority, { brandId: id });
        const ids = held.map((account) => account.id);
        const scheduled = await countScheduled(tx.db, ids);
        await deleteBrand(tx.db, authority, id);
        await endInvitesTo(tx.db, authority, id, clock.now());
        await freeBrandSlot(tx.db, authority.workspace);
        const runAt = clock.now();
        for (const key of ids) await tx.enqueue({ kind: 'purge_account', key, runAt });
        for (const account of held) await tx.log(disconnectedEntry(account));
        await tx.log(entryOf(authority.workspace, id, 'deleted', brand.name));
        return { held, scheduled };
      });
      await revokeAll(held);
      const accounts_disconnected = held.length;
      return { success: true, ok: true, id, brand_id: id, accounts_disconnected, scheduled_posts: scheduled };
    },
  });
}

export type Brands = ReturnType<typeof makeBrands>;
