import { expect, it } from 'vitest';
import { openStore } from '#sandbox/store.ts';

it('never waits long for another process, since the whole server would wait with it', () => {
  const store = openStore(':memory:');
  expect(Number(store.db.pragma('busy_timeout', { simple: true }))).toBeLessThanOrEqual(250);
  store.close();
});
