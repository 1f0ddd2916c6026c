import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  connectBluesky,
  connectByConsent,
  connectFacebook,
  openProcesses,
  until,
  type Answer,
  type Json,
  type Processes,
  type Seat,
} from '../harness/processes.ts';
import { freshDatabase } from '../harness/stores/postgres.ts';
import { plansOf, randomOf, type Owner, type Plan } from './plans.ts';
import { everything, inspect, type Verdict } from './verdict.ts';

const CLIENTS = 6;
/** Longer than every lease: what a dead process held is free after this. */
const AFTER_LEASES_MS = 100_000;
/** The server's time while it is stormed, and when it is only waited for: so much every look. */
const LOOK_MS = 250;
const STORM_MS = 2_000;
const CALM_MS = 15_000;
const FAULTS = ['lost', 'error_after', 'throttled', 'slow', 'late'] as const;
/** How many posts meet a fault on their way, and how many are published at a time of their own. */
const FAULTY = 0.4;
const SCHEDULED = 0.3;

type Count = Record<string, number>;
/** A server, and when it will be there (again). */
type Place = { readonly seat: Seat; up: Promise<void> };
type Soak = Readonly<{ world: Processes; places: readonly Place[]; random: () => number; faults: Count }>;

/**
 * Publishes posts of every kind on every platform while the server is killed again and again and the platforms lose
 * answers, answer with errors after the effect, hold back and are slow; then looks at what is public.
 */
export async function soakPublish(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      posts: { type: 'string', default: '500' },
      seed: { type: 'string' },
      servers: { type: 'string', default: '1' },
      postgres: { type: 'boolean', default: false },
    },
  });
  const count = Number(values.posts);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  const on = `${values.servers} servers on ${values.postgres ? 'PostgreSQL' : 'SQLite'}`;
  process.stdout.write(`${count} posts through ${on}, seed ${seed}\n`);
  const world = await openProcesses();
  try {
    const began = performance.now();
    const env: Record<string, string> = values.postgres
      ? { DATABASE_URL: await freshDatabase('soak'), MASTER_KEY: '5a'.repeat(32) }
      : {};
    // One folder and one clock for all of them.
    const places = Array.from({ length: Number(values.servers) }, () => ({
      seat: world.seat('server', env),
      up: Promise.resolve(),
    }));
    for (const { seat } of places) await seat.start();
    const { seat } = places[0]!;
    const plans = plansOf(count, await prepare(world, seat));
    const { kills, faults } = await storm({ world, places, random: randomOf(seed), faults: {} }, plans);
    const asked = await calm(seat, plans);
    const verdict = await inspect(world, seat, plans);
    const seconds = (performance.now() - began) / 1000;
    print({ ...verdict, kills, faults, asked, seconds, count });
    return isGood(verdict);
  } finally {
    await world.close();
  }
}

async function prepare(world: Processes, seat: Seat): Promise<readonly Owner[]> {
  const { status, body } = await seat.rest('POST', '/v1/webhooks', {
    url: world.receiver.url,
    events: ['post.published', 'post.failed', 'post.partial', 'post.retried'],
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const people = ((await world.control('people')) as Json[]).filter(({ network }) => network === 'bluesky');
  const owners: Owner[] = [];
  for (const { id: person } of people.slice(0, 3))
    owners.push({ platform: 'bluesky', person, account: await connectBluesky(world, seat, person) });
  for (const person of ['olivia.sandbox.test', 'sam.sandbox.test'])
    owners.push({ platform: 'threads', person, account: await connectByConsent(world, seat, 'threads', { person }) });
  for (const [person, pages] of [
    ['olivia.sandbox.test', 'Harbour Coffee'],
    ['sam.sandbox.test', 'Single Origin Studio'],
  ] as const)
    owners.push({ platform: 'facebook', person, account: await connectFacebook(world, seat, { person, pages }) });
  return owners;
}

/** Everything at once: clients that publish, a killer, faults, and time. */
async function storm(soak: Soak, plans: readonly Plan[]): Promise<Readonly<{ kills: number; faults: Count }>> {
  const { places, random } = soak;
  const [{ seat: clock }] = places as [Place];
  let kills = 0;
  let isOver = false;

  async function killer(): Promise<void> {
    while (!isOver) {
      await pause(100 + random() * 1000);
      const place = places[Math.floor(random() * places.length)]!;
      const { promise, resolve } = Promise.withResolvers<void>();
      place.up = promise;
      await place.seat.kill();
      kills += 1;
      // Where others live on, what the dead one held becomes free in its own time.
      if (places.length === 1) clock.pass(AFTER_LEASES_MS);
      await place.seat.start();
      resolve();
    }
  }
  async function time(): Promise<void> {
    while (!isOver) {
      await pause(LOOK_MS);
      clock.pass(STORM_MS);
    }
  }

  const queue = [...plans.entries()];
  async function client(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift())
      await publish(soak, places[next[0] % places.length]!, next[1]);
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => (isOver = true));
  await Promise.all([clients, killer(), time()]);
  return { kills, faults: soak.faults };
}

/** Publishes as a program does that repeats what was not answered. */
async function publish({ world, places, random, faults }: Soak, place: Place, plan: Plan): Promise<void> {
  if (random() < FAULTY) {
    const kind = FAULTS[Math.floor(random() * FAULTS.length)]!;
    const method = plan.methods[Math.floor(random() * plan.methods.length)];
    const { platform: network, person } = plan.owner;
    await world.control('faults', { network, person, kind, method, delay_ms: LOOK_MS });
    faults[kind] = (faults[kind] ?? 0) + 1;
  }
  const later = random() < SCHEDULED;
  const after = 1000 + random() * 60_000;
  const persist = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      await place.up;
      try {
        return await ask();
      } catch (error) {
        // The server died over it; anything else is a fault of the soak itself.
        if (!(error instanceof TypeError)) throw error;
        await pause(20);
      }
    }
  };
  const input = await persist(() => plan.input(place.seat));
  const { status, body }: Answer = await persist(() => {
    const time = later
      ? { scheduled_at: new Date(places[0]!.seat.now() + after).toISOString() }
      : { publish_now: true };
    return place.seat.rest('POST', '/v1/posts', { ...input, ...time });
  });
  // The repeat of a request that was taken in is told which post it has made.
  if (![201, 207, 409, 422].includes(status)) throw new Error(`${plan.text}: ${status} ${JSON.stringify(body)}`);
}

/** Lets everything come to its end; looks for a person where nobody else can tell. Answers how often. */
async function calm(seat: Seat, plans: readonly Plan[]): Promise<number> {
  let asked = 0;
  const list = async (status: string) => (await seat.rest('GET', `/v1/posts?limit=100&status=${status}`)).body.data;
  const known = new Set(plans.map(({ text }) => text));
  await until(async () => {
    seat.pass(CALM_MS);
    if ((await list('publishing,scheduled')).length > 0) return undefined;
    const doubtful = ((await list('failed')) as Json[]).filter(
      ({ text, results }) => known.has(text) && results[0].error.code === 'publishing.delivery.timeout',
    );
    for (const { id } of doubtful) {
      const settled = await seat.rest('POST', `/v1/posts/${id}/retry`);
      if (settled.status === 200) continue;
      asked += 1;
      await seat.rest('POST', `/v1/posts/${id}/retry`, { confirm_not_published: true });
    }
    if (doubtful.length > 0) return undefined;
    const isAdding = ({ metadata }: Json) => metadata.first_comment_status === 'pending';
    const published = await everything(seat, '/v1/posts?status=published,partial');
    return !published.some(({ results }) => results.some(isAdding)) || undefined;
  }, LOOK_MS);
  const [{ id }] = (await seat.rest('GET', '/v1/webhooks')).body.data;
  await until(async () => {
    seat.pass(CALM_MS);
    return (await seat.rest('GET', `/v1/webhooks/${id}/deliveries?status=pending`)).body.data.length === 0 || undefined;
  }, LOOK_MS);
  return asked;
}

const isGood = ({ lost, twice, events, entries }: Verdict) =>
  lost.length + twice.length + events.length + entries.length === 0;

type Figures = Verdict & Readonly<{ kills: number; faults: Count; asked: number; seconds: number; count: number }>;

function print({ lost, twice, events, entries, kinds, kills, faults, asked, seconds, count }: Figures): void {
  const listed = (counts: Count) =>
    Object.entries(counts)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, n]) => `${name} ${n}`)
      .join(', ');
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${count} posts in ${seconds.toFixed(0)} s: ${listed(kinds)}`);
  say(`${kills} kills; faults: ${listed(faults)}; ${asked} times a person was asked to look`);
  say(`lost ${lost.length}, published twice ${twice.length}`);
  say(`without exactly one event ${events.length}, without exactly one log entry ${entries.length}`);
  for (const [what, names] of Object.entries({ lost, twice, events, entries })) {
    for (const name of names.slice(0, 10)) say(`  ${what}: ${name}`);
  }
}
