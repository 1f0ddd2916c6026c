import { it } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeInboxWorld } from '../../harness/worlds/inbound.ts';
import { anyLives } from '../../properties/lives.ts';
import { anyMoves } from '../../properties/moves.ts';
import { anyPushes, manyThings } from '../../properties/pushes.ts';

describeStores('any moves of a post', (stores) => {
  it('lead where the table says', () => anyMoves(stores, stores.kind === 'memory' ? 100 : 10));
});

describeStores('pushes in any order', { kinds: ['file', 'postgres'] }, (stores) => {
  it('come to the same', () => anyPushes(stores, stores.kind === 'postgres' ? 25 : 6));
});

describeStores('a push of a thousand things', (stores) => {
  it('is taken in by steps', async () => manyThings(await makeInboxWorld(stores), 1000));
});

describeStores('storage that many use while some die', (stores) => {
  const runs = stores.kind === 'memory' ? 30 : 5;
  it.each(['disk', 'bucket'] as const)('is what its items weigh, on a %s', (shelf) => anyLives(stores, shelf, runs));
});
