import { HOUR } from '#kernel/clock.ts';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '#db/store/store.ts';
import type { Draft, MediaFiles } from '#engine/media/storage/files.ts';
import { ApiError } from '#kernel/errors.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Stores } from '../harness/stores/stores.ts';
import { gif, pieces, png } from '../harness/media-samples.ts';
import { makeWorld, tokenOf, usePost, type World } from '../harness/worlds/media.ts';

const FOREVER = new Promise<never>(() => {});

/** Dies at the step that is said, before or after what it does; `never` lives on. */
type Death = Readonly<{ step: number; after: boolean }> | 'never';

/**
 * The store and the files of a process that may die: from then on it does nothing and hears of nothing, and what it
 * had begun stays as it is.
 */
function mortal(world: World, death: Death) {
  const dying = Promise.withResolvers<'dead'>();
  const drafts: Draft[] = [];
  const begun = new Set<Promise<unknown>>();
  let steps = 0;
  let dead = false;
  const die = () => {
    dead = true;
    dying.resolve('dead');
    return FOREVER;
  };
  async function step<T>(act: () => Promise<T>): Promise<T> {
    if (dead) return FOREVER;
    steps += 1;
    const last = death !== 'never' && steps === death.step;
    if (last && !death.after) return die();
    const acting = act().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    begun.add(acting);
    const outcome = await acting;
    return last || dead ? die() : outcome();
  }

  const files: MediaFiles = {
    receive: (...args) =>
      step(async () => {
        const draft = await world.shelves.receive(...args);
        drafts.push(draft);
        return { ...draft, keep: () => step(draft.keep), drop: () => step(draft.drop) };
      }),
    find: (place) => step(() => world.shelves.find(place)),
    inspect: (place, look) => step(() => world.shelves.inspect(place, look)),
    findDerived: (...args) => step(() => world.shelves.findDerived(...args)),
    keepDerived: (...args) => step(() => world.shelves.keepDerived(...args)),
    remove: (place) => step(() => world.shelves.remove(place)),
    // Files of the disk carry the time of the machine, by which a moved clock takes new ones for old: they wait for the end.
    sweep: (before, known) => step(() => world.shelves.sweep(world.s3 ? before : 0, known)),
  };
  const write: Store['write'] = (...args) => step(() => world.store.write(...args));
  return {
    media: world.another({ store: { db: world.store.db, write }, files }),
    /** Dead, and whatever it had begun has happened. */
    dead: dying.promise.then(() => Promise.all(begun)).then(() => 'dead' as const),
    /** What its end left open, once nobody looks at it any more. */
    bury: () => Promise.all(drafts.map((draft) => draft.drop())),
  };
}

/** Few items, so that what happens at once mostly happens to the same. */
const nth = fc.nat(2);
const size = fc.nat(3000);
const act = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('upload' as const), size }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      nth,
      size,
      other: fc.nat(5).map((n) => n === 0),
      declared: fc.constantFrom(undefined, undefined, 4000, 40_000_000),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('verify' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('use' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
const death: fc.Arbitrary<Death> = fc.oneof(
  fc.constant('never' as const),
  fc.record({ step: fc.integer({ min: 1, max: 14 }), after: fc.boolean() }),
);
/** What one process does at the same time, until it is done or dies; at times a day passes before it. */
const life = fc.record({
  acts: fc.array(act, { minLength: 2, maxLength: 8 }),
  death,
  pause: fc.nat(7).map((n) => (n === 0 ? 25 * HOUR : 0)),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

/** Storage is what the items weigh, whatever happens at once and whoever dies in between. */
export const anyLives = ({ open }: Stores, shelf: 'disk' | 'bucket', numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
      const world = await makeWorld(await open(), { plan: 'free', shelf });
      await live(world, lives);
    }),
    { numRuns },
  );

async function live(world: World, lives: readonly Life[]): Promise<void> {
  const graves: (() => Promise<unknown>)[] = [];
  const tokens = new Map<string, string>();
  const hurt = new Set<string>();
  for (const { acts, death: end, pause } of lives) {
    world.clock.move(pause);
    for (const size_bytes of [undefined, 3500]) await ask(world, tokens, size_bytes);
    const rows = await world.store.db.selectFrom('media').select('id').orderBy('id', 'desc').limit(3).execute();
    const chosen = (n: number) => rows[n % rows.length]!.id;

    const { media, dead, bury } = mortal(world, end);
    graves.push(bury);
    const done = Promise.allSettled(acts.map((one) => perform(one, { ...world, media }, chosen, tokens)));
    const outcome = await Promise.race([done, dead]);
    if (outcome === 'dead') for (const { id } of rows) hurt.add(id);
    // Refusals are part of life; anything else is a mistake.
    for (const one of outcome === 'dead' ? [] : outcome) {
      if (one.status === 'rejected' && !(one.reason instanceof ApiError)) throw one.reason;
    }
    await expectTrue(world, hurt);
  }

  world.clock.move(25 * HOUR);
  age(world);
  await world.media.sweep();
  await expectTrue(world, hurt);
  const rows = await world.store.db.selectFrom('media').selectAll().execute();
  expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(world.files().toSorted()).toEqual(
    rows.flatMap(({ id, status }) => (status === 'ready' ? [id] : [])).toSorted(),
  );
  expect(await counters(world)).toMatchObject({ pending_bytes: 0 });
  await Promise.all(graves.map((bury) => bury()));
}

async function ask({ media, owner }: World, tokens: Map<string, string>, size_bytes?: number): Promise<void> {
  const address = await media
    .uploadUrl(owner, { media_type: 'image/png', filename: 'a.png', size_bytes })
    .catch((error: unknown) => {
      // What is left unverified may fill the plan.
      expect(error).toMatchObject({ code: 'billing.storage_quota' });
      return undefined;
    });
  if (address) tokens.set(address.media_id, tokenOf(address.upload_url));
}

async function perform(one: Act, world: World, chosen: (nth: number) => string, tokens: ReadonlyMap<string, string>) {
  const { media, owner, authority } = world;
  switch (one.do) {
    case 'upload':
      return media.upload(owner, { file: pieces(png(1, 1, one.size)) });
    case 'put': {
      const bytes = one.other ? gif() : png(1, 1, one.size);
      return media.put(tokens.get(chosen(one.nth)) ?? '', pieces(bytes), { declared: one.declared });
    }
    case 'verify':
      return media.verify(owner, chosen(one.nth));
    case 'remove':
      return media.remove(authority, chosen(one.nth));
    case 'use': {
      const id = chosen(one.nth);
      const row = await world.store.db.selectFrom('media').select('id').where('id', '=', id).executeTakeFirst();
      // An item may go between the look and the post, whose foreign key is then refused.
      return row && usePost(world, id).catch(() => undefined);
    }
    case 'sweep':
      return media.sweep();
  }
}

const counters = async ({ store, owner }: World) =>
  store.db
    .selectFrom('workspaces')
    .select(['storage_bytes', 'pending_bytes'])
    .where('id', '=', owner.id)
    .executeTakeFirstOrThrow();

/**
 * The counters are the sums of the rows, every ready item has the bytes its row tells of, and a pending one holds what
 * its bytes weigh: more only where somebody died over it (`hurt`).
 */
async function expectTrue(world: World, hurt: ReadonlySet<string>): Promise<void> {
  const rows = await world.store.db.selectFrom('media').selectAll().execute();
  const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
  const ready = rows.filter(({ status }) => status === 'ready');
  expect(await counters(world)).toEqual({
    storage_bytes: sum(ready.map(({ size_bytes }) => size_bytes)),
    pending_bytes: sum(rows.map(({ held_bytes }) => held_bytes)),
  });
  expect(rows.filter((row) => row.status !== 'pending' && row.held_bytes !== 0)).toEqual([]);
  for (const row of rows) {
    if (row.status !== 'pending' || hurt.has(row.id)) continue;
    expect(row.held_bytes).toBe((await world.shelves.find(row))?.size ?? 0);
  }
  for (const row of ready) {
    const kept = await world.shelves.find(row);
    const bytes = await kept?.read(0, kept.size);
    expect([bytes?.byteLength, bytes && sha256(bytes)]).toEqual([row.size_bytes, row.sha256]);
  }
}

/** Files of the disk carry the time of the machine; they are to be older than a day by the clock of the world. */
function age({ dataDir, clock }: World): void {
  const at = (clock.now() - 25 * HOUR) / 1000;
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), at, at);
  }
}
