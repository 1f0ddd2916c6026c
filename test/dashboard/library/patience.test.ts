import { describe, expect, it } from 'vitest';
import { makePatience, type Answered } from '#dashboard/lib/media/patience.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function open(answers: readonly Answered[]) {
  const waits: number[] = [];
  let due: (() => void) | undefined;
  const looks = answers.values();
  const patience = makePatience({
    look: async () => looks.next().value ?? 'none',
    after(ms, run) {
      waits.push(ms);
      due = run;
      return () => (due = undefined);
    },
  });
  return {
    ...patience,
    waits,
    /** The picture does not come; whether it is asked for again in a while. */
    async fail() {
      patience.failed();
      const at = patience.seen.value;
      await turn();
      return [at, patience.seen.value];
    },
    pass(): void {
      const run = due;
      due = undefined;
      run?.();
    },
    isWaiting: () => due !== undefined,
  };
}

describe('a picture that did not come', () => {
  it('is asked for later by itself while the server is busy, more seldom each time, and not for ever', async () => {
    const picture = open(Array.from({ length: 20 }, () => 'busy' as const));
    let asked = 0;
    for (; picture.seen.value === 'asked'; asked += 1) {
      await picture.fail();
      picture.pass();
    }
    expect([asked, picture.seen.value]).toEqual([9, 'none']);
    expect(picture.waits).toEqual(picture.waits.toSorted((one, other) => one - other));
    expect(picture.waits[0]).toBe(2000);
  });

  it('is asked for at once if it is there now', async () => {
    const picture = open(['there']);
    expect(await picture.fail()).toEqual(['later', 'asked']);
    expect(picture.waits).toEqual([]);
  });

  it('is given up if there is none', async () => {
    const picture = open(['none']);
    expect(await picture.fail()).toEqual(['later', 'none']);
    expect(picture.isWaiting()).toBe(false);
  });

  it('is forgotten with its place on the page', async () => {
    const picture = open(['busy', 'busy']);
    await picture.fail();
    expect(picture.isWaiting()).toBe(true);
    picture.end();
    expect(picture.isWaiting()).toBe(false);
  });
});
