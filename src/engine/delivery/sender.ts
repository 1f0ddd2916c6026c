import { nextDueAt, soonestDelivery, type DueEndpoint } from '#db/delivery/due.ts';
import { claimDeliveries, failPending, type Claimed } from '#db/delivery/queue.ts';
import { SWEEP_STEP } from '#db/delivery/sweep.ts';
import { inTurn } from '../jobs/in-turn.ts';
import { makePoller, type DueWork } from '../jobs/poller.ts';
import { makeWorkerPool } from '../jobs/worker-pool.ts';
import { leaseMs, noResponse, type Attempt, type DeliveryResult } from './attempt.ts';
import { makeDue } from './due.ts';
import { makeEndpointQueues, type EndpointQueues } from './endpoint-queues.ts';
import { UNFLUSHED, type DeliveryDeps, type DeliveryLimits } from './ports.ts';
import { ENDPOINT_INACTIVE } from './present-delivery.ts';
import { conclude, makeResults, type Results } from './results.ts';
import { MOST_INTERRUPTIONS } from './schedule.ts';

const LIMITS: DeliveryLimits = Object.freeze({ slots: 16, sockets: 512, group: 64 });
/** How often to search for more due endpoints while the known ones are at capacity. */
const SEARCH_MS = 100;

type LookResult = Readonly<{
  started: number;
  /** Whether another look may start more at once. */
  more: boolean;
}>;

/** Claims due deliveries, sends them and stores their results. */
export function makeSender(deps: DeliveryDeps, attempt: Attempt) {
  const { store, clock, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const queues = makeEndpointQueues(limits);
  const pool = makeWorkerPool(Infinity);
  let onWritten = () => {};
  const results = makeResults(deps, queues, limits.group, () => onWritten());
  const send = makeSend(deps, attempt, { queues, results });
  const looking = makeLooking(deps, queues, limits.group, (delivery) => pool.track(send(delivery)));

  async function tick(): Promise<number> {
    let all = 0;
    for (;;) {
      looking.searchNext();
      const { started, more } = await looking.look(() => false);
      all += started;
      if (!more) return all;
    }
  }

  async function settled(): Promise<void> {
    while (!queues.idle()) {
      await pool.idle();
      await results.written();
    }
  }

  const work: DueWork = {
    async tick(isStopped) {
      const { started, more } = await looking.look(isStopped);
      return more ? started : 0;
    },
    nextAt: looking.nextAt,
    idle: settled,
    onFree(listener) {
      onWritten = listener;
      return () => void (onWritten = () => {});
    },
  };
  const onWake = (wake: () => void) =>
    store.onCommit('deliveries', () => {
      looking.searchNext();
      wake();
    });

  return Object.freeze({
    ...makePoller({ clock, log, name: 'deliveries', work, onWake }),
    tick,
    async idle(): Promise<void> {
      while ((await tick()) > 0 || !queues.idle()) await settled();
    },
  });
}

/** Claims and starts due deliveries, `group` per transaction, as far as sockets and endpoints allow. */
function makeLooking(deps: DeliveryDeps, queues: EndpointQueues, group: number, start: (delivery: Claimed) => void) {
  const { store, clock } = deps;
  const search = makeSearch(deps);
  const soonest = store.prepared(soonestDelivery);
  /** Endpoints that had due deliveries at the last search and may have more. */
  let found: readonly DueEndpoint[] = [];
  let searchAt = Infinity;
  let searchNow = true;

  /** Claims as many deliveries as these endpoints may start; `isFull` if there were that many. */
  async function claim(
    due: readonly DueEndpoint[],
    { failing, isStopped }: Readonly<{ failing: boolean; isStopped: () => boolean }>,
  ) {
    const endpoints = new Map(due.map((endpoint) => [endpoint.id, endpoint]));
    const shares = queues.shares(due, { failing });
    const wanted = [...shares.values()].reduce((sum, share) => sum + share, 0);
    let started = 0;
    for (let left: ReadonlyMap<string, number> = shares; left.size > 0 && !isStopped();) {
      const now = clock.now();
      const leaseUntil = now + leaseMs(deps.deadlineMs);
      const request = {
        shares: left,
        most: group,
        now,
        leaseUntil,
        token: store.process.newToken(),
        busy: queues.busy(),
      };
      const taken = await store.write((tx) => claimDeliveries(tx.db, store.dialect, request), UNFLUSHED);
      left = taken.left;
      started += taken.claimed.length;
      for (const delivery of taken.claimed) {
        queues.begin(endpoints.get(delivery.endpoint.id)!, delivery.id);
        start(delivery);
      }
    }
    return { started, isFull: wanted > 0 && started === wanted };
  }

  async function look(isStopped: () => boolean): Promise<LookResult> {
    let started = 0;
    if (!searchNow && found.length > 0 && clock.now() < searchAt) {
      // Failing endpoints cost many handshakes, so while others are busy they wait for the next search.
      const again = await claim(found, { failing: false, isStopped });
      if (again.isFull) return { started: again.started, more: false };
      started = again.started;
    }
    const now = clock.now();
    searchNow = false;
    found = [];
    queues.prune();
    searchAt = (await soonest({}))?.at ?? Infinity;
    if (searchAt > now) return { started, more: false };
    searchAt = Infinity;
    const due = await search(now);
    const fresh = await claim(due, { failing: true, isStopped });
    if (fresh.isFull) {
      // After each result, more deliveries of the same endpoints can be claimed.
      found = due;
      searchAt = now + SEARCH_MS;
    } else if (fresh.started === 0) {
      searchAt = (await nextDueAt(store.db, now)) ?? Infinity;
    }
    return { started: started + fresh.started, more: !fresh.isFull && fresh.started > 0 };
  }

  return Object.freeze({
    look: inTurn(look),
    searchNext: () => void (searchNow = true),
    nextAt: async () => (searchAt === Infinity ? undefined : searchAt),
  });
}

/** Sends one claimed delivery and passes its result on; never throws. */
function makeSend(
  { clock, log, random = Math.random, crash = () => {} }: DeliveryDeps,
  attempt: Attempt,
  { queues, results }: Readonly<{ queues: EndpointQueues; results: Results }>,
) {
  async function resultOf(delivery: Claimed): Promise<DeliveryResult> {
    if (delivery.event_id === null) return { ...noResponse('interrupted'), final: true };
    if (delivery.body === undefined) return { ...noResponse('the event is no longer kept'), final: true };
    if (delivery.interrupted >= MOST_INTERRUPTIONS) return noResponse('interrupted');
    const { id: deliveryId, event_type: event, body, endpoint } = delivery;
    const result = await attempt({ endpoint, event, body, deliveryId, repeat: true });
    crash('delivery.sent');
    return result;
  }

  return async function send(delivery: Claimed): Promise<void> {
    let result: DeliveryResult | undefined;
    try {
      crash('delivery.claimed');
      result = await resultOf(delivery);
    } catch (error) {
      log.error({ error, delivery: delivery.id }, 'a delivery was interrupted; it is sent again when its lease ends');
    }
    queues.answered(delivery.endpoint.id, result?.final ? undefined : result?.ok);
    if (result) results.add(conclude(delivery, result, clock.now(), random));
    else queues.end(delivery.endpoint.id, delivery.id);
  };
}

/** Finds endpoints with due deliveries, and fails the deliveries of deactivated ones. */
function makeSearch({ store, clock }: DeliveryDeps) {
  const dueEndpoints = makeDue(store.db);
  return async function search(now: number): Promise<readonly DueEndpoint[]> {
    const endpoints = await dueEndpoints(now);
    // Deliveries left by a crash, or committed while their endpoint was being deactivated.
    for (const { id } of endpoints.filter(({ off }) => off)) {
      await store.write((tx) => failPending(tx.db, id, ENDPOINT_INACTIVE, clock.now(), SWEEP_STEP));
    }
    return endpoints.filter(({ open }) => open);
  };
}
