import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { StoreOptions } from '#db/store/open.ts';
import { systemClock } from '#kernel/clock.ts';
import { makeFolder } from '../../harness/folders.ts';
import { openEngine } from '../../harness/webhooks/delivery-engine.ts';
import { freshSchema, noPostgres } from '../../harness/stores/postgres.ts';
import { receiverCertificates } from '../../harness/webhooks/receiver.ts';
import type { Told } from './process.ts';
import { isSigned, receive, type Answer } from './receiver.ts';

const PROGRAM = fileURLToPath(new URL('process.ts', import.meta.url));
const KILLS = 30;
/** A process dies some milliseconds after it has made so many events, drawn anew for each. */
const MOST_EVENTS = 8;
const MOST_MS = 20;
/** Longer than the lease of the process: what a dead one held is free after this. */
const LEASE_MS = 30_000;
const SHARED = 200;
const { ca } = receiverCertificates;

const accept: Answer = (response) => response.writeHead(204).end();

/** What is loaded so often is compiled once. */
const COMPILED = makeFolder(afterAll);

const makePlace = (): StoreOptions => ({ file: join(makeFolder(), 'rostra.db') });

/** A store with endpoints, which this process only looks into: its own engine never runs until it is told to. */
async function prepare(place: StoreOptions, urls: readonly string[]) {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const engine = await openEngine({ place, clock, outbound: { ca }, deps: { deadlineMs: 10_000 } });
  onTestFinished(() => engine.close());
  const endpoints = [];
  for (const url of urls) endpoints.push(await engine.endpoint(url, ['post.deleted']));
  return { ...engine, endpoints, ahead: () => aheadMs, pass: (ms: number) => void (aheadMs += ms) };
}

/** Starts a process that waits to be told what to do. */
function load(): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED };
  const child = fork(PROGRAM, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A process that delivers; `emitted` are the events it said were committed. */
function start(told: Omit<Told, 'ca'>, child = load()) {
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const emitted: string[] = [];
  child.on('message', (message) => {
    if (message !== 'ready') emitted.push(message as string);
  });
  child.send({ ca, ...told } satisfies Told);
  return {
    emitted,
    /** Waits until it has made so many events; 0 until it has started. */
    async made(amount: number) {
      await once(child, 'message');
      while (emitted.length < amount) await once(child, 'message');
    },
    /** The signal that ended it. */
    ended: ended.then(([, signal]) => signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('deliveries of a process that is killed', () => {
  it(`${KILLS} times at random are all there, arrive, and keep their ids`, async () => {
    const receiver = await receive({ '/a': accept, '/b': accept });
    const place = makePlace();
    const { workspace, store, delivery, endpoints, ahead, pass } = await prepare(place, [
      receiver.url('/a'),
      receiver.url('/b'),
    ]);
    const emitted: string[] = [];
    let next = load();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = start({ place, workspace, aheadMs: ahead(), emits: true }, next);
      // Loading takes longer than living.
      next = load();
      await child.made(Math.floor(Math.random() * MOST_EVENTS));
      await wait(Math.random() * MOST_MS);
      await child.kill();
      emitted.push(...child.emitted);
      // Every other one finds what the one before held still taken.
      if (kill % 2 === 1) pass(LEASE_MS);
    }
    expect(emitted.length).toBeGreaterThan(KILLS);

    const rowsOf = (id: string) =>
      store.db.selectFrom('deliveries').selectAll().where('endpoint_id', '=', id).orderBy('id').execute();
    const events = (await store.db.selectFrom('events').select('id').execute()).map(({ id }) => id);
    expect(emitted.filter((id) => !events.includes(id))).toEqual([]);
    for (const { id } of endpoints) {
      // Neither an event without its delivery, nor one with two.
      expect((await rowsOf(id)).map((row) => row.event_id!).sort()).toEqual(events.toSorted());
    }
    for (let round = 0; round < 4; round += 1) {
      pass(LEASE_MS * 4);
      await delivery.idle();
    }
    for (const { id, url, secret } of endpoints) {
      const rows = await rowsOf(id);
      const came = receiver.to(new URL(url).pathname);
      expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
      // What came twice came under the same id: there are no more ids than deliveries.
      expect([...new Set(came.map((one) => one.delivery))].sort()).toEqual(rows.map((row) => row.id));
      expect(came.filter((one) => !isSigned(one, secret))).toEqual([]);
    }
  });

  it('three times by the answer to one attempt count that attempt as failed, and go on with the next', async () => {
    const receiver = await receive({ '/a': accept });
    const place = makePlace();
    const { workspace, store, delivery, authority, endpoints, emit, ahead, pass } = await prepare(place, [
      receiver.url('/a'),
    ]);
    await emit(1, 'post.deleted');
    for (let death = 1; death <= 3; death += 1) {
      const child = start({ place, workspace, aheadMs: ahead(), crashAt: 'delivery.sent' });
      expect(await child.ended).toBe('SIGKILL');
      expect(receiver.arrived).toHaveLength(death);
      pass(LEASE_MS);
    }
    await delivery.idle();
    expect(receiver.arrived).toHaveLength(3);
    const row = () => store.db.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
    expect(await row()).toMatchObject({ status: 'pending', attempt_count: 1, error_message: 'interrupted' });
    pass(LEASE_MS * 2);
    await delivery.idle();
    expect(await row()).toMatchObject({ status: 'delivered', attempt_count: 2 });
    expect(new Set(receiver.arrived.map((one) => one.delivery)).size).toBe(1);
    const { attempts } = await delivery.deliveries.get(authority, endpoints[0]!.id, (await row()).id);
    expect(attempts.map(({ status_code, error_message }) => [status_code, error_message])).toEqual([
      [null, 'interrupted'],
      [204, null],
    ]);
  });
});

const PLACES = [
  { name: 'one SQLite file', missing: undefined, open: async () => makePlace() },
  { name: 'one PostgreSQL database', missing: noPostgres, open: (): Promise<StoreOptions> => freshSchema() },
];

for (const { name, missing, open } of PLACES) {
  describe.skipIf(missing !== undefined)(`two processes on ${name}${missing ? ` [skipped: ${missing}]` : ''}`, () => {
    it('share the queue, and no attempt is sent twice', async () => {
      const paths = ['/a', '/b', '/c', '/d'];
      const receiver = await receive(Object.fromEntries(paths.map((path) => [path, accept])));
      const place = await open();
      const { workspace, store, emit, endpoints } = await prepare(place, paths.map(receiver.url));
      await emit(SHARED, 'post.deleted');
      const pair = [1, 2].map(() => start({ place, workspace, aheadMs: 0 }));
      const pending = () => store.db.selectFrom('deliveries').select('id').where('status', '=', 'pending').execute();
      while ((await pending()).length > 0) await wait(20);
      await Promise.all(pair.map(({ kill }) => kill()));

      expect(receiver.arrived).toHaveLength(SHARED * paths.length);
      expect(new Set(receiver.arrived.map((one) => one.delivery)).size).toBe(SHARED * paths.length);
      for (const { id } of endpoints) {
        const rows = await store.db.selectFrom('deliveries').selectAll().where('endpoint_id', '=', id).execute();
        expect(new Set(rows.map((row) => `${row.status} ${row.attempt_count}`))).toEqual(new Set(['delivered 1']));
      }
      const attempts = await store.db.selectFrom('delivery_attempts').select('delivery_id').execute();
      expect(new Set(attempts.map((one) => one.delivery_id)).size).toBe(attempts.length);
      // Else it would prove nothing: each of them sent some.
      const senders = Map.groupBy(receiver.arrived, (one) => one.sender);
      expect(senders.size).toBe(2);
    });
  });
}
