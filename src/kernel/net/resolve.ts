import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { addressesOfHost } from './addresses.ts';
import { boundedMap } from '../limits/bounded-map.ts';
import { OutboundError, stoppedBy, type OutboundRequest } from './outbound.ts';
import { makeRing, makeSlots, untilStopped, type Leave } from '../limits/slots.ts';

/** Where a name comes from: `given` names come from users, who may give names that never resolve. */
export type Origin = 'given' | 'own';

export const originOf = ({ given }: Pick<OutboundRequest, 'given'>): Origin => (given ? 'given' : 'own');

/** Returns all addresses of a name or literal; fails with `dns`, or when the signal fires. */
export type Resolve = (hostname: string, origin: Origin, signal: AbortSignal) => Promise<readonly string[]>;

/** Queries the A and AAAA records of a name until the signal fires. */
export type Query = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

type Kept = Readonly<{ until: number; addresses: readonly string[]; failure: unknown }>;
type Flight = {
  waiting: number;
  readonly stop: AbortController;
  readonly end: () => void;
  readonly answer: Promise<readonly string[]>;
};
type After = (ms: number, fn: () => void) => () => void;

const KEEP_FOUND_MS = 30_000;
const KEEP_FAILED_MS = 5_000;
const KEEP_NAMES = 2_000;
/** The most concurrent queries; some are reserved for our own names, however many users request. */
const YOUNG: Readonly<Record<Origin, number>> = Object.freeze({ given: 56, own: 8 });
/** After this time an unanswered query frees its slot and continues among the slow queries. */
const SLOW_MS = 250;
const SLOW: Readonly<Record<Origin, number>> = Object.freeze({ given: 256, own: 32 });
/** For this long after a slow query, queries for the same name start among the slow ones. */
const SUSPECT_MS = 300_000;
const HOSTS_FILE = '/etc/hosts';

/** Resolves names by /etc/hosts and c-ares (getaddrinfo shares four threads with file reads); queries are shared. */
export function makeResolve(
  options: { query?: Query; now?: () => number; after?: After; hostsFile?: string } = {},
): Resolve {
  const { query = queryNameServers, now = () => performance.now(), after = afterReal } = options;
  const { hostsFile = HOSTS_FILE } = options;
  const kept = boundedMap<string, Kept>(KEEP_NAMES);
  const suspects = boundedMap<string, number>(KEEP_NAMES);
  const flights = new Map<string, Flight>();
  const queues = { given: makeSlots(YOUNG.given), own: makeSlots(YOUNG.own) };
  const rings = { given: makeRing(SLOW.given), own: makeRing(SLOW.own) };
  let hosts: { until: number; names: Promise<ReadonlyMap<string, readonly string[]>> } | undefined;

  async function queryDns(name: string, origin: Origin, signal: AbortSignal): Promise<readonly string[]> {
    if (!hosts || hosts.until <= now()) hosts = { until: now() + KEEP_FOUND_MS, names: readHosts(hostsFile) };
    const listed = (await hosts.names).get(name);
    if (listed) return listed;
    const crowded = new AbortController();
    const ending = AbortSignal.any([signal, crowded.signal]);
    const goSlow = () => rings[origin](() => crowded.abort());
    let leave: Leave = (suspects.get(name) ?? 0) > now() ? goSlow() : await queues[origin](signal);
    let late = false;
    const cancel = after(SLOW_MS, () => {
      late = true;
      suspects.set(name, now() + SUSPECT_MS);
      leave();
      leave = goSlow();
    });
    try {
      const addresses = await untilStopped(query(name, ending), ending);
      if (addresses.length === 0) throw new Error('no records');
      kept.set(name, { until: now() + KEEP_FOUND_MS, addresses, failure: undefined });
      if (!late) suspects.delete(name);
      return addresses;
    } catch (failure) {
      if (!signal.aborted) kept.set(name, { until: now() + KEEP_FAILED_MS, addresses: [], failure });
      throw failure;
    } finally {
      cancel();
      leave();
    }
  }

  /** Queries are shared per origin only, so that our own do not wait behind those for users. */
  function join(name: string, origin: Origin): Flight {
    const key = `${origin} ${name}`;
    const running = flights.get(key);
    if (running) return running;
    const stop = new AbortController();
    const end = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    const answer = queryDns(name, origin, stop.signal).finally(end);
    const flight: Flight = { waiting: 0, stop, end, answer };
    flights.set(key, flight);
    return flight;
  }

  return async function resolve(hostname, origin, signal) {
    const known = addressesOfHost(hostname);
    if (known) return known;
    if (signal.aborted) throw stoppedBy(signal, hostname);
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
    const before = kept.get(name);
    if (before && before.until > now()) {
      if (before.addresses.length > 0) return before.addresses;
      throw new OutboundError('dns', hostname, { cause: before.failure });
    }
    const flight = join(name, origin);
    flight.waiting += 1;
    try {
      return await untilStopped(flight.answer, signal);
    } catch (cause) {
      if (signal.aborted) throw stoppedBy(signal, hostname);
      throw new OutboundError('dns', hostname, { cause });
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        flight.end();
        flight.stop.abort();
      }
    }
  };
}

function afterReal(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
}

/** Queries A and AAAA records by c-ares; one family is enough, as the other may not exist or get no response. */
async function queryNameServers(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const failed = families.find((family) => family.status === 'rejected');
    if (found.length === 0 && failed) throw failed.reason;
    return found;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function readHosts(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (!address) continue;
    for (const alias of aliases) names.set(alias.toLowerCase(), [...(names.get(alias.toLowerCase()) ?? []), address]);
  }
  return names;
}
