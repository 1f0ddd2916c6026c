import { openPostActions } from '#db/leash/actions.ts';
import { postsForAccounts } from '#db/posts/posting-times.ts';
import type { Store } from '#db/store/store.ts';
import type { HeldTimes } from '#call/ports.ts';
import type { Sealer } from '#kernel/seal.ts';
import { accountsIn, postsIn, timesIn } from './asked.ts';
import { openAction } from './sealed.ts';

/** Finds when requests that are not decided or not carried out yet would publish posts of some accounts. */
export function makeHeldTimes({ store, sealer }: Readonly<{ store: Store; sealer: Sealer }>): HeldTimes {
  return async (authority, accountIds) => {
    const actions = await openPostActions(store.db, authority);
    const asked = actions
      .flatMap((row) => partsOf(openAction(sealer, row).input))
      .map((part) => ({ accounts: accountsIn(part), posts: postsIn(part), times: timesIn(part) }))
      .filter(({ times }) => times.length > 0);
    const stored = asked.flatMap(({ posts }) => posts);
    const concerned = await postsForAccounts(store.db, authority, stored, accountIds);
    const named = new Set(accountIds);
    return asked
      .filter(({ accounts, posts }) => accounts.some((id) => named.has(id)) || posts.some((id) => concerned.has(id)))
      .flatMap(({ times }) => times);
  };
}

/** An input, or what it asks for each of its posts. */
function partsOf(input: object): readonly object[] {
  const { posts } = input as Readonly<{ posts?: unknown }>;
  return Array.isArray(posts) ? (posts as readonly object[]) : [input];
}
