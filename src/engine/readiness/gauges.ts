import { statfs } from 'node:fs/promises';
import {
  countAccounts,
  countEndpoints,
  dueDeliveries,
  dueJobs,
  dueTargets,
  sizesOf,
  NONE,
  type Backlog,
} from '#db/upkeep/gauges.ts';
import type { Store } from '#db/store/store.ts';
import type { QuotaLeft } from '#call/ports.ts';
import { within, type Clock } from '#kernel/clock.ts';
import { JOB_KINDS } from '#kernel/jobs.ts';
import type { Log } from '#kernel/log.ts';
import type { Reading } from '#kernel/metrics/meter.ts';
import { PLATFORMS } from '#kernel/platforms.ts';

/** How long values read from the store are reused, so that several monitors cost no more than one. */
const KEPT_MS = 5_000;
/** The same for values that take longer to count. */
const SLOW_MS = 15_000;
/** How long a scrape waits for the store; Prometheus itself gives up after ten seconds. */
const DEADLINE_MS = 2_000;

type GaugeDeps = Readonly<{
  store: Pick<Store, 'db' | 'dialect'>;
  clock: Clock;
  log: Log;
  dataDir: string;
  version: string;
  quotas: Readonly<{ least(): Promise<readonly QuotaLeft[]> }>;
  problems(): Promise<readonly string[]>;
  isPaused(): boolean;
}>;

/** Reads the server's current state: queues, accounts, endpoints and sizes. */
export type Gauges = () => Promise<readonly Reading[]>;

/** Reads the gauges; without a store, only those that do not need it. */
export function makeGauges({ store, clock, log, dataDir, version, quotas, problems, isPaused }: GaugeDeps): Gauges {
  const { db, dialect } = store;

  async function backlogs(): Promise<readonly Reading[]> {
    const now = clock.now();
    const targets = await dueTargets(db, now);
    const deliveries = await dueDeliveries(db, now);
    const jobs = new Map((await dueJobs(db, JOB_KINDS, now)).map((row) => [row.kind, row]));
    const ageOf = ({ since }: Backlog = NONE) => (since === null ? 0 : Math.max(0, now - since) / 1000);
    return [
      { gauge: 'targetsDue', labels: [], value: targets.due },
      { gauge: 'targetsOverdue', labels: [], value: ageOf(targets) },
      { gauge: 'deliveriesDue', labels: [], value: deliveries.due },
      { gauge: 'deliveriesOverdue', labels: [], value: ageOf(deliveries) },
      ...JOB_KINDS.flatMap((kind): readonly Reading[] => [
        { gauge: 'jobsDue', labels: [kind], value: jobs.get(kind)?.due ?? 0 },
        { gauge: 'jobsOverdue', labels: [kind], value: ageOf(jobs.get(kind)) },
      ]),
    ];
  }

  async function holdings(): Promise<readonly Reading[]> {
    const accounts = await countAccounts(db);
    const endpoints = await countEndpoints(db);
    const sizes = await sizesOf(db, dialect);
    const states = ['active', 'reconnect_required'] as const;
    const inState = (state: string) =>
      endpoints
        .filter(({ is_active, failing }) => stateOf(is_active === 1, failing === 1) === state)
        .reduce((sum, { n }) => sum + n, 0);
    return [
      ...PLATFORMS.flatMap((platform) =>
        states.map((state): Reading => {
          const row = accounts.find((one) => one.platform === platform && one.status === state);
          return { gauge: 'accounts', labels: [platform, state], value: row?.n ?? 0 };
        }),
      ),
      ...['ok', 'failing', 'off'].map((state): Reading => ({
        gauge: 'endpoints',
        labels: [state],
        value: inState(state),
      })),
      ...(await quotas.least()).map(({ platform, quota, left }): Reading => ({
        gauge: 'quota',
        labels: [platform, quota],
        value: left,
      })),
      { gauge: 'storeSize', labels: [], value: sizes.store },
      { gauge: 'mediaSize', labels: [], value: sizes.media },
    ];
  }

  const [quick, slow] = [kept(clock, KEPT_MS, backlogs), kept(clock, SLOW_MS, holdings)];

  async function ofStore(): Promise<readonly Reading[]> {
    try {
      const readings = await within(clock, DEADLINE_MS, Promise.all([quick(), slow()]));
      if (readings !== undefined) return [{ gauge: 'storeUp', labels: [], value: 1 }, ...readings.flat()];
    } catch (error) {
      log.debug({ error }, 'gauges of the store not read');
    }
    return [{ gauge: 'storeUp', labels: [], value: 0 }];
  }

  return async function readings() {
    const disk = await statfs(dataDir).catch(() => undefined);
    return [
      { gauge: 'info', labels: [version, dialect], value: 1 },
      { gauge: 'ready', labels: [], value: (await problems()).length === 0 ? 1 : 0 },
      { gauge: 'paused', labels: [], value: isPaused() ? 1 : 0 },
      ...(disk === undefined ? [] : [{ gauge: 'diskFree', labels: [], value: disk.bavail * disk.bsize } as const]),
      ...(await ofStore()),
    ];
  };
}

function stateOf(isActive: boolean, isFailing: boolean): string {
  if (!isActive) return 'off';
  return isFailing ? 'failing' : 'ok';
}

/** Reads at most once every `ms`; concurrent callers share the read, and a failure is not cached. */
function kept<T>(clock: Clock, ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let at = -Infinity;
  return () => {
    const now = clock.now();
    if (last === undefined || now - at >= ms) {
      at = now;
      const reading = read();
      last = reading;
      reading.catch(() => {
        if (last === reading) last = undefined;
      });
    }
    return last;
  };
}
