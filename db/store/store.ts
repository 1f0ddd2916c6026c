import type { Store as BareStore } from './open.ts';
import type { Tx } from './tx.ts';

/** A store whose transactions can record events, jobs, log entries and credits; made by `productStore`. */
export type Store = BareStore<Tx>;
