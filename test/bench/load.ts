import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { median, range, type Ratio } from './finding.ts';

const CONNECTIONS = 8;
/** As many requests as make V8 compile what every request runs; after one second it has compiled half of it. */
const WARM_UP = Object.freeze({ connections: 64, seconds: 5 });
/** Linux counts the processor time of a process in hundredths of a second. */
const TICK_US = 10_000;

/** A server and what it is asked; several requests are asked in turn. */
export type Contender = Readonly<{
  name: string;
  url: string;
  pid: number;
  requests: readonly Readonly<{ method: 'GET' | 'POST'; path: string; body?: string }>[];
  headers?: Readonly<Record<string, string>>;
  /** How many ask at the same time; 8 by default. */
  connections?: number;
}>;

export type Effort = Readonly<{ rounds: number; seconds: number }>;

/** What a contender did in one round. */
type Round = Readonly<{ rps: number; cpuUs: number | undefined }>;

export type Comparison = Readonly<{
  /** How the first contender stands to another: the medians over the rounds. */
  ratio(other: string): Ratio;
  /** The numbers behind it. */
  describe(other: string): string;
}>;

/**
 * Loads the contenders one after the other, in rounds: only speeds of one round are held against each other, so that
 * the ratios mean something on a machine whose speed changes. Every other round runs backwards.
 */
export async function compare(contenders: readonly Contender[], effort: Effort): Promise<Comparison> {
  for (const contender of contenders) await load({ ...contender, connections: WARM_UP.connections }, WARM_UP.seconds);
  const rounds: ReadonlyMap<string, Round>[] = [];
  for (let round = 0; round < effort.rounds; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    const done = new Map<string, Round>();
    for (const contender of order) done.set(contender.name, await load(contender, effort.seconds));
    rounds.push(done);
  }
  const first = contenders[0]!.name;
  const pairs = (other: string) => rounds.map((round) => [round.get(first)!, round.get(other)!] as const);
  const speeds = (other: string) => pairs(other).map(([ours, theirs]) => ours.rps / theirs.rps);
  const describe = (name: string) => {
    const each = rounds.map((round) => round.get(name)!);
    const cpu = each.every(({ cpuUs }) => cpuUs !== undefined)
      ? ` at ${median(each.map(cpuOf)).toFixed(0)} µs CPU`
      : '';
    return `${name} ${median(each.map(({ rps }) => rps)).toFixed(0)}/s${cpu}`;
  };
  return {
    ratio(other) {
      const costs = pairs(other).map(([ours, theirs]) => cpuOf(theirs) / cpuOf(ours));
      const cpu = median(costs);
      return { speed: median(speeds(other)), cpu: Number.isNaN(cpu) ? undefined : cpu };
    },
    describe: (other) => `${describe(first)}, ${describe(other)}; ${rounds.length} rounds of ${range(speeds(other))}`,
  };
}

const cpuOf = ({ cpuUs = NaN }: Round) => cpuUs;

async function load(
  { name, url, pid, requests, headers = {}, connections = CONNECTIONS }: Contender,
  seconds: number,
): Promise<Round> {
  const before = usedBy(pid);
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    requests: requests.map((request) => ({ ...request })),
  });
  const after = usedBy(pid);
  if (result.non2xx > 0 || result.errors > 0 || result.requests.total === 0)
    throw new Error(`${name}: ${result.requests.total} answered, ${result.non2xx} refused, ${result.errors} failed`);
  const cpuUs = before === undefined ? undefined : (after! - before) / result.requests.total;
  return { rps: result.requests.total / result.duration, cpuUs };
}

/** The processor time a process has used, in microseconds; undefined where the system does not tell. */
export function usedBy(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/**
 * Measures ours and theirs so often, in turn which goes first, since the second one finds the machine warm. The round
 * before the first warms both up and is left out.
 */
export async function alternate<Own, Other>(
  rounds: number,
  ours: (round: number) => Promise<Own>,
  theirs: (round: number) => Promise<Other>,
): Promise<readonly Readonly<{ own: Own; other: Other }>[]> {
  const measured: Readonly<{ own: Own; other: Other }>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = round % 2 === 0 ? await ours(round) : undefined;
    const other = await theirs(round);
    const own = before ?? (await ours(round));
    if (round > 0) measured.push({ own, other });
  }
  return measured;
}
