import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { builderOn } from '#db/store/builder.ts';
import { nextDueAt } from '#db/delivery/due.ts';
import type { Database } from '#db/schema/database.ts';
import { makeDue } from '#engine/delivery/due.ts';
import { newId } from '#kernel/ids.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, START, type World } from '../../harness/worlds/delivery.ts';

/** Pending deliveries of an endpoint, each due a millisecond after the one before. */
async function pending(world: World, endpoint_id: string, amount: number, from: number): Promise<void> {
  const fresh = { status: 'pending', attempt_count: 0, interrupted: 0, created_at: from } as const;
  const base = { ...fresh, workspace_id: world.workspace, endpoint_id, event_type: 'post.deleted' };
  for (let at = 0; at < amount; at += 500) {
    const rows = Array.from({ length: Math.min(500, amount - at) }, (_, index) => ({
      ...base,
      id: newId('dlv', START),
      run_at: from + at + index,
    }));
    await world.store.write(({ db }) => db.insertInto('deliveries').values(rows).execute());
  }
}

describeStores('the endpoints with due deliveries', (stores) => {
  const it = test.extend('world', () => makeWatched());

  const { kind } = stores;

  async function makeWatched() {
    const world = await makeWorld(stores);
    const asked: CompiledQuery[] = [];
    const db = builderOn<Database>(world.store.dialect, (query) => {
      asked.push(query);
      return world.store.db.executeQuery(query);
    });
    const due = makeDue(db);
    return {
      ...world,
      db,
      asked,
      /** Who is due, and whether all endpoints with pending deliveries were looked through for that. */
      async look(now: number) {
        asked.length = 0;
        const ids = (await due(now)).map(({ id }) => id);
        return { ids, scanned: asked.some(({ sql }) => sql.includes('recursive')) };
      },
    };
  }

  it('are found without looking at those that wait', async ({ world }) => {
    const ids: string[] = [];
    for (let at = 0; at < 20; at += 1) ids.push(await world.endpoint(`host${at}`));
    for (const id of ids.slice(2)) await pending(world, id, 3, START + 5000);
    expect(await world.look(START)).toEqual({ ids: [], scanned: false });
    await pending(world, ids[1]!, 2, START - 10);
    await pending(world, ids[0]!, 2, START);
    expect(await world.look(START)).toEqual({ ids: ids.slice(0, 2), scanned: false });
    expect(await nextDueAt(world.store.db, START)).toBe(START + 1);
    expect(await nextDueAt(world.store.db, START + 1)).toBe(START + 5000);
    expect(await nextDueAt(world.store.db, START + 6000)).toBeUndefined();
  });

  it('are all found behind any number of due deliveries of one of them, and new ones at once', async ({ world }) => {
    const busy = await world.endpoint('busy');
    const other = await world.endpoint('other');
    const waiting = await world.endpoint('waiting');
    const late = await world.endpoint('late');
    await pending(world, busy, 2500, START - 10_000);
    // In the middle of the due times, where neither end of them shows it.
    await pending(world, other, 1, START - 8750);
    await pending(world, waiting, 1, START + 50);
    expect(await world.look(START)).toEqual({ ids: [busy, other], scanned: true });
    expect(await world.look(START + 40)).toEqual({ ids: [busy, other], scanned: false });
    expect(await world.look(START + 60)).toEqual({ ids: [busy, other, waiting], scanned: false });
    await pending(world, late, 1, START - 8751);
    expect(await world.look(START + 150)).toEqual({ ids: [busy, other, waiting], scanned: false });
    expect(await world.look(START + 200)).toEqual({ ids: [busy, other, waiting, late], scanned: true });
  });

  it.skipIf(kind === 'postgres')('are read from indexes alone', async () => {
    const world = await makeWatched();
    const id = await world.endpoint('host');
    await pending(world, id, 1100, START - 5000);
    await world.look(START);
    const asked = [...world.asked];
    await world.look(START + 1);
    asked.push(...world.asked);
    await nextDueAt(world.db, START);
    asked.push(world.asked.at(-1)!);
    expect(asked.length).toBeGreaterThan(5);
    for (const { sql, parameters } of asked) {
      const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await world.store.db.executeQuery<{ detail: string }>(plan);
      const touching = rows.map(({ detail }) => detail).filter((detail) => /\b(?:deliveries|d)\b/.test(detail));
      expect(touching.length).toBeGreaterThan(0);
      for (const detail of touching)
        expect(detail).toMatch(/^SEARCH .* USING COVERING INDEX deliveries_(?:due|next)\b/);
    }
  });
});
