import { sweepDeliveries } from '#db/delivery/sweep.ts';
import { makeAttempt } from './attempt.ts';
import { makeDeliveries, makeReplay, makeTestDelivery } from './deliveries.ts';
import { makeEndpoints } from './endpoints.ts';
import { makeSender } from './sender.ts';
import type { DeliveryDeps } from './ports.ts';

export type { DeliveryDeps } from './ports.ts';

export type Delivery = ReturnType<typeof makeDelivery>;

/** Webhooks: endpoints, deliveries, and the engine that sends them. */
export function makeDelivery(deps: DeliveryDeps) {
  const { store, clock } = deps;
  const attempt = makeAttempt(deps);
  return Object.freeze({
    endpoints: makeEndpoints(deps),
    deliveries: makeDeliveries(deps),
    test: makeTestDelivery(deps, attempt),
    replay: makeReplay(deps),
    ...makeSender(deps, attempt),
    /** Runs one step of retention; returns 0 when nothing is left to delete. */
    sweep: () => store.write((tx) => sweepDeliveries(tx.db, clock.now())),
  });
}
