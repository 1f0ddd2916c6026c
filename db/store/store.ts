import type { Store as BareStore } from './open.ts';
import type { Tx } from './tx.ts';

/** A store whose transactions record events, jobs, log entries and credits; made by `productStore`. */
export type Store = BareStore<Tx>;
