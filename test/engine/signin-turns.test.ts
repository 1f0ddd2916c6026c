import { describe, expect, it } from 'vitest';
import { makeTurns, type Standing } from '#kernel/limits/turns.ts';

/** Turns whose work ends when told to; `began` lists them in the order in which they did. */
function openTurns() {
  const turn = makeTurns({ atOnce: 2, waitingEach: 8, waiting: 1000, retryAfter: 2 });
  const began: string[] = [];
  const open: (() => void)[] = [];
  const ask = (name: string, standing: Standing) =>
    turn(standing, () => {
      began.push(name);
      return new Promise<string>((resolve) => open.push(() => resolve(name)));
    });
  async function endAll(): Promise<void> {
    for (let end = open.shift(); end; end = open.shift()) {
      end();
      // The next turn begins a few microtasks after this one has ended.
      await new Promise(setImmediate);
    }
  }
  return { ask, began, endAll };
}

const BUSY = { code: 'http.429', detail: { retryAfter: 2 } };

describe('turns', () => {
  it('go to those with the fewest failures, and among equals to who came last', async () => {
    const { ask, began, endAll } = openTurns();
    const asked = [
      ask('first', { from: 'a', failures: 9 }),
      ask('second', { from: 'b', failures: 9 }),
      ask('wrong twice', { from: 'c', failures: 2 }),
      ask('wrong once', { from: 'd', failures: 1 }),
      ask('wrong once, later', { from: 'e', failures: 1 }),
      ask('known', { from: 'f', failures: 0 }),
    ];
    await endAll();
    await Promise.all(asked);
    expect(began).toEqual(['first', 'second', 'known', 'wrong once, later', 'wrong once', 'wrong twice']);
  });

  it('are waited for by eight of one place, and by all others besides', async () => {
    const { ask, endAll } = openTurns();
    const crowd = Array.from({ length: 12 }, (_, n) => ask(`${n}`, { from: 'crowd', failures: 1 }));
    const other = ask('other', { from: 'elsewhere', failures: 1 });
    const ends = Promise.allSettled(crowd);
    await endAll();
    expect(await other).toBe('other');
    const refused = (await ends).filter((end) => end.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([
      expect.objectContaining(BUSY),
      expect.objectContaining(BUSY),
    ]);
  });

  it('are given up by those who failed most when a thousand wait', async () => {
    const { ask, endAll } = openTurns();
    const places = (count: number, failures: number) =>
      Array.from({ length: count }, (_, n) => ask(`${failures} ${n}`, { from: `${failures} ${n}`, failures }));
    const running = places(2, 0);
    const wrong = Promise.allSettled(places(10, 5));
    const rest = places(990, 2);
    await expect(ask('worse', { from: 'worse', failures: 6 })).rejects.toMatchObject(BUSY);
    const better = ask('better', { from: 'better', failures: 1 });
    await endAll();
    await Promise.all([...running, ...rest, better]);
    expect((await wrong).map(({ status }) => status)).toEqual(['rejected', ...Array(9).fill('fulfilled')]);
  });
});
