import { expect, it } from 'vitest';
import { newId } from '#kernel/ids.ts';

const NOW = Date.UTC(2026, 10, 21);

it('makes ids that sort in the order they were made, whatever time each is told', () => {
  // Work that began a second ago keeps its own time while others make newer ids.
  const times = Array.from({ length: 2000 }, (_, at) => (at % 3 === 0 ? NOW - 1000 : NOW + at));
  const ids = times.map((now) => newId('dlv', now));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
