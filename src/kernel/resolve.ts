import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { addressesOfHost } from './addresses.ts';
import { OutboundError, stoppedBy } from './outbound.ts';

/** All addresses of a name or literal; fails with `dns`, or as the signal says. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** One question to the name servers: every A and AAAA record, given up when the signal fires. */
export type Query = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

type Kept = Readonly<{ until: number; addresses: readonly string[]; failure: unknown }>;
type Flight = { waiting: number; readonly stop: AbortController; readonly answer: Promise<readonly string[]> };

const KEEP_FOUND_MS = 30_000;
const KEEP_FAILED_MS = 5_000;
const KEEP_NAMES = 2_000;
const IN_FLIGHT = 64;
const HOSTS_FILE = '/etc/hosts';

/**
 * Names by /etc/hosts, then c-ares: getaddrinfo would share four threads with file reads (rulings 4.5).
 * Callers asking for the same name share one question, which ends when the last of them gives up.
 */
export function makeResolve(options: { query?: Query; now?: () => number; hostsFile?: string } = {}): Resolve {
  const { query = queryNameServers, now = () => performance.now(), hostsFile = HOSTS_FILE } = options;
  const kept = new Map<string, Kept>();
  const flights = new Map<string, Flight>();
  const queue = makeSlots(IN_FLIGHT);
  let hosts: { until: number; names: Promise<ReadonlyMap<string, readonly string[]>> } | undefined;

  function keep(name: string, entry: Kept) {
    kept.delete(name);
    kept.set(name, entry);
    const oldest = kept.size > KEEP_NAMES ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
  }

  async function ask(name: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!hosts || hosts.until <= now()) hosts = { until: now() + KEEP_FOUND_MS, names: readHosts(hostsFile) };
    const listed = (await hosts.names).get(name);
    if (listed) return listed;
    const leave = await queue(signal);
    try {
      const addresses = await untilStopped(query(name, signal), signal);
      if (addresses.length === 0) throw new Error('no records');
      keep(name, { until: now() + KEEP_FOUND_MS, addresses, failure: undefined });
      return addresses;
    } catch (failure) {
      if (!signal.aborted) keep(name, { until: now() + KEEP_FAILED_MS, addresses: [], failure });
      throw failure;
    } finally {
      leave();
    }
  }

  function join(name: string): Flight {
    const running = flights.get(name);
    if (running) return running;
    const stop = new AbortController();
    const answer = ask(name, stop.signal).finally(() => {
      if (flights.get(name) === flight) flights.delete(name);
    });
    const flight: Flight = { waiting: 0, stop, answer };
    flights.set(name, flight);
    return flight;
  }

  return async function resolve(hostname, signal) {
    const known = addressesOfHost(hostname);
    if (known) return known;
    if (signal.aborted) throw stoppedBy(signal, hostname);
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
    const before = kept.get(name);
    if (before && before.until > now()) {
      if (before.addresses.length > 0) return before.addresses;
      throw new OutboundError('dns', hostname, { cause: before.failure });
    }
    const flight = join(name);
    flight.waiting += 1;
    try {
      return await untilStopped(flight.answer, signal);
    } catch (cause) {
      if (signal.aborted) throw stoppedBy(signal, hostname);
      throw new OutboundError('dns', hostname, { cause });
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        if (flights.get(name) === flight) flights.delete(name);
        flight.stop.abort();
      }
    }
  };
}

/** A and AAAA by c-ares. One family is enough: the other often does not exist or is not answered. */
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

/** At most `size` holders; the others wait in line until their own signal fires. */
function makeSlots(size: number) {
  let free = size;
  const line = new Set<() => void>();

  function leave() {
    const [next] = line;
    if (!next) {
      free += 1;
      return;
    }
    line.delete(next);
    next();
  }

  return async function enter(signal: AbortSignal): Promise<() => void> {
    if (free > 0) {
      free -= 1;
      return leave;
    }
    const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
    line.add(admit);
    try {
      await untilStopped(admitted, signal);
      return leave;
    } catch (stopped) {
      // Admitted in the same turn as stopped: the place goes to the next in line.
      if (!line.delete(admit)) leave();
      throw stopped;
    }
  };
}

/** Settles as the work does, or fails as soon as the signal fires. */
function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const done = () => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(done);
  });
}
