import { describe, expect, it } from 'vitest';
import { makeFairLine } from '#engine/media/pictures/fair-line.ts';

function open(limits = { each: 3, all: 6 }) {
  const done: string[] = [];
  const opened = Promise.withResolvers<void>();
  const enter = makeFairLine(limits);
  let [working, most] = [0, 0];
  const ask = (name: string) =>
    enter(name[0]!, async () => {
      most = Math.max(most, (working += 1));
      await opened.promise;
      working -= 1;
      done.push(name);
      return name;
    });
  return { done, go: opened.resolve, ask, most: () => most };
}

const outcomes = <T>(asked: readonly (Promise<T> | undefined)[]) => Promise.all(asked.map(async (one) => one));

describe('a fair line', () => {
  it('does one thing at a time, by turns among those who ask', async () => {
    const { ask, go, done, most } = open();
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(ask);
    go();
    expect(await outcomes(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    expect(most()).toBe(1);
  });

  it('refuses what is too much of one asker, not of another, and what is too much of all', async () => {
    const { ask, go } = open({ each: 3, all: 4 });
    const kept = ['a1', 'a2', 'a3'].map(ask);
    expect(ask('a4')).toBe(undefined);
    kept.push(ask('b1'));
    expect(kept.every((one) => one !== undefined)).toBe(true);
    expect(ask('c1')).toBe(undefined);
    go();
    await outcomes(kept);
    expect(await ask('a5')).toBe('a5');
  });

  it('goes on after work that failed', async () => {
    const enter = makeFairLine({ each: 2, all: 2 });
    const failing = enter('a', () => Promise.reject(new Error('no')));
    const next = enter('a', async () => 1);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe(1);
  });
});
