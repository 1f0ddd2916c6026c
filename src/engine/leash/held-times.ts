import { openPostActions } from '#db/leash/actions.ts';
import { postsForAccounts } from '#db/posts/posting-times.ts';
import type { Store } from '#db/store/store.ts';
import type { HeldTimes } from '#call/ports.ts';
import type { Sealer } from '#kernel/seal.ts';
import { accountsIn, postsIn, timesIn } from './asked.ts';
import { openAction } from './sealed.ts';

/** Its input is a file of up to 4 MB, too much to be decrypted for a suggestion. */
const IMPORT = 'import_posts';

/** Finds when requests that are not decided or not carried out yet would publish posts of some accounts. */
export function makeHeldTimes({ store, sealer }: Readonly<{ store: Store; sealer: Sealer }>): HeldTimes {
  return async (authority, accountIds) => {
    const actions = await openPostActions(store.db, authority, IMPORT);
    const asked = actions
      .flatMap((row) => partsOf(openAction(sealer, row).input))
      .map((part) => ({ accounts: accountsIn(part), posts: postsIn(part), times: timesIn(part) }))
      .filter(({ times }) => times.length > 0);
    const stored = [...new Set(asked.flatMap(({ posts }) => posts))];
    const concerned = await postsForAccounts(store, authority, stored, accountIds);
    const named = new Set(accountIds);
    return asked
      .filter(({ accounts, posts }) => accounts.some((id) => named.has(id)) || posts.some((id) => concerned.has(id)))
      .flatMap(({ times }) => times);
  };
}

type Input = Readonly<{ posts?: unknown; targets?: unknown; scheduled_at?: unknown }>;

/** What an input asks for each of its posts, or of its accounts, which may have times of their own. */
function partsOf(input: object): readonly object[] {
  const { posts, targets, scheduled_at } = input as Input;
  if (Array.isArray(posts)) return posts as readonly object[];
  if (!Array.isArray(targets) || targets.length === 0) return [input];
  return (targets as readonly Input[]).map((target) => ({
    ...target,
    scheduled_at: target.scheduled_at ?? scheduled_at,
  }));
}
