import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProcesses, type Answer, type Seat } from '../harness/processes.ts';
import { askKeyed, askUntilSettled, openKinds, type Kind } from '../harness/repeated.ts';
import { DATABASES } from '../wire/two-servers.ts';
import { randomOf } from './plans.ts';

const KINDS = ['message', 'reply', 'draft', 'endpoint', 'key'] as const;
/** How long after the kill the client asks again. */
const LATER_MS = [1_000, 90_000, 600_000];
/** A kill at random comes within this time of the request. */
const SOON_MS = 60;
/** How long a client waits that was answered with a 5xx, and how often it asks before it gives up. */
const AGAIN_MS = 30_000;
const TRIES = 4;

type Kinds = Readonly<Record<string, Kind>>;
type Count = Record<string, number>;

/**
 * Asks for one of everything with a key while the server is killed, between the work and the answer of one of them or
 * at any time, and asks again, soon or late: every effect is to be there once.
 */
export async function soakRepeats(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '50' },
      seed: { type: 'string' },
      postgres: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  process.stdout.write(`${rounds} rounds on ${values.postgres ? 'PostgreSQL' : 'SQLite'}, seed ${seed}\n`);
  const world = await openProcesses({ oneClock: true });
  try {
    const began = performance.now();
    const [sqlite, postgres] = DATABASES;
    const env = await (values.postgres ? postgres! : sqlite!).open();
    const seat = world.seat('server', env);
    await seat.start();
    const port = new URL(seat.root()).port;
    const kinds = await openKinds(world, seat);
    const random = randomOf(seed);
    const settled: Count = {};
    const doubtful = new Set<string>();
    for (let n = 0; n < rounds; n += 1) await round({ seat, port, kinds, random, settled, doubtful }, n);
    const { twice, lost } = await look(kinds, rounds, doubtful);
    const seconds = (performance.now() - began) / 1000;
    const say = (line: string) => process.stdout.write(`${line}\n`);
    say(`${rounds * KINDS.length} requests in ${seconds.toFixed(0)} s, ${rounds} kills`);
    say(`settled without running again: ${KINDS.map((kind) => `${kind} ${settled[kind] ?? 0}`).join(', ')}`);
    say(`${doubtful.size} of which the platform does not tell whether they left`);
    say(`${twice.length} twice, ${lost.length} lost`);
    for (const name of [...twice, ...lost].slice(0, 10)) say(`  ${name}`);
    return twice.length + lost.length === 0;
  } finally {
    await world.close();
  }
}

const nameOf = (kind: string, n: number) => `Soak ${kind} number ${n}`;

type Soak = Readonly<{
  seat: Seat;
  port: string;
  kinds: Kinds;
  random: () => number;
  /** How many answers were settled, by kind. */
  settled: Count;
  /** What may have been sent or not, for all the platform says: nobody sends it again. */
  doubtful: Set<string>;
}>;

async function round({ seat, port, kinds, random, settled, doubtful }: Soak, n: number): Promise<void> {
  const between = random() < 0.7;
  if (between) seat.dieAt('request.performed', 1 + Math.floor(random() * KINDS.length));
  const first = KINDS.map((kind) => askKeyed(seat, kinds[kind]!, nameOf(kind, n)).catch(() => undefined));
  if (!between) {
    await pause(random() * SOON_MS);
    await seat.kill();
  }
  await seat.ended();
  await Promise.all(first);
  seat.pass(LATER_MS[Math.floor(random() * LATER_MS.length)]!);
  await seat.start({ PORT: port });
  await Promise.all(
    KINDS.map(async (kind) => {
      const { status, headers } = await persist(seat, kinds[kind]!, nameOf(kind, n));
      if (status >= 500) doubtful.add(nameOf(kind, n));
      if (headers.get('idempotency-replayed') === 'true') settled[kind] = (settled[kind] ?? 0) + 1;
    }),
  );
}

/** Asks as clients do: what failed with a 5xx is asked again. */
async function persist(seat: Seat, kind: Kind, name: string): Promise<Answer> {
  for (let left = TRIES; ; left -= 1) {
    const answer = await askUntilSettled(seat, kind, name);
    const inDoubt = answer.status === 502;
    if (answer.status < 300 || (inDoubt && left === 0)) return answer;
    if (!inDoubt) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    seat.pass(AGAIN_MS);
  }
}

async function look(kinds: Kinds, rounds: number, doubtful: ReadonlySet<string>) {
  const twice: string[] = [];
  const lost: string[] = [];
  for (const kind of KINDS) {
    for (let n = 0; n < rounds; n += 1) {
      const name = nameOf(kind, n);
      const times = await kinds[kind]!.count(name);
      if (times > 1) twice.push(`${name}: ${times} times`);
      if (times === 0 && !doubtful.has(name)) lost.push(name);
    }
  }
  return { twice, lost };
}
