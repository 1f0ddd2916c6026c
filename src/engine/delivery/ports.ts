import type { Dialect } from '#db/store/dialect.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, Topic, Tx } from '#db/store/tx.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import type { Trace } from '#kernel/metrics/trace.ts';
import type { Outbound } from '#kernel/net/request.ts';
import type { Sealer } from '#kernel/seal.ts';

type DeliveryTx = Pick<Tx, 'db' | 'log' | 'signal' | 'key'>;

type DeliveryStore = Readonly<{
  dialect: Dialect;
  db: Db;
  prepared: Store['prepared'];
  process: Pick<Store['process'], 'newToken'>;
  write<T>(fn: (tx: DeliveryTx) => Promise<T>, options?: Readonly<{ flushed?: boolean }>): Promise<T>;
  onCommit(topic: Topic, listener: () => void): () => void;
}>;

export type DeliveryLimits = Readonly<{
  slots: number;
  /** Concurrent attempts in total; failing endpoints get at most half. */
  sockets: number;
  group: number;
}>;

export type DeliveryDeps = Readonly<{
  store: DeliveryStore;
  lists: Lists;
  outbound: Pick<Outbound, 'send' | 'refusesHost'>;
  clock: Clock;
  sealer: Sealer;
  log: Log;
  meter: Pick<Meter, 'count' | 'time'>;
  trace?: Trace | undefined;
  /** The prefixes of webhook headers; each delivery carries its headers under all of them. */
  prefixes: readonly string[];
  userAgent: string;
  deadlineMs?: number;
  /** A random number in [0, 1), uniformly distributed. */
  random?: () => number;
  limits?: Partial<DeliveryLimits>;
  crash?: CrashPoint;
}>;

/** Claims and results are not flushed: after a power cut, deliveries are sent again, as after any crash. */
export const UNFLUSHED = Object.freeze({ flushed: false });
