import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProcesses, until, type Answer, type Json, type Processes, type Seat } from '../harness/processes.ts';
import { aimsOf, FAULTS, lastRequest, upset } from '../platforms/conformance/checks/faults.ts';
import { doorOf, placeOf } from '../platforms/conformance/process.ts';
import { isUnknown } from '../platforms/conformance/checks/outcome.ts';
import { openScenes } from '../platforms/conformance/scene.ts';
import { SUBJECTS } from '../platforms/conformance/subjects.ts';
import { DATABASES } from '../wire/two-servers.ts';
import { plansOf, randomOf, type Owner, type Plan, type PostPlan, type SendPlan } from './plans.ts';
import { everything, inspect, type Verdict } from './verdict.ts';

const CLIENTS = 6;
/** Longer than every lease: what a dead process held is free after this. */
const AFTER_LEASES_MS = 100_000;
/** The server's time while it is stormed, and when it is only waited for: so much every look. */
const LOOK_MS = 250;
const STORM_MS = 2_000;
const CALM_MS = 15_000;
/** How many posts and sends meet a fault on their way, and how many posts are published at a time of their own. */
const FAULTY = 0.4;
const SCHEDULED = 0.3;
/** How often a client asks again in the storm for a send that nobody can tell of. */
const TRIES = 3;
const AGAIN_MS = 500;
/** People write again before what they wrote is too old to be answered. */
const WRITES_EVERY_MS = 10 * 3_600_000;

type Count = Record<string, number>;
/** A server, and when it will be there (again). */
type Place = { readonly seat: Seat; up: Promise<void> };
type Soak = Readonly<{
  world: Processes;
  places: readonly Place[];
  random: () => number;
  faults: Count;
  /** The newest request that is no part of what is tried. */
  before: number;
  /** When somebody wrote to an account last, by its id. */
  written: Map<string, number>;
}>;

/**
 * Publishes and sends everything that every platform has while the server is killed again and again and the platforms
 * lose answers, answer with errors after the effect, hold back and are slow; then looks at what is public.
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
  process.stdout.write(`${count} posts and sends through ${on}, seed ${seed}\n`);
  const world = await openProcesses({ oneClock: true });
  try {
    const began = performance.now();
    const [sqlite, postgres] = DATABASES;
    const env = await (values.postgres ? postgres! : sqlite!).open();
    const seats = await world.servers(Number(values.servers), env);
    const places = seats.map((seat): Place => ({ seat, up: Promise.resolve() }));
    const [seat] = seats;
    const { owners, before } = await prepare(world, seat);
    const plans = plansOf(count, owners);
    const written = new Map(owners.map(({ scene }) => [scene.account, seat.now()]));
    const soak: Soak = { world, places, random: randomOf(seed), faults: {}, before, written };
    const kills = await storm(soak, plans);
    const asked = await calm(world, seat, plans);
    const verdict = await inspect(world, seat, plans);
    const seconds = (performance.now() - began) / 1000;
    print({ ...verdict, kills, faults: soak.faults, asked, seconds, count });
    return isGood(verdict);
  } finally {
    await world.close();
  }
}

/** An account of each subject, and who hears of what happens to them. */
async function prepare(world: Processes, seat: Seat): Promise<Readonly<{ owners: readonly Owner[]; before: number }>> {
  const { status, body } = await seat.rest('POST', '/v1/webhooks', {
    url: world.receiver.url,
    events: ['post.published', 'post.failed', 'post.partial', 'post.retried', 'dm.sent'],
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const owners = await openScenes(placeOf(world, seat), SUBJECTS);
  return { owners, before: await lastRequest(world) };
}

/** Everything at once: clients that publish and send, a killer, faults, and time; how often a server was killed. */
async function storm(soak: Soak, plans: readonly Plan[]): Promise<number> {
  const { places, random } = soak;
  const [{ seat: clock }] = places as [Place];
  let kills = 0;
  let isOver = false;

  async function killer(): Promise<void> {
    // On a slow machine it lives longer too, or nothing would ever get done.
    for (let startMs = 0; !isOver;) {
      await pause(100 + random() * 1000 + startMs);
      const place = places[Math.floor(random() * places.length)]!;
      const { promise, resolve } = Promise.withResolvers<void>();
      place.up = promise;
      await place.seat.kill();
      kills += 1;
      // Where others live on, what the dead one held becomes free in its own time.
      if (places.length === 1) clock.pass(AFTER_LEASES_MS);
      const began = performance.now();
      await place.seat.start();
      startMs = performance.now() - began;
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
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [n, plan] = next;
      const place = places[n % places.length]!;
      await disturb(soak, plan);
      await (plan.what === 'post' ? publish(soak, place, plan) : send(soak, place, plan));
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => (isOver = true));
  await Promise.all([clients, killer(), time()]);
  return kills;
}

/** Has something go wrong with a request of the platform: of any kind that was made there so far. */
async function disturb({ world, random, faults, before }: Soak, { owner }: Plan): Promise<void> {
  if (random() >= FAULTY) return;
  const kind = FAULTS[Math.floor(random() * FAULTS.length)]!;
  const aims = await aimsOf(world, owner.subject.platform.slug, before);
  const aim = aims[Math.floor(random() * aims.length)];
  if (aim === undefined) return;
  await upset(world, aim, kind);
  faults[kind] = (faults[kind] ?? 0) + 1;
}

/** Asks as long as the server dies over it. */
async function persist<T>(place: Place, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    await place.up;
    try {
      return await ask();
    } catch (error) {
      // Anything else is a fault of the soak itself.
      if (!(error instanceof TypeError)) throw error;
      await pause(20);
    }
  }
}

/** Publishes as a program does that repeats what was not answered. */
async function publish({ world, places, random }: Soak, place: Place, plan: PostPlan): Promise<void> {
  const { text, owner } = plan;
  const later = random() < SCHEDULED;
  const after = 1000 + random() * 60_000;
  const input = await persist(place, async () =>
    plan.one.input(doorOf(world, place.seat), text, [owner.scene.account]),
  );
  const { status, body }: Answer = await persist(place, () => {
    const time = later
      ? { scheduled_at: new Date(places[0]!.seat.now() + after).toISOString() }
      : { publish_now: true };
    return place.seat.rest('POST', '/v1/posts', { text, account_ids: [owner.scene.account], ...input, ...time });
  });
  // The repeat of a request that was taken in is told which post it has made.
  if (![201, 207, 409, 422].includes(status)) throw new Error(`${text}: ${status} ${JSON.stringify(body)}`);
}

/** Asks for a send with a key, once more after `-` where a person has looked. */
function ask(seat: Seat, { one, text, owner }: SendPlan, again = ''): Promise<Answer> {
  const [method, path] = one.call(owner.scene).split(' ') as [string, string];
  const headers = { 'Idempotency-Key': text.replaceAll(/[^\w-]/g, '-') + again };
  return seat.rest(method, path, one.ask(owner.scene, text), headers);
}

/** What says nothing about the next try. */
const isPassing = ({ status }: Answer) => status === 409 || status === 429 || status >= 500;

/** Sends as a program does that repeats with the same key what was not answered, or passes. */
async function send({ world, places, written }: Soak, place: Place, plan: SendPlan): Promise<void> {
  const { subject, scene } = plan.owner;
  const now = places[0]!.seat.now();
  if (now - written.get(scene.account)! > WRITES_EVERY_MS) {
    written.set(scene.account, now);
    await subject.people.message?.({ ...scene, ...doorOf(world, place.seat) }, 'Are you still open?');
  }
  for (let left = TRIES; ; left -= 1) {
    const answer = await persist(place, () => ask(place.seat, plan));
    if (answer.status === 200 || (left === 0 && isPassing(answer))) return;
    if (!isPassing(answer)) throw new Error(`${plan.text}: ${answer.status} ${JSON.stringify(answer.body)}`);
    await pause(AGAIN_MS);
  }
}

const isPost = (plan: Plan): plan is PostPlan => plan.what === 'post';
const isSend = (plan: Plan): plan is SendPlan => plan.what === 'send';

/** Lets everything come to its end; looks for a person where nobody else can tell. Answers how often. */
async function calm(world: Processes, seat: Seat, plans: readonly Plan[]): Promise<number> {
  const door = doorOf(world, seat);
  const posts = new Map(plans.filter(isPost).map((plan) => [plan.text, plan]));
  /** Posts that a person has seen in public. */
  const found = new Set<string>();
  let asked = 0;

  async function look({ id, text }: Json): Promise<void> {
    if ((await seat.rest('POST', `/v1/posts/${id}/retry`)).status === 200) return;
    asked += 1;
    const parts = await posts.get(text)!.one.seen(door, text);
    if (parts.every(({ ever, optional }) => optional === true || ever > 0)) found.add(id);
    else await seat.rest('POST', `/v1/posts/${id}/retry`, { confirm_not_published: true });
  }
  await until(async () => {
    seat.pass(CALM_MS);
    if ((await everything(seat, '/v1/posts?status=publishing,scheduled')).length > 0) return undefined;
    const failed = await everything(seat, '/v1/posts?status=failed');
    const doubtful = failed.filter((post) => posts.has(post.text) && isUnknown(post) && !found.has(post.id));
    for (const post of doubtful) await look(post);
    if (doubtful.length > 0) return undefined;
    const isAdding = ({ metadata }: Json) => metadata.first_comment_status === 'pending';
    const published = await everything(seat, '/v1/posts?status=published,partial');
    return !published.some(({ results }) => results.some(isAdding)) || undefined;
  }, LOOK_MS);

  for (const plan of plans.filter(isSend)) {
    for (let tries = 0; tries < 4 * TRIES && (await ask(seat, plan)).status !== 200; tries += 1) {
      seat.pass(CALM_MS);
      await pause(LOOK_MS);
      if (tries < 2 * TRIES) continue;
      asked += 1;
      if ((await plan.one.seen(door, plan.text)) > 0) break;
      if ((await ask(seat, plan, `-${asked}`)).status === 200) break;
    }
  }

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
  say(`${count} posts and sends in ${seconds.toFixed(0)} s: ${listed(kinds)}`);
  say(`${kills} kills; faults: ${listed(faults)}; ${asked} times a person was asked to look`);
  say(`lost ${lost.length}, published or sent twice ${twice.length}`);
  say(`without exactly one event ${events.length}, without exactly one log entry ${entries.length}`);
  for (const [what, names] of Object.entries({ lost, twice, events, entries })) {
    for (const name of names.slice(0, 10)) say(`  ${what}: ${name}`);
  }
}
