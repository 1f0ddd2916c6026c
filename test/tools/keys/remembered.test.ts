import { expect, it } from 'vitest';
import type { Store } from '#db/store/store.ts';
import { makeCallers } from '#engine/keys/callers.ts';
import { makeLog } from '#kernel/log.ts';
import { fakeClock } from '../../harness/clock.ts';

const ROW = Object.freeze({
  id: 'key_1',
  name: 'bot',
  user_id: 'usr_1',
  scopes: [],
  brand_ids: [],
  workspace_id: 'ws_1',
  plan: 'free',
  blocked_at: null,
  workspace_created_at: 0,
  policy: null,
  decides: null,
  ended_at: null,
});

it('a key that was read before it was revoked is not remembered after', async () => {
  const reads: PromiseWithResolvers<typeof ROW | undefined>[] = [];
  const read = () => {
    reads.push(Promise.withResolvers());
    return reads.at(-1)!.promise;
  };
  const store = { changed: () => 1, prepared: () => read } as unknown as Store;
  const callers = makeCallers({ store, clock: fakeClock(), log: makeLog({ level: 'silent' }) });
  const identify = () => callers.identify('Bearer rostra_key_1');

  const late = identify();
  callers.forget();
  reads[0]!.resolve(ROW);
  expect(await late).toMatchObject({ id: 'key_1' });

  // The next call asks the store again, and what that says is remembered until the next change.
  const next = identify();
  reads[1]!.resolve(ROW);
  await next;
  await identify();
  expect(reads).toHaveLength(2);
});
