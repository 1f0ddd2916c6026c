import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR, systemClock } from '#kernel/clock.ts';
import { freshDatabase, noPostgres, onPostgres, ownPostgres } from '../harness/stores/postgres.ts';
import { openEngine, type Engine } from '../harness/webhooks/delivery-engine.ts';
import { receiverCertificates } from '../harness/webhooks/receiver.ts';
import { startReceivers } from '../harness/webhooks/receivers.ts';
import { atLeast, shown, type Finding, type Judged } from './finding.ts';
import {
  ask,
  connectPeople,
  done,
  NOTICE_MS,
  schedule,
  sooner,
  withPlatform,
  type Caller,
  type Platform,
} from './platform.ts';
import { builtProgram, makeDataDir, startRostra, withFolder, type Running } from './server.ts';

/** How much each process gets to do. */
export type ScaleEffort = Readonly<{ accounts: number; posts: number; deliveries: number }>;

const PROCESSES = Object.freeze([1, 2, 4]);
const FACTOR = 3.2;
const ANSWER_MS = 400;
const ENDPOINTS = 4;
const EVENT = 'post.deleted';
/** Before this share of the processor is at work, something else is the bound. */
const BUSY = 0.9;
/** What a process that has just started does before it is measured, as a share of what it does then. */
const WARM_UP = 0.25;

type Speed = Readonly<{ processes: number; perSecond: number; busy: number }>;
/** Something to do that becomes due at once. */
type Load = Readonly<{
  what: string;
  each: number;
  /** Makes so much of it, an hour ahead. */
  make(amount: number): Promise<number>;
  sooner(ms: number): readonly string[];
  /** The number that is left, as SQL. */
  left: string;
}>;

/** One, two and four processes on one PostgreSQL, with a platform and receivers that take 400 ms to answer. */
export async function benchScale(effort: ScaleEffort): Promise<readonly Finding[]> {
  if (noPostgres !== undefined) return [{ what: 'processes on one PostgreSQL', measured: noPostgres }];
  const { url: cluster } = await ownPostgres({ durable: true });
  const url = await freshDatabase('bench', cluster);
  const receivers = await startReceivers({ slowMs: ANSWER_MS });
  try {
    return await withPlatform(ANSWER_MS, (platform) =>
      withFolder(async (folder) => {
        const ca = join(folder, 'ca.pem');
        writeFileSync(ca, receiverCertificates.ca);
        const own = { DATABASE_URL: url, MASTER_KEY: '5a'.repeat(32), WEBHOOK_CA_FILE: ca };
        const settings = { ...platform.settings, ...own, ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128' };
        const dataDir = join(folder, 'data');
        const key = await makeDataDir(dataDir, settings);
        const servers: Running[] = [];
        const grow = async (count: number) => {
          const options = { program: builtProgram(), sandbox: 'on', settings } as const;
          while (servers.length < count) servers.push(await startRostra(dataDir, options));
        };
        try {
          await grow(1);
          const caller = { server: servers[0]!, key };
          const workspace = await workspaceOf(url);
          const engine = await openEngine({ place: { url }, clock: { ...systemClock, now: inAnHour }, workspace });
          try {
            const posts = await postsOf(platform, caller, effort);
            const deliveries = await deliveriesOf(engine, caller, receivers.url('slow'), effort);
            const [published, delivered]: [Speed[], Speed[]] = [[], []];
            for (const processes of PROCESSES) {
              await grow(processes);
              published.push(await speedOf(url, posts, processes));
              delivered.push(await speedOf(url, deliveries, processes));
            }
            return [...reportOf(posts.what, published), ...reportOf(deliveries.what, delivered)];
          } finally {
            await engine.close();
          }
        } finally {
          await Promise.all(servers.map((server) => server.stop()));
        }
      }),
    );
  } finally {
    await receivers.close();
  }
}

const workspaceOf = (url: string): Promise<string> =>
  onPostgres(url, async (client) => (await client.query<{ id: string }>('select id from workspaces')).rows[0]!.id);

const inAnHour = () => systemClock.now() + HOUR;

async function postsOf(platform: Platform, caller: Caller, { accounts: count, posts }: ScaleEffort): Promise<Load> {
  const accounts = await connectPeople(platform, caller, count);
  return {
    what: 'posts published',
    each: posts,
    make: (amount) => schedule(caller, { posts: amount, accounts, spreadMs: 0 }),
    sooner,
    left: `select count(*) as left from posts where status in ('scheduled', 'publishing')`,
  };
}

async function deliveriesOf(engine: Engine, caller: Caller, url: string, { deliveries }: ScaleEffort): Promise<Load> {
  for (let n = 0; n < ENDPOINTS; n += 1) {
    done(await ask(caller, 'POST /v1/webhooks', { url: `${url}?${n}`, events: [EVENT] }));
  }
  return {
    what: 'deliveries made',
    each: deliveries,
    async make(amount) {
      const from = inAnHour();
      await engine.emit(amount / ENDPOINTS, EVENT);
      return from;
    },
    sooner: (ms) => [`update deliveries set run_at = run_at - ${ms} where status = 'pending'`],
    left: `select count(*) as left from deliveries where status = 'pending'`,
  };
}

async function speedOf(url: string, load: Load, processes: number): Promise<Speed> {
  await timed(url, load, Math.ceil((load.each * WARM_UP) / ENDPOINTS) * ENDPOINTS * processes);
  const amount = load.each * processes;
  const { ms, busy } = await timed(url, load, amount);
  return { processes, perSecond: (amount / ms) * 1000, busy };
}

/** Makes so much due at once; answers how long it took until none was left, and how busy the processor was. */
function timed(url: string, load: Load, amount: number): Promise<Readonly<{ ms: number; busy: number }>> {
  return onPostgres(url, async (client) => {
    const from = await load.make(amount);
    const due = Date.now() + NOTICE_MS;
    await client.query(['begin', ...load.sooner(from - due), 'commit'].join('; '));
    await wait(due - Date.now());
    const before = cpuTimes();
    const count = async () => Number((await client.query<{ left: string }>(load.left)).rows[0]!.left);
    while ((await count()) > 0) await wait(50);
    const [all, idle] = cpuTimes().map((time, at) => time - before[at]!) as [number, number];
    return { ms: Date.now() - due, busy: 1 - idle / all };
  });
}

/** What the processors of the machine have passed, and how much of it idle, in milliseconds. */
function cpuTimes(): readonly number[] {
  const each = cpus().map(({ times }) => times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return [sum(each.map((times) => sum(Object.values(times)))), sum(each.map(({ idle }) => idle))];
}

function reportOf(what: string, speeds: readonly Speed[]): readonly Finding[] {
  const [one, ...more] = speeds as [Speed, ...Speed[]];
  return more.map((speed) => {
    const factor = { speed: speed.perSecond / one.perSecond, cpu: undefined };
    const isBusy = speed.busy > BUSY;
    const judged: Judged = speed.processes === PROCESSES.at(-1) ? atLeast(FACTOR, factor) : shown(factor);
    // Beside a process that had to wait for the processor, several that reach the aim prove nothing either.
    const isUnsure = one.busy > BUSY || (isBusy && judged.verdict === 'MISSED');
    return {
      what: `${what} by ${speed.processes} processes, times one`,
      ...judged,
      ...(isUnsure && judged.verdict !== undefined && ({ verdict: 'unsure' } as const)),
      note: `${described(one)}, ${described(speed)}${isBusy ? ': the processor was the bound, not the answers' : ''}`,
    };
  });
}

const described = ({ processes, perSecond, busy }: Speed) =>
  `${processes}: ${perSecond.toFixed(0)}/s with the processor ${(busy * 100).toFixed(0)} % busy`;
