import { describe, expect, it } from 'vitest';
import { makeSharing, type Heard } from '#dashboard/lib/frame/sharing.ts';
import { anEvent } from './answers.ts';

/** The entry at this place of the log. */
const entry = (n: number): Heard => ({ id: `${n}`, after: `${n - 1}`, event: anEvent({ id: `${n}` }) });
/** Places of the log, both included. */
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => `${first + n}`);

/** Tabs of one browser that hear each other; `since` is the last entry before a tab's page. */
function openTabs() {
  const listeners: ((word: unknown) => void)[] = [];
  return function openTab(since?: string) {
    const heard: string[] = [];
    const tab = { place: since, asked: 0 };
    let own: ((word: unknown) => void) | undefined;
    const sharing = makeSharing({
      channel: {
        post: (word) => listeners.filter((one) => one !== own).forEach((take) => take(structuredClone(word))),
        listen(take) {
          own = take;
          listeners.push(take);
        },
      },
      since,
      heard: ({ id }) => void heard.push(id),
      keep: (id) => void (tab.place = id),
      catchUp: () => void (tab.asked += 1),
    });
    /** Reads the log up to here from where the tab stopped. */
    const read = (last: number, take: (one: Heard) => void) => {
      for (let n = Number(tab.place) + 1; n <= last; n += 1) take(entry(n));
    };
    return Object.assign(tab, { ...sharing, heard, read });
  };
}

describe('the stream of one tab', () => {
  it('is heard in all of them, once each, and each knows where it stopped', () => {
    const openTab = openTabs();
    const [one, other] = [openTab('10'), openTab('10')];
    one.tell(entry(11));
    other.tell(entry(11));
    other.tell(entry(12));
    for (const tab of [one, other]) expect([tab.heard, tab.place, tab.asked]).toEqual([['11', '12'], '12', 0]);
  });

  it('is heard from whatever it tells first by a tab whose page saw an empty log', () => {
    const openTab = openTabs();
    const [one, other] = [openTab('10'), openTab()];
    one.tell(entry(11));
    expect([other.heard, other.place, other.asked]).toEqual([['11'], '11', 0]);
  });

  it('is not joined behind a hole, which a tab reads for itself first', () => {
    const openTab = openTabs();
    const [late, fresh] = [openTab('10'), openTab('50')];
    fresh.tell(entry(51));
    expect([late.heard, late.place, late.asked, late.isBehind()]).toEqual([[], '10', 1, true]);
    late.read(51, late.take);
    expect([late.heard, late.isBehind()]).toEqual([from(11, 51), false]);
    fresh.tell(entry(52));
    expect([late.heard.at(-1), late.asked]).toEqual(['52', 1]);
  });

  it('goes on from where a tab stopped that nobody looked at while others did', () => {
    const openTab = openTabs();
    const late = openTab('10');
    late.rest();
    const fresh = openTab('50');
    fresh.tell(entry(51));
    late.wake();
    expect([late.heard, late.place, late.asked]).toEqual([[], '10', 0]);
    // It reads for all, of which the other one has heard the last.
    late.read(51, late.tell);
    late.tell(entry(52));
    expect([late.heard, fresh.heard]).toEqual([from(11, 52), ['51', '52']]);
  });

  it('waits in a tab that nobody looks at, which reads again what is too much to keep', () => {
    const openTab = openTabs();
    const [one, other] = [openTab('0'), openTab('0')];
    other.rest();
    one.read(1, one.tell);
    other.rest();
    expect(other.heard).toEqual([]);
    other.wake();
    expect(other.heard).toEqual(['1']);
    other.rest();
    one.read(300, one.tell);
    other.wake();
    expect([other.heard, other.place]).toEqual([['1', '2'], '2']);
    other.read(300, other.take);
    expect(other.heard).toEqual(from(1, 300));
  });
});
