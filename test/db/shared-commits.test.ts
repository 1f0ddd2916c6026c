import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, test } from 'vitest';
import type { Tx } from '#db/store/open.ts';
import type { Execute } from '#db/store/transaction.ts';
import { makeWriteTurns } from '#db/store/sqlite/write-turns.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { addNote, noteIds, testMigrations } from '../harness/stores/test-tables.ts';

/** A transaction that says what is done with it; its commits fail with `failure` where there is one. */
function openTurns(failure?: Error) {
  const done: string[] = [];
  let isOpen = false;
  const rollback = () => {
    if (isOpen) done.push('rollback');
    isOpen = false;
  };
  const run = () => ({ rows: [] });
  const turns = makeWriteTurns({
    async begin(flushed) {
      done.push(flushed ? 'begin flushed' : 'begin');
      isOpen = true;
    },
    commit() {
      done.push('commit');
      if (failure) throw failure;
      isOpen = false;
    },
    rollback,
    isOpen: () => isOpen,
    first: { run, commit: () => void done.push('first'), rollback },
    savepoint: () => ({
      run,
      commit: () => void done.push('released'),
      rollback: () => void done.push('undone'),
    }),
  });
  return { turns, done };
}

const nothing = async () => {};
const asked = (execute: Execute) => execute({ sql: '', parameters: [] } as never);
const fail = (error: Error) => async () => {
  throw error;
};

describe('writes that wait for one another', () => {
  it('are answered after one commit', async () => {
    const { turns, done } = openTurns();
    await Promise.all([turns.write(asked, true), turns.write(asked, true), turns.write(asked, true)]);
    expect(done).toEqual(['begin flushed', 'first', 'released', 'released', 'commit']);
    await turns.write(nothing, true);
    expect(done.slice(5)).toEqual(['begin flushed', 'first', 'commit']);
  });

  it('share it with those that come in the same turn of the event loop', async () => {
    const { turns, done } = openTurns();
    const later = new Promise<void>((resolve) => process.nextTick(resolve)).then(() => turns.write(nothing, true));
    await Promise.all([turns.write(nothing, true), later]);
    expect(done).toEqual(['begin flushed', 'first', 'released', 'commit']);
  });

  it('are answered only when it has come', async () => {
    const { turns, done } = openTurns();
    const first = turns.write(nothing, true).then(() => done.push('answered'));
    await Promise.all([first, turns.write(nothing, true)]);
    expect(done).toEqual(['begin flushed', 'first', 'released', 'commit', 'answered']);
  });

  it('are at most 64 to a commit', async () => {
    const { turns, done } = openTurns();
    await Promise.all(Array.from({ length: 130 }, () => turns.write(nothing, true)));
    const commits = done
      .join(' ')
      .split('commit')
      .map((part) => part.split(/first|released/).length - 1);
    expect(commits).toEqual([64, 64, 2, 0]);
  });

  it('fail alone, and the others go on', async () => {
    const { turns, done } = openTurns();
    const failure = new Error('no');
    const all = [turns.write(nothing, true), turns.write(fail(failure), true), turns.write(nothing, true)];
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled' },
    ]);
    expect(done).toEqual(['begin flushed', 'first', 'undone', 'released', 'commit']);
  });

  it('begin anew where the first fails, of which nothing is left', async () => {
    const { turns, done } = openTurns();
    const failure = new Error('no');
    const all = [turns.write(fail(failure), true), turns.write(nothing, true), turns.write(nothing, true)];
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ]);
    expect(done).toEqual(['begin flushed', 'rollback', 'begin flushed', 'first', 'released', 'commit']);
    await expect(turns.write(fail(failure), true)).rejects.toBe(failure);
    expect(turns.busy()).toBe(false);
  });

  it('fail all when their commit fails, and nobody after them', async () => {
    const failure = new Error('disk full');
    const { turns, done } = openTurns(failure);
    const all = await Promise.allSettled([turns.write(nothing, true), turns.write(nothing, true)]);
    expect(all.map((one) => one.status === 'rejected' && one.reason)).toEqual([failure, failure]);
    expect(done).toEqual(['begin flushed', 'first', 'released', 'commit', 'rollback']);
    await turns.alone(nothing);
    expect(turns.busy()).toBe(false);
  });

  it('wait for the disk where one of them has to', async () => {
    const { turns, done } = openTurns();
    for (const flushed of [true, false]) {
      await Promise.all([turns.write(nothing, flushed), turns.write(nothing, !flushed)]);
      expect(done.splice(0)).toEqual(['begin flushed', 'first', 'released', 'commit']);
    }
    // It comes when the one before has begun already.
    let later: Promise<void> | undefined;
    await turns.write(async () => void (later = turns.write(nothing, true)), false);
    await later;
    expect(done).toEqual(['begin', 'first', 'commit', 'begin flushed', 'first', 'commit']);
  });

  it('let be alone who has to', async () => {
    const { turns, done } = openTurns();
    const alone = async () => void done.push('alone');
    await Promise.all([turns.write(nothing, true), turns.alone(alone), turns.write(nothing, true)]);
    expect(done).toEqual(['begin flushed', 'first', 'commit', 'alone', 'begin flushed', 'first', 'commit']);
  });

  it('let the event loop run between them', async () => {
    const { turns } = openTurns();
    let ticks = 0;
    let going = true;
    const tick = () => {
      ticks += 1;
      if (going) setImmediate(tick);
    };
    setImmediate(tick);
    await Promise.all(Array.from({ length: 50 }, () => turns.write(nothing, true)));
    going = false;
    expect(ticks).toBeGreaterThan(20);
  });

  it('are taken in the order they were asked for, one at a time', async () => {
    const { turns } = openTurns();
    const order: number[] = [];
    let inside = 0;
    const all = Array.from({ length: 200 }, (_, index) => index);
    const take = (index: number) => async () => {
      expect((inside += 1)).toBe(1);
      await Promise.resolve();
      order.push(index);
      inside -= 1;
    };
    await Promise.all(all.map((index) => turns.write(take(index), true)));
    expect(order).toEqual(all);
    expect(turns.busy()).toBe(false);
  });
});

describeStores('writes at the same time', { migrations: testMigrations, kinds: ['memory', 'file'] }, ({ open }) => {
  const it = test.extend('store', () => open());

  it('see what those before them wrote, and are seen once they are committed', async ({ store }) => {
    const seen = (id: string) =>
      store.write(async (tx) => {
        await addNote(tx, id);
        return noteIds(tx);
      });
    expect(await Promise.all(['a', 'b', 'c'].map(seen))).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
    expect(await noteIds(store)).toEqual(['a', 'b', 'c']);
  });

  it('lose only what failed, also where it waited for something else', async ({ store }) => {
    const waits = async (tx: Tx) => {
      await addNote(tx, 'b');
      await turn();
    };
    const all = [store.write((tx) => addNote(tx, 'a')), store.write(waits), store.write((tx) => addNote(tx, 'c'))];
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'transaction held across I/O' } },
      { status: 'fulfilled' },
    ]);
    expect(await noteIds(store)).toEqual(['a', 'c']);
  });

  it('are all undone when SQLite gives their transaction up, each with the reason', async ({ store }) => {
    const gone = async (tx: Tx) => {
      await addNote(tx, 'b');
      await sql`insert or rollback into notes (id, text, count, at) values ('b', '', 0, 0)`.execute(tx.db);
    };
    const all = await Promise.allSettled([
      store.write((tx) => addNote(tx, 'a')),
      store.write(gone),
      store.write((tx) => addNote(tx, 'c')),
    ]);
    expect(all.map((one) => (one.status === 'rejected' ? String(one.reason) : 'written'))).toEqual([
      expect.stringContaining('UNIQUE'),
      expect.stringContaining('UNIQUE'),
      'written',
    ]);
    expect(await noteIds(store)).toEqual(['c']);
  });
});
