import {
  findBilling,
  insertBilling,
  listCheckouts,
  patchBilling,
  patchCheckout,
  type BillingRow,
} from '#db/access/billing.ts';
import { findWorkspaceOwner } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PaymentProvider } from './provider.ts';
import type { BillingState } from './state.ts';

/** How often to read the customer again because of concurrent writes. */
const MOST_TRIES = 5;

type CustomerDeps = Readonly<{ store: Store; clock: Pick<Clock, 'now'>; state: Pick<BillingState, 'sync'> }>;

/** The columns for a customer without purchases, so that no earlier subscription decides the plan. */
const NOTHING = Object.freeze({
  status: 'none',
  subscription_id: null,
  tier: null,
  interval: null,
  cycle_end: null,
  ends_at: null,
});

export function makeCustomers({ store, clock, state }: CustomerDeps) {
  /** Starts over with a new customer, as the previous one was deleted or belongs to another provider. */
  async function begin(provider: PaymentProvider, workspaceId: string, seen: BillingRow | undefined): Promise<void> {
    // Syncs first: the deletion of a customer ends the plan, but one that this provider never had changes nothing.
    await state.sync(provider, workspaceId);
    const before = await findBilling(store.db, workspaceId);
    // If a concurrent request has already started over, its customer is used.
    if (before?.created_at !== seen?.created_at || before?.customer_id !== seen?.customer_id) return;
    const email = (await findWorkspaceOwner(store.db, workspaceId))?.email ?? '';
    const fresh = { ...NOTHING, network: provider.network, customer_id: null, email, created_at: clock.now() };
    await store.write(async ({ db }) => {
      if (before === undefined) await insertBilling(db, { workspace_id: workspaceId, ...fresh });
      else if (
        await patchBilling(db, before, { ...fresh, created_at: Math.max(fresh.created_at, before.created_at + 1) })
      )
        for (const state of ['open', 'replaced'] as const)
          for (const row of await listCheckouts(db, workspaceId, state))
            await patchCheckout(db, row, { state: 'expired' });
    });
  }

  return {
    /** A workspace's customer at the provider, created at the first purchase. */
    async customerOf(provider: PaymentProvider, workspaceId: string): Promise<string> {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const row = await findBilling(store.db, workspaceId);
        const isOurs = row?.network === provider.network;
        if (row !== undefined && isOurs && row.customer_id === null) {
          // The key makes concurrent requests create the same customer.
          const key = `rostra-customer-${workspaceId}-${row.created_at}`;
          const customer_id = await provider.createCustomer(key, { workspace: workspaceId, email: row.email });
          await store.write((tx) => patchBilling(tx.db, row, { customer_id }));
        } else if (row !== undefined && isOurs && (await provider.hasCustomer(row.customer_id!))) {
          return row.customer_id!;
        } else await begin(provider, workspaceId, row);
      }
      throw new Error('the billing of the workspace keeps changing');
    },
  };
}
