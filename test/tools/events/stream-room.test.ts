import { expect, it } from 'vitest';
import type { LogCategory } from '#db/schema/database.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Caller } from '#call/caller.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { Call } from '#call/context.ts';
import { makeEvents } from '#engine/events/index.ts';
import { makeLog } from '#kernel/log.ts';
import { fakeClock } from '../../harness/clock.ts';
import { observed } from '../../harness/stores/observed.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { lists } from '#test/harness/lists.ts';

/** Waits end as soon as they can; this only says when to give up on a busy machine. */
const SOON = { timeout: 15_000 };

const NOW = Date.UTC(2026, 0, 15, 9);

function callOf(n: number): Call {
  const workspace = { id: 'ws', plan: 'pro', createdAt: 0, blockedAt: undefined, timezone: 'UTC' } as const;
  const authority = authorityOver('ws');
  const caller: Caller = { kind: 'key', id: `key_${n}`, name: 'k', userId: 'usr', workspace, authority };
  const { signal } = new AbortController();
  const rest = { requestId: 'r', disconnectSignal: () => signal, progress: () => {}, permit: () => {} };
  return { caller, workspace, authority, ...rest };
}

describeStores('the streams of a process', { kinds: ['file', 'postgres'] }, (stores) => {
  const { kind } = stores;

  async function makeScene() {
    const where = await stores.place();
    const clock = fakeClock(NOW);
    const bare = await stores.open(where);
    const store = productStore(bare, clock);
    const other = kind === 'memory' ? store : productStore(await stores.open(where), fakeClock(NOW - 5000));
    await store.write(({ db }) =>
      db
        .insertInto('workspaces')
        .values({ id: 'ws', plan: 'pro', created_at: 0, brands_count: 0, storage_bytes: 0 })
        .execute(),
    );
    let asked = 0;
    const db = observed(bare, () => (asked += 1));
    const lines: string[] = [];
    const events = makeEvents({
      store: { ...store, db },
      lists,
      clock,
      log: makeLog({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    });
    await events.start();
    return {
      clock,
      store,
      other,
      events,
      lines,
      asked: () => asked,
      write: (by: typeof store, summary: string, category: LogCategory = 'api') =>
        by.write((tx) => tx.log({ workspaceId: 'ws', category, action: 'a', status: 'success', summary })),
    };
  }

  type Parts = readonly { data: object }[] | undefined;
  const told = (parts: Parts) => parts?.map(({ data }) => (data as { summary: string }).summary);

  it('cost one query a second while nothing happens, however many they are, and none when there is none', async () => {
    const { clock, events, asked } = await makeScene();
    const streams = await Promise.all(Array.from({ length: 40 }, (_, n) => events.stream(callOf(n), {})));
    const waiting = streams.map((stream) => stream.next());
    await expect.poll(asked, SOON).toBe(80);
    for (let second = 1; second <= 5; second += 1) {
      clock.move(1000);
      await expect.poll(() => [asked(), clock.timers()], SOON).toEqual([80 + second, 41]);
    }
    for (const stream of streams) stream.close();
    expect(await Promise.all(waiting)).toEqual(streams.map(() => undefined));
    expect(clock.timers()).toBe(0);
    clock.move(10_000);
    expect(asked()).toBe(85);
  });

  it('tell everything once, in one order, wherever it was written and however often they are taken up again', async () => {
    const { clock, store, other, events, write } = await makeScene();
    const whole = await events.stream(callOf(0), {});
    const all: string[] = [];
    const first = (async () => {
      while (all.length < 60) all.push(...(told(await whole.next()) ?? []));
    })();
    const parts: string[] = [];
    let after: string | undefined;
    // Both have begun before anything is written that they might miss.
    let stream = await events.stream(callOf(1), {});
    const second = (async () => {
      while (parts.length < 60) {
        const batch = await stream.next();
        // Only the first of them arrived before the connection broke.
        const one = batch?.[0] as { id: string; data: { summary: string } } | undefined;
        if (one === undefined) continue;
        parts.push(one.data.summary);
        after = one.id;
        stream.close();
        stream = await events.stream(callOf(1), { after });
      }
      stream.close();
    })();
    const writers = [store, other, store].map(async (by, who) => {
      for (let n = 0; n < 20; n += 1) await write(by, `${who} ${n}`);
    });
    let done = false;
    const reading = Promise.all([...writers, first, second]).then(() => (done = true));
    // A second of theirs passes in no time of ours: what another process wrote is looked for.
    while (!done) {
      clock.move(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await reading;
    whole.close();
    expect(new Set(all).size).toBe(60);
    expect(parts).toEqual(all);
    for (const who of ['0', '1', '2']) {
      const own = all.filter((summary) => summary.startsWith(`${who} `));
      expect(own).toEqual(own.map((_, n) => `${who} ${n}`));
    }
  });

  it('survive that the store cannot be looked at for a while', async () => {
    const { clock, other, events, lines, write } = await makeScene();
    const stream = await events.stream(callOf(0), {});
    let heard: readonly string[] = [];
    const listening = (async () => {
      while (heard.length === 0) heard = told(await stream.next()) ?? [];
    })();
    await write(other, 'a');
    // Transactions of other tests may be open in the same cluster: what is settled shows only at a later look.
    while (heard.length === 0) {
      clock.move(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await listening;
    expect(heard).toEqual(['a']);
    expect(lines).toEqual([]);
    stream.close();
  });
});
