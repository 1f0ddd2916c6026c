import { describe, expect, it } from 'vitest';
import { makeSharing } from '#dashboard/lib/frame/sharing.ts';
import { anEvent } from './answers.ts';

/** Tabs of one browser that hear each other. */
function openTabs() {
  const listeners: ((word: unknown) => void)[] = [];
  let now = 0;
  function openTab() {
    const heard: string[] = [];
    const kept: string[] = [];
    let reloads = 0;
    let own: ((word: unknown) => void) | undefined;
    const sharing = makeSharing({
      channel: {
        post: (word) => listeners.filter((one) => one !== own).forEach((take) => take(structuredClone(word))),
        listen(take) {
          own = take;
          listeners.push(take);
        },
      },
      now: () => now,
      heard: ({ id }) => void heard.push(id),
      keep: (id) => void kept.push(id),
      reload: () => void (reloads += 1),
    });
    const tell = (id: string) => sharing.tell({ id, event: anEvent({ id }) });
    return { ...sharing, tell, heard, kept, reloads: () => reloads };
  }
  return { openTab, pass: (ms: number) => void (now += ms) };
}

describe('the stream of one tab', () => {
  it('is heard in all of them, once each, and each knows where it stopped', () => {
    const { openTab } = openTabs();
    const [one, other] = [openTab(), openTab()];
    one.tell('a');
    other.tell('a');
    other.tell('b');
    expect([one.heard, other.heard, one.kept]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('is heard by a tab that has just opened as far as its page may be older', () => {
    const { openTab, pass } = openTabs();
    const one = openTab();
    one.tell('a');
    pass(9_000);
    one.tell('b');
    pass(2_000);
    expect([openTab().heard, one.heard]).toEqual([['b'], ['a', 'b']]);
  });

  it('waits in a tab that nobody looks at, whose page is loaded anew after too much', () => {
    const { openTab } = openTabs();
    const [one, other] = [openTab(), openTab()];
    other.rest();
    one.tell('a');
    other.rest();
    expect(other.heard).toEqual([]);
    other.wake();
    expect([other.heard, other.reloads()]).toEqual([['a'], 0]);
    other.rest();
    for (let n = 0; n <= 200; n += 1) one.tell(`${n}`);
    other.wake();
    expect([other.heard, other.reloads()]).toEqual([['a'], 1]);
  });
});
