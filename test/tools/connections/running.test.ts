import { describe, expect, it } from 'vitest';
import { updateUser } from '#db/access/users.ts';
import { loadAction, moveAction } from '#db/leash/actions.ts';
import { loadConnection, updateConnection } from '#db/leash/connections.ts';
import type { ActionState, RowPatch } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import { makeActionRunner } from '#engine/leash/run.ts';
import { makeSealer } from '#kernel/seal.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, toolOf, type Reply } from '../../harness/calls/operations.ts';
import { aComment, lost, noSuchThing, silent, throttled, times, unsent } from '../../harness/platforms/social.ts';
import type { World } from '../../harness/world.ts';
import { letTimePass, makeStage } from '../../harness/worlds/social.ts';

type Input = Readonly<Record<string, unknown>>;

/** A message that a connection asked for and a person agreed to. */
async function scene() {
  const stage = await makeStage();
  const { world, net } = stage;
  const twitter = await stage.connect('twitter', 'one');
  const conversation = await stage.converse(twitter);
  const key = await leashedKey(world, 'ask');
  const does = async (name: string, input: Input): Promise<Reply> =>
    callThrough(world, 'rest', name, input, { key: await dashboardToken(world) });
  const send = { conversation_id: conversation, text: 'Hello' };
  const { id } = (await callThrough(world, 'rest', 'send_dm', send, { key })).body;
  const stateOf = async () => (await does('get_action', { action_id: id })).body;
  const approve = async () => {
    expect((await does('approve_action', { action_id: id, etag: (await stateOf()).etag })).ok).toBe(true);
  };
  const move = (from: ActionState, patch: RowPatch<'actions'>) =>
    world.product.store.write((tx) => moveAction(tx.db, id, from, patch));
  /** Leaves the action as a process does that dies over it. */
  const leave = (patch: RowPatch<'actions'>) =>
    world.product.store.write(async (tx) => {
      await moveAction(tx.db, id, 'held', patch);
      await tx.enqueue({ kind: 'run_action', key: id, runAt: world.clock.now() });
    });
  /** Lets time pass until the action is over. */
  const finish = async () => {
    while (['approved', 'running'].includes((await stateOf()).state)) await letTimePass(world, world.settle());
  };
  return { world, net, key, id, stateOf, approve, move, leave, finish };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** What runs actions in another process, where nothing is called unless a test says how. */
function runnerIn({ product: { store }, clock, root }: World, more: Partial<Parameters<typeof makeActionRunner>[0]>) {
  return makeActionRunner({
    store,
    clock,
    sealer: makeSealer(['11'.repeat(32)]),
    rootUrl: root,
    tools: new Map([['send_dm', toolOf('send_dm')]]),
    perform: () => Promise.reject(new Error('it is called')),
    once: () => Promise.reject(new Error('it is begun')),
    tidy: async () => 0,
    crash: () => {},
    ...more,
  });
}

async function revoke({ world, key }: Scene): Promise<void> {
  const { ref } = (await loadConnection(world.product.store.db, await connectionOf(world, key)))!;
  expect((await callThrough(world, 'rest', 'revoke_key', { key_id: ref }, {})).ok).toBe(true);
}

async function disable({ world: { product, clock, userId } }: Scene): Promise<void> {
  await product.store.write((tx) => updateUser(tx.db, userId, { disabled_at: clock.now() }));
}

async function take({ move, world }: Scene): Promise<void> {
  await move('approved', { state: 'running', started_at: world.clock.now() });
}

describe('an approved action', () => {
  it('is looked for, and done once, where the platform did not say what came of it', async () => {
    const { net, approve, finish, stateOf } = await scene();
    net.script('one', 'messages.send', lost);
    net.script('one', 'messages.send.settle', ...times(3, silent));
    await approve();
    await finish();
    expect(await stateOf()).toMatchObject({ state: 'done', outcome: { success: true } });
    expect(net.seen).toHaveLength(1);
  });

  it('is tried again for ten minutes where the platform is busy', async () => {
    const { net, approve, finish, stateOf } = await scene();
    net.script('one', 'messages.send', throttled, ...times(2, unsent), throttled);
    await approve();
    await finish();
    expect([(await stateOf()).state, net.seen.length]).toEqual(['done', 1]);
    const busy = await scene();
    busy.net.script('one', 'messages.send', ...times(30, throttled));
    await busy.approve();
    for (let tries = 0; tries < 20; tries += 1) {
      expect((await busy.stateOf()).state).toBe('running');
      busy.world.clock.move(30_000);
      await busy.world.settle();
    }
    expect(await busy.stateOf()).toMatchObject({ state: 'failed', error: { code: 'platform.twitter.rate_limit' } });
  });

  it.for([
    ['gone', 'after it may have been removed', lost, 'done'],
    ['gone', 'after nothing of it had happened', throttled, 'failed'],
    ['of an account that is gone', 'after it may have been removed', lost, 'failed'],
  ] as const)('that removes what is %s is over %s', async ([what, , first, state]) => {
    const { world, net, connect, tell } = await makeStage();
    const twitter = await connect('twitter', 'one');
    const comment = aComment('post-1', { platform_id: 'c1' });
    net.comments.set('post-1', [comment]);
    await tell(twitter, [{ kind: 'comment', comment }]);
    const key = await leashedKey(world, 'ask');
    const person = { key: await dashboardToken(world) };
    const ref = { post_id: 'post-1', comment_id: 'c1', account_id: twitter.id };
    const { id: action_id } = (await callThrough(world, 'rest', 'delete_comment', ref, { key })).body;
    net.script('one', 'comments.remove', first, noSuchThing);
    const read = async () => (await callThrough(world, 'rest', 'get_action', { action_id }, person)).body;
    const { etag } = await read();
    expect((await callThrough(world, 'rest', 'approve_action', { action_id, etag }, person)).ok).toBe(true);
    await world.settle();
    expect((await read()).state).toBe('running');
    if (what !== 'gone') await callThrough(world, 'rest', 'disconnect_account', { account_id: twitter.id }, {});
    world.clock.move(30_000);
    await world.settle();
    expect((await read()).state).toBe(state);
  });

  it('is not done once its connection has ended', async () => {
    const { world, net, key, leave, stateOf } = await scene();
    await leave({ state: 'approved' });
    const connection_id = await connectionOf(world, key);
    await world.product.store.write(({ db }) => updateConnection(db, connection_id, { ended_at: world.clock.now() }));
    await world.settle();
    expect(await stateOf()).toMatchObject({ state: 'failed', error: { code: 'auth.invalid_token' } });
    expect(net.seen).toEqual([]);
  });

  it.for([
    ['its key is revoked', revoke, 'failed'],
    ['its user is disabled', disable, 'failed'],
    ['another process begins it', take, 'running'],
  ] as const)('is not begun where %s right before', async ([, meanwhile, state]) => {
    const there = await scene();
    await there.move('held', { state: 'approved' });
    const { store } = there.world.product;
    const write: Store['write'] = async (...writing) => {
      await meanwhile(there);
      return store.write(...writing);
    };
    expect(await runnerIn(there.world, { store: { ...store, write } }).run(there.id)).toBeUndefined();
    expect((await loadAction(store.db, there.id))!.state).toBe(state);
  });

  it('keeps its files where another process has done it meanwhile', async () => {
    const { world, id, move, stateOf } = await scene();
    await move('held', { state: 'running', started_at: world.clock.now(), file_ids: ['med_1'] });
    const removed: unknown[] = [];
    const stalled = runnerIn(world, {
      async once() {
        await move('running', { state: 'done', file_ids: null });
        return { status: 409, headers: {}, replayed: false, body: { error: { code: 'resource.conflict' } } };
      },
      tidy: async (rows) => removed.push(...rows),
    });
    await stalled.run(id);
    expect([(await stateOf()).state, removed]).toEqual(['done', []]);
  });

  it('has failed where nobody could settle it for a day', async () => {
    const { world, net, leave, stateOf } = await scene();
    await leave({ state: 'running', started_at: world.clock.now() - 24 * 3_600_000 });
    await world.settle();
    expect(await stateOf()).toMatchObject({ state: 'failed', error: { code: 'publishing.delivery.timeout' } });
    expect(net.seen).toEqual([]);
  });
});
