import { within } from '../../kernel/clock.ts';
import { nextDueAt, type DueEndpoint } from '../../../db/delivery/due.ts';
import { claimDeliveries, failPending, type Claimed } from '../../../db/delivery/queue.ts';
import { SWEEP_STEP } from '../../../db/delivery/sweep.ts';
import { randomHex } from '../../kernel/ids.ts';
import { DEADLINE_MS, noResponse, type Attempt, type DeliveryResult } from './attempt.ts';
import { makeDue } from './due.ts';
import { makeLanes } from './lanes.ts';
import { UNFLUSHED, type DeliveryDeps, type DeliveryLimits } from './ports.ts';
import { conclude, makeResults } from './results.ts';
import { MOST_INTERRUPTIONS } from './schedule.ts';

export const ENDPOINT_INACTIVE = 'endpoint inactive';

const LIMITS: DeliveryLimits = Object.freeze({ slots: 16, sockets: 512, group: 64 });
const LOOK_MS = 1000;
/** While the endpoints found due take all they may, the store is searched for others that became due this often. */
const SEARCH_MS = 100;
/** A look that is this late means that the loop has stopped. */
const STALE_MS = 15_000;
const DRAIN_MS = 20_000;
/** Beyond two requests at their deadlines: the time to write the result down. */
const LEASE_MARGIN_MS = 10_000;

/** The lease of one attempt. */
export function leaseMs(deadlineMs = DEADLINE_MS): number {
  return 2 * deadlineMs + LEASE_MARGIN_MS;
}

/** Takes due deliveries, sends them and writes down how it went (rulings §4). */
export function makeLoop(deps: DeliveryDeps, attempt: Attempt) {
  const { store, clock, log, random = Math.random, crash = () => {} } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const lanes = makeLanes(limits);
  const dueEndpoints = makeDue(store.db);
  const results = makeResults(deps, lanes, limits.group, () => wake());
  const underWay = new Set<Promise<void>>();
  let running = false;
  let stopping = false;
  /** The endpoints that may have more due deliveries, as the last search found them. */
  let found: readonly DueEndpoint[] = [];
  let searchAgain = true;
  let looking: Promise<number> | undefined;
  let lookAgain = false;
  let lastLook = clock.now();
  let disarm = () => {};
  let unlisten = () => {};

  async function outcomeOf(delivery: Claimed): Promise<DeliveryResult> {
    if (delivery.event_id === null) return { ...noResponse('interrupted'), final: true };
    if (delivery.body === undefined) return { ...noResponse('the event is no longer kept'), final: true };
    if (delivery.interrupted >= MOST_INTERRUPTIONS) return noResponse('interrupted');
    const { id: deliveryId, event_type: event, body, endpoint } = delivery;
    const outcome = await attempt({ endpoint, event, body, deliveryId, repeat: true });
    crash('delivery.sent');
    return outcome;
  }

  async function carry(delivery: Claimed): Promise<void> {
    let outcome: DeliveryResult | undefined;
    try {
      crash('delivery.claimed');
      outcome = await outcomeOf(delivery);
    } catch (error) {
      log.error({ error, delivery: delivery.id }, 'a delivery was cut short; it is sent again when its lease ends');
    }
    lanes.answered(delivery.endpoint.id, outcome?.final ? undefined : outcome?.ok);
    if (outcome) results.add(conclude(delivery, outcome, clock.now(), random));
    else lanes.end(delivery.endpoint.id, delivery.id);
  }

  async function claimAndStart(due: readonly DueEndpoint[], shares: ReadonlyMap<string, number>): Promise<number> {
    const endpoints = new Map(due.map((endpoint) => [endpoint.id, endpoint]));
    const most = limits.group;
    let started = 0;
    for (let left = shares; left.size > 0 && !stopping;) {
      const now = clock.now();
      const leaseUntil = now + leaseMs(deps.deadlineMs);
      const request = { shares: left, most, now, leaseUntil, token: randomHex(16), busy: lanes.busy() };
      const claim = await store.write((tx) => claimDeliveries(tx.db, store.dialect, request), UNFLUSHED);
      left = claim.left;
      started += claim.claimed.length;
      for (const delivery of claim.claimed) {
        lanes.begin(endpoints.get(delivery.endpoint.id)!, delivery.id);
        const work = carry(delivery).finally(() => underWay.delete(work));
        underWay.add(work);
      }
    }
    return started;
  }

  /** What a crash, or an event committed at the same moment, left pending at an endpoint that is off. */
  async function tidy(off: readonly DueEndpoint[]): Promise<void> {
    for (const { id } of off) {
      await store.write(async (tx) => {
        await failPending(tx.db, id, ENDPOINT_INACTIVE, clock.now(), SWEEP_STEP);
      });
    }
  }

  async function search(now: number): Promise<readonly DueEndpoint[]> {
    lanes.prune();
    const endpoints = await dueEndpoints(now);
    await tidy(endpoints.filter((endpoint) => endpoint.off));
    return endpoints.filter((endpoint) => endpoint.open);
  }

  async function look(): Promise<number> {
    let started = 0;
    lastLook = clock.now();
    while (!stopping) {
      const now = clock.now();
      const searching = searchAgain || found.length === 0;
      searchAgain = false;
      if (searching) found = await search(now);
      // Endpoints that fail, whose handshakes cost most, wait for the next search while others are busy.
      const shares = lanes.shares(found, { failing: searching });
      const wanted = [...shares.values()].reduce((sum, share) => sum + share, 0);
      const claimed = await claimAndStart(found, shares);
      started += claimed;
      if (wanted > 0 && claimed === wanted) {
        // Each answer claims more of the same.
        if (searching) arm(SEARCH_MS);
        break;
      }
      found = [];
      if (claimed === 0 && searching) {
        const next = await nextDueAt(store.db, now);
        arm(next === undefined ? LOOK_MS : next - now);
        break;
      }
    }
    return started;
  }

  function arm(wait: number): void {
    disarm();
    if (running) disarm = clock.after(Math.min(LOOK_MS, wait), searchAndWake);
  }

  /** One pass at a time; whoever comes meanwhile gets the pass that follows. */
  async function pass(): Promise<number> {
    while (looking) await looking.catch(() => 0);
    looking = look().finally(() => (looking = undefined));
    return looking;
  }

  async function tick(): Promise<number> {
    searchAgain = true;
    return pass();
  }

  function wake(): void {
    if (!running) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    pass()
      .catch((error: unknown) => {
        log.error({ error }, 'the deliveries that are due could not be read');
        arm(LOOK_MS);
      })
      .finally(() => {
        if (!lookAgain) return;
        lookAgain = false;
        wake();
      });
  }

  function searchAndWake(): void {
    searchAgain = true;
    wake();
  }

  async function settled(): Promise<void> {
    while (!lanes.idle()) {
      await Promise.all(underWay);
      await results.written();
    }
  }

  return Object.freeze({
    name: 'deliveries',
    tick,
    /** True while the loop looks as often as it should. */
    isAlive: () => !running || clock.now() - lastLook < STALE_MS,
    start(): void {
      if (running) return;
      running = true;
      unlisten = store.onCommit('deliveries', searchAndWake);
      searchAndWake();
    },
    /** New work stops; attempts under way may end within 20 seconds. */
    async stop(): Promise<void> {
      running = false;
      stopping = true;
      unlisten();
      disarm();
      await looking?.catch(() => 0);
      await within(clock, DRAIN_MS, settled());
    },
    /** Settles when nothing is under way and nothing is due. */
    async idle(): Promise<void> {
      while ((await tick()) > 0 || !lanes.idle()) await settled();
    },
  });
}
