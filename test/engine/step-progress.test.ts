import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { LeaseLost } from '#engine/jobs/lease.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import type { PublishCall } from '#platforms/posts.ts';
import { sealLost } from '#db/schema/sealed.ts';
import { forgetSealed } from '#db/upkeep/forget.ts';
import { resealRows } from '#db/upkeep/reseal.ts';
import { makeSealer } from '#kernel/seal.ts';
import { fakePlatform } from '../harness/platforms/fake.ts';
import { publishingPlatform, makePostNetwork } from '../harness/platforms/publishing.ts';
import { describeStores, type Stores } from '../harness/stores/stores.ts';
import { makeWorld } from '../harness/worlds/publishing.ts';

const PARTS = 4;
const ADDRESS = 'https://upload.test/?signature=secret';

/** A platform that takes a file in parts: what arrived there, and how the requests of the next parts fail. */
function partsPlatform() {
  const arrived: number[] = [];
  const seen: unknown[] = [];
  const failures: (Error | undefined)[] = [];

  async function upload(call: PublishCall) {
    seen.push(call.kept);
    const { from } = (call.kept ?? { from: 0 }) as { from: number };
    for (let part = from; part < PARTS; part += 1) {
      await call.http({ method: 'PUT', url: ADDRESS, template: '/' });
      const failure = failures.shift();
      if (failure) throw failure;
      arrived.push(part);
      await call.keep({ from: part + 1, address: ADDRESS });
    }
    return { address: ADDRESS };
  }

  const rules = publishingPlatform(makePostNetwork(), 'bluesky', {}).posts!.rules;
  const platform: Platform = fakePlatform('bluesky', {
    posts: {
      rules,
      publish: {
        steps: () => [
          { name: 'upload', kind: 'idempotent', secret: true },
          { name: 'write', kind: 'idempotent' },
        ],
        run: (call, step) => (step === 'upload' ? upload(call) : Promise.resolve({ used: call.done['upload'] })),
        finish: (done) => ({ platform_post_id: 'made-1', metadata: { used: done['write'] as object } }),
      },
    },
  });
  return { platforms: new Map([['bluesky', platform] as const]), arrived, seen, failures };
}

async function scene(stores: Stores) {
  const { platforms, ...net } = partsPlatform();
  const world = await makeWorld(stores, { platforms });
  const account = await world.account('bluesky');
  const steps = () => world.store.db.selectFrom('steps').selectAll().orderBy('name').execute();
  return { ...net, world, account, steps };
}

const failure = (kind: 'unknown' | 'throttled' | 'pending' | 'not_sent') =>
  new PlatformError(kind, kind === 'throttled' ? 'rate_limit' : 'api_error', 'Not now.', { retryAfter: 10 });

describeStores('a step of several requests', (stores) => {
  it.each([1, 2, 3, 4])('goes on behind what it kept when its process dies after part %d', async (nth) => {
    const { world, account, arrived, seen, steps } = await scene(stores);
    let left = nth;
    const dying = await world.second({
      crash: (point) => {
        if (point === 'publish.step.kept' && (left -= 1) === 0) throw new LeaseLost();
      },
    });
    const id = await world.schedule([account]);
    world.clock.move(HOUR);
    await dying.settle();
    const [row] = await steps();
    expect(row).toMatchObject({ name: 'upload', state: 'sent' });
    expect(row!.progress).toMatch(/^v1\./);
    await world.pass(90 * SECOND);
    expect([await world.status(id), arrived]).toEqual(['published', [0, 1, 2, 3]]);
    expect(seen).toEqual([undefined, { from: nth, address: ADDRESS }]);
  });

  it('keeps nothing once it is done, and seals what it answers where that is secret', async () => {
    const { world, account, steps } = await scene(stores);
    const id = await world.make([account], { publishNow: true });
    const [upload, write] = await steps();
    expect(upload).toMatchObject({ state: 'done', progress: null, result: null });
    expect(upload!.sealed_result).toMatch(/^v1\./);
    expect(write).toMatchObject({ sealed_result: null, result: { used: { address: ADDRESS } } });
    expect((await world.target(id)).metadata).toMatchObject({ used: { used: { address: ADDRESS } } });
    // The account of this world has a session that nobody encrypted.
    await world.disconnect(account.id);
    const rotated = makeSealer(['22'.repeat(32), '11'.repeat(32)]);
    expect(await resealRows(world.store, rotated)).toBe(1);
    const [again] = await steps();
    const opened = rotated.open(again!.sealed_result!, `steps.sealed_result.${upload!.target_id}`);
    expect([rotated.isNewest(again!.sealed_result!), JSON.parse(opened)]).toEqual([true, { address: ADDRESS }]);
  });

  it('ends a post as failed where what it answered was lost with its master key', async () => {
    const { world, account, arrived } = await scene(stores);
    const dying = await world.second({
      crash: (point) => {
        if (point === 'publish.step.committed') throw new LeaseLost();
      },
    });
    const id = await world.schedule([account]);
    world.clock.move(HOUR);
    await dying.settle();
    const { db } = world.store;
    const { session } = await db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
    const { target_id } = await db.selectFrom('steps').selectAll().executeTakeFirstOrThrow();
    const sealed_result = makeSealer(['33'.repeat(32)]).seal('{}', `steps.sealed_result.${target_id}`);
    await world.store.write((tx) => tx.db.updateTable('steps').set({ sealed_result }).execute());
    const sealer = makeSealer(['11'.repeat(32)]);
    expect((await forgetSealed(world.store, { sealer, now: world.clock.now() })).get('step_results')).toBe(1);
    // As if it had been connected again.
    await world.store.write((tx) => tx.db.updateTable('accounts').set({ session, status: 'active' }).execute());
    await world.pass(90 * SECOND);
    expect([await world.status(id), arrived]).toEqual(['failed', [0, 1, 2, 3]]);
    expect((await world.target(id)).error).toMatchObject({
      code: 'publishing.delivery.interrupted',
      message: expect.stringContaining('lost with the master key'),
    });
    await world.pass(HOUR);
    expect(await world.status(id)).toBe('failed');
    await expect(world.retry(id)).rejects.toMatchObject({
      code: 'post.no_retryable_deliveries',
      message: expect.stringContaining('lost with the master key'),
    });
  });

  it('keeps no other target from being retried where what it answered was lost', async () => {
    const { world, account, arrived, failures } = await scene(stores);
    const other = await world.account('bluesky');
    const refused = () => new PlatformError('refused', 'api_error', 'No.');
    failures.push(refused(), refused());
    const id = await world.make([account, other], { publishNow: true });
    expect([await world.status(id), arrived]).toEqual(['failed', []]);
    const { db } = world.store;
    const [lost] = await db.selectFrom('targets').selectAll().where('account_id', '=', account.id).execute();
    const sealed_result = sealLost(makeSealer(['11'.repeat(32)]), 'step_results', lost!.id);
    const done = { state: 'done', progress: null, result: null, sealed_result } as const;
    const step = { target_id: lost!.id, name: 'upload', kind: 'idempotent', sent_at: 0, ...done } as const;
    await world.store.write((tx) =>
      tx.db
        .insertInto('steps')
        .values({ ...step, done_at: 0 })
        .onConflict((conflict) => conflict.columns(['target_id', 'name']).doUpdateSet(done))
        .execute(),
    );
    await world.retry(id);
    await world.pass(MINUTE);
    expect([await world.status(id), arrived]).toEqual(['partial', [0, 1, 2, 3]]);
    const [still] = await db.selectFrom('targets').selectAll().where('id', '=', lost!.id).execute();
    expect(still!.error).toMatchObject({ message: expect.stringContaining('lost with the master key') });
  });

  it.each(['unknown', 'throttled', 'pending', 'not_sent'] as const)(
    'goes on behind what it kept after an answer that is %s',
    async (kind) => {
      const { world, account, arrived, seen, failures } = await scene(stores);
      failures.push(undefined, failure(kind));
      const id = await world.make([account], { publishNow: true });
      await world.pass(10 * SECOND);
      expect([await world.status(id), arrived]).toEqual(['published', [0, 1, 2, 3]]);
      expect(seen).toEqual([undefined, { from: 1, address: ADDRESS }]);
    },
  );

  it('is tried as often as it makes progress, and given up when it makes none', async () => {
    const { world, account, arrived, failures } = await scene(stores);
    const rounds = [0, 1, 2].flatMap(() => [...Array.from({ length: 5 }, () => failure('unknown')), undefined]);
    failures.push(...rounds);
    const id = await world.make([account], { publishNow: true });
    for (let minute = 0; minute < 45; minute += 1) await world.pass(MINUTE);
    expect([await world.status(id), arrived]).toEqual(['published', [0, 1, 2, 3]]);
    failures.push(undefined, ...Array.from({ length: 6 }, () => failure('unknown')));
    const other = await world.make([account], { publishNow: true });
    for (let minute = 0; minute < 15; minute += 1) await world.pass(MINUTE);
    expect([await world.status(other), arrived]).toEqual(['failed', [0, 1, 2, 3, 0]]);
  });
});
