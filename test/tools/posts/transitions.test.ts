import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { POST_MOVES } from '../../engine/publishing/post-moves.ts';
import { call, type Reply } from '../../harness/calls/operations.ts';
import {
  from,
  make,
  makeFailed,
  makePartial,
  makePublished,
  publicTexts,
  publish,
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

type Post = Readonly<{ id: string; text: string }>;

/** Ways to bring a post into each state; what was refused could go out by now. */
const STATES: Readonly<Record<string, (world: World) => Promise<Post>>> = {
  scheduled: async (world) =>
    make(world, { text: 'Soon', account_ids: [(await world.connect()).id], scheduled_at: from(world, HOUR) }),
  async publishing(world) {
    const account = await world.connect();
    upset(world, 'throttled', { method: 'com.atproto.repo.putRecord' });
    return publish(world, account, 'Wait');
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

const MOVES: Readonly<Record<string, (world: World, post_id: string) => Promise<Reply>>> = {
  edit: (world, post_id) => call(world, 'update_post', { post_id, text: 'Edited' }),
  schedule: (world, post_id) => call(world, 'update_post', { post_id, scheduled_at: from(world, 2 * HOUR) }),
  cancel: (world, post_id) => call(world, 'update_post', { post_id, scheduled_at: null }),
  hide: (world, post_id) => call(world, 'update_post', { post_id, hidden: true }),
  publish: (world, post_id) => call(world, 'publish_post', { post_id }),
  retry: (world, post_id) => call(world, 'retry_post', { post_id }),
  unpublish: (world, post_id) => call(world, 'unpublish_post', { post_id }),
  delete: (world, post_id) => call(world, 'delete_post', { post_id }),
};

async function statusOf(world: World, post_id: string): Promise<string> {
  const { ok, code, body } = await call(world, 'get_post', { post_id });
  if (ok) return body.status;
  expect(code).toBe('post.not_found');
  return 'removed';
}

/** Events of posts, log entries of one, and credits, from now on. */
async function watch(world: World, post_id: string) {
  await world.settle();
  const receiver = await world.receive(EVENTS);
  const logs = async (): Promise<readonly string[]> => {
    const { data } = (await call(world, 'list_post_logs', { post_id })).body;
    return data.map(({ action, status }: Record<string, string>) => `${action}/${status}`).toReversed();
  };
  const used = async () => (await call(world, 'get_usage')).body.posts_used as number;
  const before = { logs: (await logs()).length, used: await used() };
  return async () => ({
    events: receiver.events(),
    logs: (await logs()).slice(before.logs),
    credits: (await used()) - before.used,
  });
}

/** Each move once as it is done and once for each way it is refused; the engine's tests make it from every state. */
const ROWS = new Map(POST_MOVES.map((row) => [`${row[1]} ${row[2].includes('.') ? row[2] : 'done'}`, row])).values();

describe('a post that is', () => {
  for (const [state, move, next, events = [], logs = [], credits = 0] of ROWS) {
    it(`${state}: ${move} → ${next}`, async ({ world }) => {
      const { id } = await STATES[state]!(world);
      expect(await statusOf(world, id)).toBe(state);
      const happened = await watch(world, id);
      const reply = await MOVES[move]!(world, id);
      await world.settle();
      const isRefused = next.includes('.');
      if (isRefused) expect(reply).toMatchObject({ ok: false, code: next, meta: { id, status: state } });
      else expect([reply.ok, reply.code]).toEqual([true, undefined]);
      expect(await statusOf(world, id)).toBe(isRefused ? state : next);
      expect(await happened()).toEqual({ events, logs, credits });
      if (next === 'removed') expect(publicTexts(world)).toEqual([]);
    });
  }
});
