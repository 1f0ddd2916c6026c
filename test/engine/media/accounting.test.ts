import { it } from 'vitest';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import { anyLives } from '../../properties/lives.ts';

for (const shelf of ['disk', 'bucket'] as const) {
  const tests = (stores: Stores) =>
    it('stays what the items weigh, whatever happens at once and whoever dies in between', () =>
      anyLives(stores, shelf, stores.kind === 'memory' ? 6 : 2));
  describeStores(`storage of a workspace on a ${shelf}`, shelf === 'disk' ? {} : { kinds: ['memory'] }, tests);
}
