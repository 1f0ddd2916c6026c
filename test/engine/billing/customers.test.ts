import { expect, it } from 'vitest';
import { findBilling, insertBilling } from '#db/access/billing.ts';
import { makeCustomers } from '#engine/billing/customers.ts';
import type { PaymentProvider } from '#engine/billing/provider.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, START } from '../../harness/worlds/delivery.ts';

describeStores('the customer of a workspace', (stores) => {
  it('is one, also where another server begins its billing in the same moment', async () => {
    const { store, workspace } = await makeWorld(stores);
    const begun = { workspace_id: workspace, network: 'sandbox', email: 'anna@example.org', created_at: 1 } as const;
    const keys: string[] = [];
    const provider = {
      network: 'sandbox',
      createCustomer: async (key: string) => `cus_${keys.push(key)}`,
      hasCustomer: async () => true,
    } as Partial<PaymentProvider> as PaymentProvider;
    // Between the look whether there is one and the beginning the other server begins.
    const state = {
      async sync() {
        await store.write(({ db }) => insertBilling(db, { ...begun, status: 'none', customer_id: null }));
        return undefined;
      },
    };
    const { customerOf } = makeCustomers({ store, clock: { now: () => START }, state });
    expect(await customerOf(provider, workspace)).toBe('cus_1');
    expect(keys).toEqual([`rostra-customer-${workspace}-1`]);
    expect(await findBilling(store.db, workspace)).toMatchObject({ created_at: 1, customer_id: 'cus_1' });
  });
});
