import { countExtraPages } from '#db/access/pages.ts';
import { holdWorkspace } from '#db/access/users.ts';
import type { Tx } from '#db/store/tx.ts';
import type { UnitLimit } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';
import { PLANS } from '#kernel/plans.ts';

/** Counts profile units, which are brands and additional pages: docs/contract/plans.md#brands-and-pages. */
export function makeUnits(enforced: boolean): UnitLimit {
  /** What is left of the plan; locks the workspace until the transaction ends. */
  async function stateOf(tx: Tx, workspaceId: string) {
    const row = await holdWorkspace(tx.db, tx.dialect, workspaceId);
    const max = row === undefined ? -1 : PLANS[row.plan].limits.profiles;
    if (row === undefined || max < 0) return { max, room: Infinity, plan: undefined };
    const used = row.brands_count + (await countExtraPages(tx.db, workspaceId));
    return { max, room: max - used, plan: PLANS[row.plan] };
  }

  return Object.freeze<UnitLimit>({
    room: async (tx, workspaceId) => (enforced ? (await stateOf(tx, workspaceId)).room : Infinity),

    async check(tx, workspaceId) {
      if (!enforced) return;
      const { max, room, plan } = await stateOf(tx, workspaceId);
      if (room >= 0 || plan === undefined) return;
      fail('billing.profile_units_limit', {
        message: `The ${plan.name} plan allows ${max} brands and further pages together.`,
        meta: { plan: plan.tier, max },
      });
    },
  });
}
