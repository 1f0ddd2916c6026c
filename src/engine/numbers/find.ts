import { findAccount, findByPlatformId, noAccount } from '#db/access/accounts.ts';
import type { Store } from '#db/store/store.ts';
import type { AccountFinder } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';

/** Matches platforms' ids of numbers; our own ids contain letters. */
const OF_PLATFORM = /^\d+$/;

export function makeAccountFinder({ store }: Readonly<{ store: Store }>): AccountFinder {
  return async function find(authority, { platform, noAccount: code }, id) {
    if (!OF_PLATFORM.test(id)) return (await findAccount(store.db, authority, id)) ?? noAccount(id);
    const accounts = await findByPlatformId(store.db, authority, platform, id);
    const named = accounts.find(({ status }) => status === 'active') ?? accounts[0];
    return named ?? fail(code, { meta: { resource: 'account', id } });
  };
}
