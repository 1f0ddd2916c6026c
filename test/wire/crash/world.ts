import { afterAll, beforeAll, expect } from 'vitest';
import type { CrashPointName } from '#call/crash-points.ts';
import { openProcesses, until, type Json, type Processes, type Seat } from '../../harness/processes.ts';

/** Longer than every lease: what a dead process held is free after this. */
export const AFTER_LEASES_MS = 100_000;
/** How often the clock of a server that waits for something is moved, and how far. */
const HURRY_EVERY_MS = 200;
const HURRY_MS = 10_000;

/** A server that dies and comes back, post after post; its events go to the receiver of all. */
export type Lane = Readonly<{
  processes: Processes;
  seat: Seat;
  hook: string;
  /** How many posts it was asked to publish. */
  posts(): number;
  count(): void;
}>;

/** What the public sees of each part of a post now, and how often it was made public. */
export type Sight = () => Promise<readonly Readonly<{ now: number; ever: number }>[]>;

type Prepare<T> = (world: Processes, seat: Seat) => Promise<T>;
type OwnLane<T> = Lane & Readonly<{ own: T }>;

/** Servers that die, for the tests of a block. */
export function useCrashWorld<T>(...lanes: readonly Prepare<T>[]) {
  let world: Awaited<ReturnType<typeof openCrashWorld<T>>>;
  beforeAll(async () => {
    world = await openCrashWorld(lanes);
  });
  afterAll(() => world?.close());
  return <R>(test: (lane: OwnLane<T>) => Promise<R>) => world.use(test);
}

/** Servers that die, each on a folder of its own, so that as many tests run at once as there are of them. */
export async function openCrashWorld<T>(
  lanes: readonly Prepare<T>[],
  clocks: Parameters<typeof openProcesses>[0] = {},
) {
  const processes = await openProcesses(clocks);
  const free: OwnLane<T>[] = [];
  const waiting: ((lane: OwnLane<T>) => void)[] = [];

  async function open(prepare: Prepare<T>, index: number) {
    const seat = processes.seat(`lane-${index}`);
    await seat.start();
    const hook = await seat.rest('POST', '/v1/webhooks', {
      url: processes.receiver.url,
      events: ['post.published', 'post.failed', 'post.partial'],
    });
    expect(hook.status).toBe(201);
    const own = await prepare(processes, seat);
    let posts = 0;
    free.push({ processes, seat, hook: hook.body.id, own, posts: () => posts, count: () => void (posts += 1) });
  }

  const opened = await Promise.allSettled(lanes.map(open));
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed) {
    await processes.close();
    throw failed.reason;
  }

  return Object.freeze({
    ...processes,
    /** Runs a test on a server that no other test uses meanwhile. */
    async use<R>(test: (lane: OwnLane<T>) => Promise<R>): Promise<R> {
      const lane = free.pop() ?? (await new Promise<OwnLane<T>>((resolve) => waiting.push(resolve)));
      const { seat } = lane;
      try {
        return await test(lane);
      } catch (error) {
        // The next test finds a server that runs, and nothing under way.
        await seat.kill();
        seat.pass(AFTER_LEASES_MS);
        await seat.start();
        await finalPost(lane);
        throw error;
      } finally {
        const next = waiting.shift();
        if (next) next(lane);
        else free.push(lane);
      }
    },
  });
}

/**
 * Asks for a post and has the server die at a point of its way, if it passes there so often; it is back when all leases
 * have ended. `meanwhile` happens while it is dead. Answers whether it died.
 */
export async function publishAndDie(
  lane: Lane,
  [point, nth]: readonly [CrashPointName, number],
  input: object,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  const { seat, count } = lane;
  async function publish(): Promise<boolean> {
    // What the platform works on for minutes is waited for in one request.
    const hurry = setInterval(() => seat.pass(HURRY_MS), HURRY_EVERY_MS);
    const { status } = await seat
      .rest('POST', '/v1/posts', { ...input, publish_now: true })
      .finally(() => clearInterval(hurry));
    expect(status).toBe(201);
    const post = await finalPost(lane);
    // Nothing is under way any more once the event of its end has gone out.
    await expectOneEvent(lane, post, `post.${post.status}`);
    return false;
  }
  seat.dieAt(point, nth);
  count();
  const asked = publish();
  const death = seat.ended().then((how) => how === 'SIGKILL');
  // Whatever was under way fails when it dies.
  const isDead = await Promise.race([
    death,
    asked.catch((error: unknown) => {
      if (error instanceof TypeError) return death;
      throw error;
    }),
  ]);
  if (!isDead) {
    // What is looked after later, as an address that comes after minutes, may pass there too: until now.
    seat.live();
    if (await answers(seat)) return asked;
  }
  await asked.catch(() => undefined);
  await meanwhile();
  seat.pass(AFTER_LEASES_MS);
  await seat.start();
  return true;
}

/** Whether a server is there to answer. */
export const answers = (seat: Seat): Promise<boolean> =>
  seat.rest('GET', '/v1/posts?limit=1').then(
    () => true,
    (error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    },
  );

/** The same, where it surely dies. */
export async function dieWhilePublishing(...asked: Parameters<typeof publishAndDie>): Promise<void> {
  expect(await publishAndDie(...asked)).toBe(true);
}

const isPending = ({ metadata }: Json) => metadata.first_comment_status === 'pending';

/** The newest post, once it is final and nothing is added to it any more: time passes until it is. */
export async function finalPost({ seat }: Lane, hurryMs = HURRY_MS): Promise<Json> {
  let moved = performance.now();
  return until(async () => {
    const [post] = (await seat.rest('GET', '/v1/posts?sort=created_desc&limit=1')).body.data;
    const isOpen = post?.status === 'publishing' || post?.status === 'scheduled' || post?.results.some(isPending);
    if (!isOpen) return post ?? { status: 'none' };
    if (performance.now() - moved > HURRY_EVERY_MS) {
      moved = performance.now();
      seat.pass(hurryMs);
    }
    return undefined;
  });
}

/** One event of it was delivered, under one id, however often it was sent. */
async function expectOneEvent({ processes, seat, hook }: Lane, post: Json, name: string) {
  const of = () => processes.receiver.received.filter(({ body }) => body.data['post_id'] === post.id);
  await until(async () => {
    const { body } = await seat.rest('GET', `/v1/webhooks/${hook}/deliveries?limit=5`);
    const all = (body.data as { status: string }[]).every(({ status }) => status === 'delivered');
    return (all && of().length > 0) || undefined;
  });
  expect(new Set(of().map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(of().map(({ body }) => body.event))).toEqual(new Set([name]));
}

/** A final post has one log entry, one event and one credit. */
export async function expectOneRecord(lane: Lane, { id, status }: Json): Promise<void> {
  const { body: logs } = await lane.seat.rest('GET', `/v1/posts/logs?post_id=${id}`);
  expect(logs.data).toMatchObject([{ action: 'publish', status: status === 'published' ? 'success' : 'failed' }]);
  expect((await lane.seat.rest('GET', '/v1/usage')).body.posts_used).toBe(lane.posts());
  await expectOneEvent(lane, { id }, `post.${status}`);
}

/** After the restart: one post, one event, one log entry, one credit. */
export async function expectOnce(lane: Lane, seen: Sight): Promise<Json> {
  const post = await finalPost(lane);
  expect(post).toMatchObject({ status: 'published' });
  for (const part of await seen()) expect(part).toEqual({ now: 1, ever: 1 });
  await expectOneRecord(lane, post);
  return post;
}

/** Nobody can tell what became of it: it has failed as that, once, and nothing of it is public. */
export async function expectUnknown(lane: Lane, seen: Sight): Promise<Json> {
  const post = await finalPost(lane, 60_000);
  expect(post).toMatchObject({ status: 'failed', results: [{ error: { code: 'publishing.delivery.timeout' } }] });
  for (const part of await seen()) expect(part).toEqual({ now: 0, ever: 0 });
  await expectOneRecord(lane, post);
  return post;
}
