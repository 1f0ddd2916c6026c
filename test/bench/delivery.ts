import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { claimDeliveries } from '#db/delivery/queue.ts';
import { makeDue } from '#engine/delivery/due.ts';
import { HOUR, systemClock } from '#kernel/clock.ts';
import { openEngine, type Engine } from '../harness/webhooks/delivery-engine.ts';
import { receiverCertificates } from '../harness/webhooks/receiver.ts';
import { startReceivers } from '../harness/webhooks/receivers.ts';
import { atLeast, atMost, median, range, shown, type Finding, type Ratio } from './finding.ts';
import { alternate } from './load.ts';
import { openInserts } from './inserts.ts';
import { withFolder } from './server.ts';

const ENDPOINTS = 4;
/** Of each endpoint, as the engine allows. */
const SLOTS = 16;
const EVENT = 'post.deleted';
const QUEUED_ENDPOINTS = 50;
const CLAIMED = 64;

const QUEUE = `
  with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < :size)
  insert into deliveries (id, workspace_id, endpoint_id, event_id, event_type, status, run_at, created_at)
  select printf('dlv_%026d', i), :workspace, json_extract(:ids, '$[' || cast(i % :endpoints as integer) || ']'), :event,
    'post.deleted', 'pending', :at + i % 1000, :at + i % 1000
  from n`;

export type DeliveryEffort = Readonly<{
  rounds: number;
  deliveries: number;
  claims: number;
  queues: readonly number[];
}>;

type Cost = Readonly<{ ms: number; cpuMs: number }>;
/** A loop that posts: `recorded` writes down each result. */
type Loop = 'recorded' | 'posted';
type Round = Readonly<Record<'own' | Loop, Cost>>;

async function timed(work: () => Promise<void>): Promise<Cost> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000 };
}

/**
 * Deliveries beside loops that post the same bodies, one that also writes down each result durably and one that does
 * not, and what a claim costs when the queue is long.
 */
export async function benchDelivery(effort: DeliveryEffort): Promise<readonly Finding[]> {
  return [...(await beside(effort)), ...(await claims(effort))];
}

/** Deliveries are made an hour before the engine's time has come for them, so that making them is not measured. */
function clocks() {
  let aheadMs = 0;
  const now = () => systemClock.now() + aheadMs;
  return {
    engine: { ...systemClock, now },
    store: { ...systemClock, now: () => now() + HOUR },
    pass: () => void (aheadMs += HOUR),
  };
}

async function beside({ rounds, deliveries }: DeliveryEffort): Promise<readonly Finding[]> {
  const receivers = await startReceivers();
  const ca = receiverCertificates.ca;
  const agent = new Agent({ connect: { ca }, pipelining: 1 });
  try {
    return await withFolder(async (folder) => {
      const time = clocks();
      let left = 0;
      let arrived = () => {};
      const engine = await openEngine({
        place: { file: join(folder, 'rostra.db') },
        clock: time.store,
        deps: { clock: time.engine },
        outbound: { ca },
        send: (send) => (one) =>
          send(one).finally(() => {
            left -= 1;
            if (left === 0) arrived();
          }),
      });
      const urls = Array.from({ length: ENDPOINTS }, (_, index) => `${receivers.url('ok')}?${index}`);
      for (const url of urls) await engine.endpoint(url, [EVENT]);
      const { body } = await sampleOf(engine);
      engine.delivery.start();

      const ours = async (amount: number) => {
        await engine.emit(amount / ENDPOINTS, EVENT);
        left = amount;
        const all = new Promise<void>((resolve) => (arrived = resolve));
        return timed(async () => {
          time.pass();
          await engine.store.write(async (tx) => tx.signal('deliveries'));
          await all;
          await engine.delivery.idle();
        });
      };
      const insert = openInserts(join(folder, 'results.db'));
      const durable = (amount: number) => timed(() => postAll(agent, urls, { body, amount, record: insert }));
      const plain = (amount: number) => timed(() => postAll(agent, urls, { body, amount, record: () => {} }));
      const measured = await alternate(
        rounds,
        () => ours(deliveries),
        async () => ({ recorded: await durable(deliveries), posted: await plain(deliveries) }),
      );
      const rounded = measured.map(({ own, other }): Round => ({ own, ...other }));
      await engine.close();
      return [
        {
          what: 'deliveries beside a loop of POSTs that flushes each result',
          ...atLeast(0.8, ratioTo(rounded, 'recorded')),
          note: compared(rounded, 'recorded', deliveries),
        },
        {
          what: 'deliveries beside a loop of POSTs that records nothing',
          ...shown(ratioTo(rounded, 'posted')),
          note: compared(rounded, 'posted', deliveries),
        },
      ];
    });
  } finally {
    await agent.close();
    await receivers.close();
  }
}

const ratioTo = (rounds: readonly Round[], other: Loop): Ratio => ({
  speed: median(rounds.map((round) => round[other].ms / round.own.ms)),
  cpu: median(rounds.map((round) => round[other].cpuMs / round.own.cpuMs)),
});

/** The numbers behind it. */
function compared(rounds: readonly Round[], other: Loop, deliveries: number): string {
  const described = (of: keyof Round) => {
    const perSecond = (deliveries / median(rounds.map((round) => round[of].ms))) * 1000;
    const us = (median(rounds.map((round) => round[of].cpuMs)) / deliveries) * 1000;
    return `${perSecond.toFixed(0)}/s at ${us.toFixed(0)} µs CPU`;
  };
  const ratios = range(rounds.map((round) => round[other].ms / round.own.ms));
  return `delivered ${described('own')}, ${other} ${described(other)}; ratios ${ratios}`;
}

/** One body as the engine sends it. */
async function sampleOf({ store, emit }: Engine): Promise<{ body: string }> {
  await emit(1, EVENT);
  return store.db.selectFrom('events').select('body').executeTakeFirstOrThrow();
}

type Posts = Readonly<{ body: string; amount: number; record(result: string): void }>;

/** As many requests at once as the engine has under way; nothing is signed or checked. */
async function postAll(agent: Agent, urls: readonly string[], { body, amount, record }: Posts): Promise<void> {
  let left = amount;
  const worker = async (url: string) => {
    while (left > 0) {
      left -= 1;
      const headers = { 'Content-Type': 'application/json' };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      record(JSON.stringify({ url, status: answer.statusCode, answer: await answer.body.text() }));
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: SLOTS }, () => worker(url))));
}

async function claims({ claims: times, queues }: DeliveryEffort): Promise<readonly Finding[]> {
  const costs = new Map<number, number[]>();
  await withFolder(async (folder) => {
    const engines: [number, Engine][] = [];
    for (const size of queues) {
      const engine = await openEngine({ place: { file: join(folder, `${size}.db`) } });
      await engine.emit(1, EVENT);
      await fill(engine, size, join(folder, `${size}.db`));
      engines.push([size, engine]);
    }
    for (let time = 0; time < times; time += 1) {
      for (const [size, engine] of engines) costs.set(size, [...(costs.get(size) ?? []), await claimOnce(engine)]);
    }
    for (const [, engine] of engines) await engine.close();
  });
  const [smallest] = queues;
  const base = median(costs.get(smallest!)!);
  return queues.map((size) => {
    const cost = median(costs.get(size)!);
    const note = `${(cost * 1000).toFixed(0)} µs for ${CLAIMED} deliveries`;
    const judged = size === smallest ? { measured: '1' } : atMost(1.5, { speed: cost / base, cpu: undefined });
    return { what: `claim with ${size} queued, times slower than ${smallest}`, ...judged, note };
  });
}

/** Pending deliveries of many endpoints, due for an hour. */
async function fill({ endpoint, workspace, store }: Engine, size: number, file: string): Promise<void> {
  const ids: string[] = [];
  for (let at = 0; at < QUEUED_ENDPOINTS; at += 1)
    ids.push((await endpoint(`https://receiver.example/${at}`, ['post.updated'])).id);
  const { id: event } = await store.db.selectFrom('events').select('id').executeTakeFirstOrThrow();
  const database = new Database(file);
  try {
    database.pragma('synchronous = OFF');
    const at = systemClock.now() - HOUR;
    database.prepare(QUEUE).run({ size, workspace, event, at, ids: JSON.stringify(ids), endpoints: ids.length });
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** Milliseconds to find the endpoints that are due and to claim a group; it is given back afterwards. */
async function claimOnce({ store }: Engine): Promise<number> {
  const now = systemClock.now();
  const due = makeDue(store.db);
  const began = performance.now();
  const found = await due(now);
  const shares = new Map(found.slice(0, CLAIMED / SLOTS).map(({ id }) => [id, SLOTS]));
  const request = { shares, most: CLAIMED, now, leaseUntil: now + HOUR, token: 'bench', busy: new Map() };
  const { claimed } = await store.write((tx) => claimDeliveries(tx.db, store.dialect, request));
  const ms = performance.now() - began;
  if (claimed.length !== CLAIMED) throw new Error(`${claimed.length} deliveries were claimed`);
  const waiting = { run_at: sql<number>`created_at`, lease_token: null };
  await store.write(({ db }) => db.updateTable('deliveries').set(waiting).where('lease_token', '=', 'bench').execute());
  return ms;
}
