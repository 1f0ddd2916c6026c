import { DAY } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { sweepHistory } from '#db/upkeep/history.ts';
import type { Store } from '#db/store/open.ts';
import type { Act } from '#kernel/acts.ts';
import { PLANS, type PlanTier } from '#kernel/plans.ts';
import { describeStores } from '../harness/stores/stores.ts';

/** Noon: whole UTC days are kept, so what counts is the midnight before. */
const NOW = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT = Date.UTC(2026, 10, 21);

const daysOf = (plan: PlanTier) => PLANS[plan].limits.event_retention_days;

function makeWorkspace({ db }: Pick<Store, 'db'>, id: string, plan: PlanTier) {
  return db.insertInto('workspaces').values({ id, plan, created_at: 0, brands_count: 1, storage_bytes: 0 }).execute();
}

async function addEvent({ db }: Pick<Store, 'db'>, workspace_id: string, id: string, created_at: number) {
  const event = { id, workspace_id, name: 'post.published', brand_id: null, body: '{}', created_at } as const;
  await db.insertInto('events').values(event).execute();
}

async function addLog({ db }: Pick<Store, 'db'>, workspace_id: string, id: string, created_at: number) {
  const entry = { category: 'post', action: 'published', status: 'success', summary: '', metadata: {} } as const;
  await db
    .insertInto('log')
    .values({ id, workspace_id, created_at, ...entry })
    .execute();
}

async function addPublishLog({ db }: Pick<Store, 'db'>, workspace_id: string, id: string, created_at: number) {
  const about = { brand_id: 'brd', account_id: 'acc', post_id: 'post', platform: 'bluesky' } as const;
  const entry = { action: 'publish', status: 'success', attempt: 1, duration_ms: 1, status_code: 200 } as const;
  await db
    .insertInto('publish_log')
    .values({ id, workspace_id, created_at, ...about, ...entry, error_message: null })
    .execute();
}

async function addConnect({ db }: Pick<Store, 'db'>, workspace_id: string, id: string, expires_at: number) {
  const about = { platform: 'bluesky', network: 'real', client_state: '', sealed: '' } as const;
  await db
    .insertInto('connects')
    .values({ id, workspace_id, created_at: expires_at - 900_000, expires_at, metadata: {}, ...about })
    .execute();
}

async function addCount({ db }: Pick<Store, 'db'>, workspace_id: string, act: Act, day: number) {
  await db.insertInto('connection_counts').values({ connection_id: 'con', workspace_id, act, day, n: 1 }).execute();
}

async function addClaim({ db }: Pick<Store, 'db'>, workspace_id: string, item: string, at: number) {
  await db.insertInto('answered').values({ connection_id: 'con', workspace_id, item, digest: '', at }).execute();
}

async function addDelivery({ db }: Pick<Store, 'db'>, workspace_id: string, event_id: string) {
  const at = { created_at: 0, updated_at: 0 };
  const endpoint = { id: 'whk', workspace_id, url: 'https://a.example', secret: '', secret_hint: '' };
  await db
    .insertInto('endpoints')
    .values({ ...endpoint, ...at, is_active: 1, slots: 16, failing: 0 })
    .execute();
  const delivery = { id: 'dlv', workspace_id, endpoint_id: 'whk', event_id, event_type: 'post.published' };
  await db
    .insertInto('deliveries')
    .values({ ...delivery, status: 'delivered', attempt_count: 1, run_at: 0, interrupted: 0, created_at: 0 })
    .execute();
}

describeStores('the sweep of history', ({ open }) => {
  const it = test.extend('store', () => open());

  const idsOf = async ({ db }: Store, table: 'events' | 'log' | 'publish_log' | 'connects') =>
    (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);
  const sweep = (store: Store, limit = 100, now = NOW) => store.write(({ db }) => sweepHistory(db, now, limit));

  it('keeps events and the activity log as many whole days as the plan of each workspace says', async ({ store }) => {
    const tiers = Object.keys(PLANS) as PlanTier[];
    await store.write(async (tx) => {
      for (const plan of tiers) {
        await makeWorkspace(tx, plan, plan);
        for (const add of [addEvent, addLog]) {
          await add(tx, plan, `${plan} kept`, MIDNIGHT - daysOf(plan) * DAY);
          await add(tx, plan, `${plan} old`, MIDNIGHT - daysOf(plan) * DAY - 1);
        }
      }
    });
    expect(await sweep(store)).toBe(2 * tiers.length);
    const kept = tiers.map((plan) => `${plan} kept`).toSorted();
    expect([await idsOf(store, 'events'), await idsOf(store, 'log')]).toEqual([kept, kept]);
    expect(new Set(tiers.map(daysOf)).size).toBeGreaterThan(1);
    expect(await sweep(store)).toBe(0);
  });

  it('keeps an event as long as a delivery of it is there', async ({ store }) => {
    await store.write(async (tx) => {
      await makeWorkspace(tx, 'ws', 'free');
      for (const id of ['sent', 'unsent']) await addEvent(tx, 'ws', id, NOW - (daysOf('free') + 2) * DAY);
      await addDelivery(tx, 'ws', 'sent');
    });
    expect(await sweep(store)).toBe(1);
    expect(await idsOf(store, 'events')).toEqual(['sent']);
    await store.write(({ db }) => db.deleteFrom('deliveries').execute());
    expect(await sweep(store)).toBe(1);
    expect(await idsOf(store, 'events')).toEqual([]);
  });

  it('keeps the publishing log for 8 days, and connections for an hour after their end', async ({ store }) => {
    await store.write(async (tx) => {
      await makeWorkspace(tx, 'ws', 'enterprise');
      await addPublishLog(tx, 'ws', 'kept', MIDNIGHT - 8 * DAY);
      await addPublishLog(tx, 'ws', 'old', MIDNIGHT - 8 * DAY - 1);
      await addConnect(tx, 'ws', 'kept', NOW - 3_600_000);
      await addConnect(tx, 'ws', 'old', NOW - 3_600_001);
    });
    expect(await sweep(store)).toBe(2);
    expect([await idsOf(store, 'publish_log'), await idsOf(store, 'connects')]).toEqual([['kept'], ['kept']]);
  });

  it('keeps what connections did for a day more, and what they answered for 90', async ({ store }) => {
    await store.write(async (tx) => {
      await makeWorkspace(tx, 'ws', 'free');
      await addCount(tx, 'ws', 'message', MIDNIGHT - DAY - DAY);
      await addCount(tx, 'ws', 'comment', MIDNIGHT - DAY);
      await addClaim(tx, 'ws', 'old', NOW - 90 * DAY - 1);
      await addClaim(tx, 'ws', 'new', NOW - 90 * DAY);
    });
    expect(await sweep(store)).toBe(2);
    const counts = await store.db.selectFrom('connection_counts').select('act').execute();
    const claims = await store.db.selectFrom('answered').select('item').execute();
    expect([counts, claims]).toEqual([[{ act: 'comment' }], [{ item: 'new' }]]);
  });

  it('goes in steps, the oldest first, until nothing is left', async ({ store }) => {
    await store.write(async (tx) => {
      await makeWorkspace(tx, 'ws', 'free');
      // Made newest first, so that the order is not that of the rows.
      for (let n = 9; n >= 0; n -= 1) {
        for (const add of [addEvent, addLog]) await add(tx, 'ws', `${n}`, n);
        await addPublishLog(tx, 'ws', `${n}`, n);
        await addConnect(tx, 'ws', `${n}`, n);
      }
    });
    const steps = [await sweep(store, 4)];
    for (const table of ['events', 'log', 'publish_log', 'connects'] as const)
      expect([table, await idsOf(store, table)]).toEqual([table, ['4', '5', '6', '7', '8', '9']]);
    while (steps.at(-1)! > 0) steps.push(await sweep(store, 4));
    expect(steps).toEqual([16, 16, 8, 0]);
  });
});
