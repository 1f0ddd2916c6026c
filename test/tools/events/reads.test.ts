import { DAY } from '#kernel/clock.ts';
import { sql, type CompiledQuery, type QueryResult } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  BEGINNING,
  countInboxKinds,
  countLog,
  countLogBefore,
  countLogErrors,
  lastPosition,
  listLog,
  logAfter,
  LOG_CATEGORIES,
  LOG_STATUSES,
  mendPositions,
  newestPositions,
  positionOfEntry,
  type LogFilter,
  type LogRow,
} from '#db/delivery/activity.ts';
import { authorityOver } from '#kernel/authority.ts';
import { sweepHistory } from '#db/upkeep/history.ts';
import type { Store as BareStore } from '#db/store/open.ts';
import type { NewRow } from '#db/schema/database.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import type { LogEntry } from '#db/store/tx.ts';
import { newId } from '#kernel/ids.ts';
import { fakeClock } from '../../harness/clock.ts';
import { observed } from '../../harness/stores/observed.ts';
import { describeStores } from '../../harness/stores/stores.ts';

/** Waits end as soon as they can; this only says when to give up on a busy machine. */
const SOON = { timeout: 15_000 };

const NOW = Date.UTC(2026, 0, 15, 9);
const authority = authorityOver('ws');

async function makeWorkspaces({ write }: Pick<BareStore, 'write'>, ...ids: string[]): Promise<void> {
  const rest = { plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 } as const;
  await write(({ db }) =>
    db
      .insertInto('workspaces')
      .values(ids.map((id) => ({ id, ...rest })))
      .execute(),
  );
}

/** Entries of every sort, several at the same instant, in an order that is nobody's. */
function entries(amount: number): NewRow<'log'>[] {
  return Array.from({ length: amount }, (_, n) => {
    const at = NOW - ((n * 7) % 40) * 1000;
    const category = LOG_CATEGORIES[(n * 3) % 5]!;
    return {
      id: newId('log', at),
      workspace_id: n % 11 === 0 ? 'other' : 'ws',
      category,
      action: ['published', 'failed', 'received'][n % 3]!,
      status: LOG_STATUSES[n % 13 === 0 ? 1 : (n % 2) * 2]!,
      platform: n % 4 === 0 ? null : n % 8 === 1 ? 'zalo' : 'bluesky',
      account_id: n % 5 === 0 ? null : `acc_${n % 3}`,
      resource_id: n % 6 === 0 ? null : `post_${n % 9}`,
      error_category: n % 13 === 0 ? ['network', 'receiver'][n % 2]! : null,
      kind: category === 'inbox' ? ['comment', 'dm', null][n % 3]! : 'post',
      summary: '',
      metadata: {},
      created_at: at,
      position: n,
    };
  });
}

const byNewest = (a: NewRow<'log'>, b: NewRow<'log'>) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1);

describeStores('the activity log', { kinds: ['file', 'postgres'] }, ({ open, place, kind }) => {
  const filled = async () => {
    const store = await open();
    await makeWorkspaces(store, 'ws', 'other');
    const rows = entries(300);
    await store.write(({ db }) => db.insertInto('log').values(rows).execute());
    return { store, own: rows.filter(({ workspace_id }) => workspace_id === 'ws').toSorted(byNewest) };
  };

  const FILTERS: readonly Omit<LogFilter, 'since'>[] = [
    {},
    { categories: ['post'] },
    { categories: ['api', 'inbox', 'webhook'], status: 'failed' },
    { status: 'failed' },
    { status: 'skipped' },
    { platform: 'zalo' },
    { action: 'received', categories: ['inbox'] },
    { accountId: 'acc_1' },
    { accountId: 'acc_1', status: 'failed', categories: ['post', 'account'] },
    { resourceId: 'post_4', platform: 'bluesky' },
    { until: NOW - 5000 },
    { status: 'pending', until: NOW - 20_000, accountId: 'acc_2' },
  ];

  it('is listed as it is filtered, every entry once over all pages', async () => {
    const { store, own } = await filled();
    for (const filter of FILTERS) {
      for (const since of [0, NOW - 30_000]) {
        const { categories, status, platform, accountId, resourceId, action, until = NOW } = filter;
        const expected = own.filter(
          (row) =>
            row.created_at >= since &&
            row.created_at <= until &&
            (!categories || categories.includes(row.category)) &&
            (!status || row.status === status) &&
            (!platform || row.platform === platform) &&
            (!accountId || row.account_id === accountId) &&
            (!resourceId || row.resource_id === resourceId) &&
            (!action || row.action === action),
        );
        const found: LogRow[] = [];
        for (;;) {
          const last = found.at(-1);
          const from = last && { at: last.created_at, id: last.id };
          const page = await listLog(store.db, authority, { ...filter, since }, { limit: 7, from });
          found.push(...page.slice(0, 7));
          if (page.length <= 7) break;
        }
        expect([filter, since, found.map(({ id }) => id)]).toEqual([filter, since, expected.map(({ id }) => id)]);
      }
    }
  });

  it('is counted as it is', async () => {
    const { store, own } = await filled();
    const span = { since: NOW - 25_000, until: NOW - 3000 };
    const within = own.filter((row) => row.created_at >= span.since && row.created_at <= span.until);
    const count = (rule: (row: NewRow<'log'>) => boolean) => within.filter(rule).length;
    for (const { category, status, n } of await countLog(store.db, authority, span)) {
      expect([category, status, n]).toEqual([
        category,
        status,
        count((row) => row.category === category && row.status === status),
      ]);
    }
    const kinds = await countInboxKinds(store.db, authority, span, ['comment', 'dm', 'mention']);
    expect(kinds).toEqual({
      comment: count((row) => row.category === 'inbox' && row.kind === 'comment'),
      dm: count((row) => row.category === 'inbox' && row.kind === 'dm'),
      mention: 0,
    });
    expect(kinds.comment).toBeGreaterThan(0);
    const errors = await countLogErrors(store.db, authority, span);
    expect(errors).toEqual(
      ['network', 'receiver'].map((error_category) => ({
        error_category,
        n: count((row) => row.error_category === error_category),
      })),
    );
    const before = await countLogBefore(store.db, authority, span.since, span.until);
    expect(before).toBe(count((row) => row.created_at < span.until));
  });

  describe.runIf(kind !== 'memory')('of a large workspace', () => {
    it('is read by its indexes', { timeout: 60_000 }, async () => {
      const store = await open();
      await makeWorkspaces(store, 'ws', 'other');
      for (let from = 0; from < 20_000; from += 500) {
        const rows = entries(500).map((row, n) => ({
          ...row,
          created_at: NOW - (from + n) * 1000,
          position: from + n,
        }));
        await store.write(({ db }) => db.insertInto('log').values(rows).execute());
      }
      if (kind === 'postgres') await store.write(async ({ db }) => void (await sql`analyze log`.execute(db)));
      const asked: CompiledQuery[] = [];
      const db = observed(store, (query) => asked.push(query));
      const page = { limit: 50, from: { at: NOW - 5_000_000, id: 'log' } };
      const span = { since: NOW - 60_000, until: NOW };
      await listLog(db, authority, { since: 0 }, page);
      await listLog(db, authority, { since: 0, status: 'failed' }, page);
      await listLog(db, authority, { since: 0, categories: ['api', 'post'] }, page);
      await listLog(db, authority, { since: 0, accountId: 'acc_1', status: 'failed' }, page);
      await listLog(db, authority, { since: 0, resourceId: 'post_4' }, page);
      await countLog(db, authority, span);
      await countInboxKinds(db, authority, span, ['comment', 'dm']);
      await countLogErrors(db, authority, span);
      await countLogBefore(db, authority, span.since, span.until);
      await logAfter(db, store.dialect, authority, { position: 19_000, id: '' }, { since: 0, limit: 100 });
      await lastPosition(db, store.dialect, authority);
      await newestPositions(db, ['ws', 'other']);
      for (const query of asked) {
        const explain = kind === 'postgres' ? 'explain ' : 'explain query plan ';
        const plan: QueryResult<unknown> = await store.db.executeQuery({ ...query, sql: explain + query.sql });
        expect([query.sql, JSON.stringify(plan.rows)]).toEqual([
          query.sql,
          expect.not.stringMatching(/Seq Scan on log|SCAN log\b/),
        ]);
      }
    });
  });

  const entry = (summary: string, workspaceId = 'ws'): LogEntry => {
    return { workspaceId, category: 'api', action: 'test', status: 'success', summary };
  };
  /** One step of a reader that has come as far as a place. */
  const stepFrom = async (store: Store, from = BEGINNING, limit = 100) => {
    const rows = await logAfter(store.db, store.dialect, authority, from, { since: 0, limit });
    const last = rows.at(-1);
    return { told: rows.map(({ summary }) => summary), place: last ? { position: last.position, id: last.id } : from };
  };

  it('is followed in the order of commits, one transaction as a whole and in its own order', async () => {
    const store = productStore(await open(), fakeClock(NOW));
    await makeWorkspaces(store, 'ws', 'other');
    await store.write(async (tx) => {
      for (const summary of ['a', 'b', 'c']) await tx.log(entry(summary));
    });
    await store.write((tx) => tx.log(entry('not ours', 'other')));
    await store.write((tx) => tx.log(entry('d')));
    const read = async () => {
      const told: string[] = [];
      for (let at = BEGINNING; ;) {
        const step = await stepFrom(store, at, 2);
        told.push(...step.told);
        if (step.told.length === 0) return told;
        at = step.place;
      }
    };
    await expect.poll(read, SOON).toEqual(['a', 'b', 'c', 'd']);
    const behind = await stepFrom(store);
    expect(await lastPosition(store.db, store.dialect, authority)).toEqual(behind.place);
    const newest = await newestPositions(store.db, ['ws', 'other', 'nobody']);
    expect([newest.get('ws'), newest.has('nobody')]).toEqual([behind.place.position, false]);
    expect(await positionOfEntry(store.db, store.dialect, authority, behind.place.id, 0)).toMatchObject(behind.place);
    expect(await positionOfEntry(store.db, store.dialect, authorityOver('other'), behind.place.id, 0)).toBeUndefined();
    expect(await positionOfEntry(store.db, store.dialect, authority, behind.place.id, NOW + 1)).toBeUndefined();
  });

  it('goes on behind the last place when everything before was swept away', async () => {
    const clock = fakeClock(NOW);
    const store = productStore(await open(), clock);
    await makeWorkspaces(store, 'ws');
    await store.write(async (tx) => {
      for (let n = 0; n < 30; n += 1) await tx.log(entry(`old ${n}`));
    });
    await expect.poll(async () => (await stepFrom(store)).told.length, SOON).toBe(30);
    const { place: behind } = await stepFrom(store);
    clock.move(3 * DAY);
    expect(await store.write(({ db }) => sweepHistory(db, clock.now(), 100))).toBe(30);
    await store.write((tx) => tx.log(entry('new')));
    await expect.poll(async () => (await stepFrom(store, behind)).told, SOON).toEqual(['new']);
  });

  describe.runIf(kind !== 'memory')('of two processes', () => {
    it('loses nothing and sends nothing twice, whatever their clocks say', async () => {
      const where = await place();
      const late = fakeClock(NOW - 60_000);
      const stores = [productStore(await open(where), fakeClock(NOW)), productStore(await open(where), late)] as const;
      await makeWorkspaces(stores[0], 'ws');
      const amount = kind === 'postgres' ? 60 : 12;
      const told: string[] = [];
      let at = BEGINNING;
      const read = async () => {
        const step = await stepFrom(stores[0], at);
        told.push(...step.told);
        at = step.place;
        return told.length;
      };
      const write = async (who: 0 | 1, strand: number) => {
        for (let n = 0; n < amount; n += 1) await stores[who].write((tx) => tx.log(entry(`${who} ${strand} ${n}`)));
      };
      let writing = true;
      const written = Promise.all([write(0, 0), write(1, 0), write(0, 1), write(1, 1)]).then(() => (writing = false));
      while (writing) {
        await read();
        // A read of SQLite lets nobody else have a turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await written;
      await expect.poll(read, SOON).toBe(4 * amount);
      expect(new Set(told).size).toBe(4 * amount);
      // What one of them committed before the next began comes before it.
      const strand = told.filter((summary) => summary.startsWith('1 0 '));
      expect(strand).toEqual(strand.map((_, n) => `1 0 ${n}`));
    });
  });

  describe.runIf(kind === 'postgres')('on PostgreSQL', () => {
    it('waits for a transaction that began earlier and ends later', async () => {
      const store = productStore(await open(), fakeClock(NOW));
      await makeWorkspaces(store, 'ws');
      const begun = Promise.withResolvers<void>();
      const first = store.write(async (tx) => {
        await tx.log(entry('first'));
        begun.resolve();
        // Its end is told to it by the database, as nothing else may be waited for.
        const third = tx.db.selectFrom('log').select('id').where('summary', '=', 'third');
        while ((await third.executeTakeFirst()) === undefined);
      });
      await begun.promise;
      await store.write((tx) => tx.log(entry('second')));
      expect((await stepFrom(store)).told).toEqual([]);
      const second = await store.db
        .selectFrom('log')
        .select('id')
        .where('summary', '=', 'second')
        .executeTakeFirstOrThrow();
      expect(await positionOfEntry(store.db, 'postgres', authority, second.id, 0)).toMatchObject({ settled: false });
      await store.write((tx) => tx.log(entry('third')));
      await first;
      await expect.poll(async () => (await stepFrom(store)).told, SOON).toEqual(['first', 'second', 'third']);
    });

    it('is ordered anew when it comes from another cluster', async () => {
      const store = productStore(await open(), fakeClock(NOW));
      await makeWorkspaces(store, 'ws');
      await store.write((tx) => tx.log(entry('a')));
      await store.write((tx) => tx.log(entry('b')));
      expect(await store.write((tx) => mendPositions(tx.db, tx.dialect))).toBe(false);
      await store.write(({ db }) =>
        db
          .updateTable('log')
          .set({ position: sql<number>`position + 1000000000` })
          .execute(),
      );
      expect((await stepFrom(store)).told).toEqual([]);
      expect(await store.write((tx) => mendPositions(tx.db, tx.dialect))).toBe(true);
      await store.write((tx) => tx.log(entry('c')));
      await expect.poll(async () => (await stepFrom(store)).told, SOON).toEqual(['a', 'b', 'c']);
      expect(await store.write((tx) => mendPositions(tx.db, tx.dialect))).toBe(false);
    });
  });
});
