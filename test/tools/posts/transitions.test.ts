import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { POST_MOVES } from '../../engine/publishing/post-moves.ts';
import { block, call, type Reply } from '../../harness/calls/operations.ts';
import {
  from,
  HOUR,
  make,
  makeFailed,
  makePartial,
  makePublished,
  MINUTE,
  publicTexts,
  reconnect,
} from '../../harness/worlds/post-stage.ts';

const EVENTS = [
  'post.scheduled',
  'post.updated',
  'post.published',
  'post.partial',
  'post.failed',
  'post.retried',
  'post.unpublished',
  'post.deleted',
];

type Door = (name: string, input?: Readonly<Record<string, unknown>>) => Promise<Reply>;
type Post = Readonly<{ id: string; text: string }>;

/** Ways to bring a post into each state; what was refused could go out by now. */
const STATES: Readonly<Record<string, (world: World) => Promise<Post>>> = {
  draft: async (world) => make(world, { text: 'Draft', account_ids: [(await world.connect()).id] }),
  scheduled: async (world) =>
    make(world, { text: 'Soon', account_ids: [(await world.connect()).id], scheduled_at: from(world, HOUR) }),
  async publishing(world) {
    const account = await world.connect();
    upset(world, 'throttled', { method: 'com.atproto.repo.putRecord' });
    return make(world, { text: 'Wait', account_ids: [account.id], publish_now: true });
  },
  published: (world) => makePublished(world),
  async partial(world) {
    const post = await makePartial(world);
    await reconnect(world, post.targets[1], 1);
    return post;
  },
  async failed(world) {
    const post = await makeFailed(world);
    await reconnect(world, post.targets[0]);
    return post;
  },
};

const MOVES: Readonly<Record<string, (door: Door, world: World, post_id: string) => Promise<Reply>>> = {
  edit: (door, _, post_id) => door('update_post', { post_id, text: 'Edited' }),
  schedule: (door, world, post_id) => door('update_post', { post_id, scheduled_at: from(world, 2 * HOUR) }),
  cancel: (door, _, post_id) => door('update_post', { post_id, scheduled_at: null }),
  hide: (door, _, post_id) => door('update_post', { post_id, hidden: true }),
  publish: (door, _, post_id) => door('publish_post', { post_id }),
  retry: (door, _, post_id) => door('retry_post', { post_id }),
  unpublish: (door, _, post_id) => door('unpublish_post', { post_id }),
  delete: (door, _, post_id) => door('delete_post', { post_id }),
};

const doorOf =
  (world: World): Door =>
  (name, input) =>
    call(world, name, input);

async function statusOf(door: Door, post_id: string): Promise<string> {
  const { ok, code, body } = await door('get_post', { post_id });
  if (ok) return body.status;
  expect(code).toBe('post.not_found');
  return 'removed';
}

/** Events of posts, log entries of one, and credits, from now on. */
async function watch(world: World, door: Door, post_id: string) {
  await world.settle();
  const receiver = await world.receive(EVENTS);
  const logs = async (): Promise<readonly string[]> => {
    const { data } = (await door('list_post_logs', { post_id })).body;
    return data.map(({ action, status }: Record<string, string>) => `${action}/${status}`).toReversed();
  };
  const used = async () => (await door('get_usage')).body.posts_used as number;
  const before = { logs: (await logs()).length, used: await used() };
  return async () => ({
    events: receiver.received.map(({ body }) => body.event),
    logs: (await logs()).slice(before.logs),
    credits: (await used()) - before.used,
  });
}

describe('a post that is', () => {
  for (const [state, move, next, events = [], logs = [], credits = 0] of POST_MOVES) {
    it(`${state}: ${move} → ${next}`, async ({ world }) => {
      const door = doorOf(world);
      const { id } = await STATES[state]!(world);
      expect(await statusOf(door, id)).toBe(state);
      const happened = await watch(world, door, id);
      const reply = await MOVES[move]!(door, world, id);
      await world.settle();
      const isRefused = next.includes('.');
      if (isRefused) expect(reply).toMatchObject({ ok: false, code: next, meta: { id, status: state } });
      else expect([reply.ok, reply.code]).toEqual([true, undefined]);
      expect(await statusOf(door, id)).toBe(isRefused ? state : next);
      expect(await happened()).toEqual({ events, logs, credits });
      if (next === 'removed') expect(publicTexts(world)).toEqual([]);
    });
  }
});

describe('a post on its way', () => {
  async function start() {
    const world = await makeWorld();
    const account = await world.connect();
    const door = doorOf(world);
    const receiver = await world.receive(EVENTS);
    const told = async () => {
      await world.settle();
      return receiver.received.map(({ body }) => body.event);
    };
    const create = (input: object) => door('create_post', { text: 'News', account_ids: [account.id], ...input });
    return { world, account, door, told, create };
  }

  it('a post without a time and without publish_now is a draft: no event', async () => {
    const { create, told } = await start();
    expect([(await create({})).body.status, await told()]).toEqual(['draft', []]);
  });

  it('a post with a future time is scheduled: post.scheduled', async () => {
    const { world, create, told } = await start();
    const { body } = await create({ scheduled_at: from(world, HOUR) });
    expect([body.status, await told()]).toEqual(['scheduled', ['post.scheduled']]);
  });

  it('a publish of which all targets succeed is published: post.published', async () => {
    const { create, told } = await start();
    expect((await create({ publish_now: true })).body.status).toBe('published');
    expect(await told()).toEqual(['post.published']);
  });

  it('a publish of which some targets succeed is partial: post.partial', async () => {
    const { world, account, create, told } = await start();
    const bob = await world.connect(1);
    upset(world, 'revoked', {}, 1);
    const { body } = await create({ account_ids: [account.id, bob.id], publish_now: true });
    expect([body.status, await told()]).toEqual(['partial', ['post.partial']]);
  });

  it('a publish of which no target succeeds is failed: post.failed', async () => {
    const { world, create, told } = await start();
    upset(world, 'revoked');
    const { code, body } = await create({ publish_now: true });
    expect([code, body.status, await told()]).toEqual(['post.publish_failed', 'failed', ['post.failed']]);
  });

  it('the same post within a day is refused with the first one: resource.conflict', async () => {
    const { create, told } = await start();
    const { body } = await create({ publish_now: true });
    expect(await create({ publish_now: true })).toMatchObject({ code: 'resource.conflict', meta: { id: body.id } });
    expect(await told()).toEqual(['post.published']);
  });

  it.each([
    ['at its time', 0, 'published', 'post.published'],
    ['six hours late', 6 * HOUR, 'published', 'post.published'],
    ['later than six hours', 6 * HOUR + 1, 'failed', 'post.failed'],
  ])('a scheduled post %s is %4$s', async (_, late, status, event) => {
    const { world, door, create, told } = await start();
    const { id } = (await create({ scheduled_at: from(world, HOUR) })).body;
    await world.settle();
    await world.pass(HOUR + late);
    expect([await statusOf(door, id), await told()]).toEqual([status, ['post.scheduled', event]]);
    if (status === 'published') return;
    const { results } = (await door('get_post', { post_id: id })).body;
    expect(results[0]).toMatchObject({ error_code: 'publishing.delivery.too_late' });
    expect((await door('list_post_logs', { post_id: id })).body.data).toMatchObject([{ status: 'skipped' }]);
  });

  it('a scheduled post of an unpaid workspace stays, and goes out when it is paid in time', async () => {
    const { world, door, create } = await start();
    const { id } = (await create({ scheduled_at: from(world, HOUR) })).body;
    await block(world);
    await world.pass(HOUR + MINUTE);
    const unblock = async () => {
      await world.product.store.write(({ db }) => db.updateTable('workspaces').set({ blocked_at: null }).execute());
      world.product.callers.forget();
    };
    expect(publicTexts(world)).toEqual([]);
    await unblock();
    expect(await statusOf(door, id)).toBe('scheduled');
    await world.pass(MINUTE);
    expect(await statusOf(door, id)).toBe('published');

    const other = (await create({ text: 'Other', scheduled_at: from(world, HOUR) })).body.id as string;
    await block(world);
    await world.pass(7 * HOUR + MINUTE);
    await unblock();
    const { status, results } = (await door('get_post', { post_id: other })).body;
    expect([status, results[0].error_code, publicTexts(world)]).toEqual(['failed', 'billing.past_due', ['News']]);
  });

  it('a delete that names a platform takes those targets, and the post with the last of them', async () => {
    const { door, create, told } = await start();
    const { id } = (await create({ publish_now: true })).body;
    const none = await door('delete_post', { post_id: id, platform: 'facebook' });
    expect([none.ok, await statusOf(door, id)]).toEqual([false, 'published']);
    expect((await door('delete_post', { post_id: id, platform: 'bluesky' })).ok).toBe(true);
    expect([await statusOf(door, id), await told()]).toEqual(['removed', ['post.published', 'post.deleted']]);
    expect((await door('delete_post', { post_id: id })).code).toBe('post.not_found');
  });
});
