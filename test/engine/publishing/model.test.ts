import { describe, it } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { anyMoves } from '../../properties/moves.ts';

describe('whatever happens to a post', () => {
  describeStores('it is where the table says, has emitted its events, and has cost what it may', (stores) => {
    it('for any order of moves and any weather', () => anyMoves(stores, stores.kind === 'memory' ? 15 : 3));
  });
});
