import { sweepDeliveries } from '../../../db/delivery/sweep.ts';
import { makeAttempt } from './attempt.ts';
import { makeDeliveries, makeReplay, makeTest } from './deliveries.ts';
import { makeEndpoints } from './endpoints.ts';
import { makeLoop } from './loop.ts';
import type { DeliveryDeps } from './ports.ts';

export type { DeliveryDeps } from './ports.ts';

export type Delivery = ReturnType<typeof makeDelivery>;

/** The webhook room: endpoints, their deliveries, and the engine that sends them. */
export function makeDelivery(deps: DeliveryDeps) {
  const { store, clock } = deps;
  const attempt = makeAttempt(deps);
  return Object.freeze({
    endpoints: makeEndpoints(deps),
    deliveries: makeDeliveries(deps),
    test: makeTest(deps, attempt),
    replay: makeReplay(deps),
    ...makeLoop(deps, attempt),
    /** One step of retention; 0 when nothing is left to remove. */
    sweep: () => store.write((tx) => sweepDeliveries(tx.db, clock.now())),
  });
}
