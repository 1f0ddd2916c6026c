import { HOUR } from '#kernel/clock.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { DeliveryStatus } from '#db/schema/database.ts';
import { authorityOver } from '#kernel/authority.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import { makeDelivery, type DeliveryDeps } from '#engine/delivery/index.ts';
import { ApiError } from '#kernel/errors.ts';
import type { EventName } from '#kernel/events.ts';
import { newId } from '#kernel/ids.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import type { PlanTier } from '#kernel/plans.ts';
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '#kernel/net/request.ts';
import { makeSealer } from '#kernel/seal.ts';
import { fakeClock } from '../clock.ts';
import type { Stores } from '../stores/stores.ts';
import { addWorkspace } from './rows.ts';
import { lists } from '../lists.ts';

export const START = Date.UTC(2026, 10, 21, 9, 30);

export type Answer = number | OutboundError | Partial<OutboundAnswer>;
export type Receiver = (request: OutboundRequest, count: number) => Answer | Promise<Answer>;

/** Receivers by host, answering in place of the network, and everything they were sent. */
function fakeNetwork() {
  const receivers = new Map<string, Receiver>();
  const sent: (OutboundRequest & { host: string; at: number })[] = [];
  const clock = { now: () => 0 };
  return {
    receivers,
    sent,
    clock,
    to: (host: string) => sent.filter((request) => request.host === host),
    outbound: {
      refusesHost: (url: URL) => url.hostname === '10.0.0.1',
      async send(request: OutboundRequest): Promise<OutboundAnswer> {
        const { host } = new URL(request.url);
        sent.push({ ...request, host, at: clock.now() });
        await turn();
        const receiver = receivers.get(host) ?? (() => 200);
        const answer = await receiver(request, sent.filter((one) => one.host === host).length);
        if (answer instanceof OutboundError) throw answer;
        const body = Buffer.from('thanks');
        const facts = { headers: {}, body, truncated: false, bytes: 6, url: String(request.url), durationMs: 7 };
        return {
          ...facts,
          fromPrivate: false,
          ...(typeof answer === 'number' ? { status: answer } : answer),
        } as OutboundAnswer;
      },
    },
  };
}

export const lost = (kind: OutboundError['kind']) => new OutboundError(kind, 'there', { sent: kind === 'reset' });

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** A store with one workspace, a clock that stands, a network that is played, and the delivery room over them. */
export async function makeWorld(stores: Stores, overrides: Partial<DeliveryDeps> = {}, plan: PlanTier = 'enterprise') {
  const clock = fakeClock(START);
  const place = await stores.place();
  const store = productStore(await stores.open(place), clock);
  const network = fakeNetwork();
  network.clock.now = clock.now;
  const sealer = makeSealer(['ab'.repeat(32)]);
  const { id: workspace } = await addWorkspace(store, clock.now(), plan);
  const deps: DeliveryDeps = {
    store,
    lists,
    outbound: network.outbound,
    clock,
    sealer,
    log: makeLog({ level: 'silent' }),
    meter: makeMeter(),
    prefixes: ['X-Service', 'X-SocialAPI'],
    userAgent: 'rostra/test',
    random: () => 0.5,
    ...overrides,
  };
  const delivery = makeDelivery(deps);
  const authority = authorityOver(workspace);

  /** An endpoint at a host of its own. */
  async function endpoint(host: string, events: readonly EventName[] = ['post.deleted']): Promise<string> {
    return (await delivery.endpoints.create(authority, { url: `https://${host}/hook`, events })).id;
  }

  /** Emits events, each in a transaction of its own, as their causes do. */
  async function emit(times = 1, name: EventName = 'post.deleted'): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < times; i += 1) {
      const data = { brand_id: 'brd_1', post_id: `post_${i}`, was_status: 'draft' };
      ids.push(
        await store.write((tx) =>
          tx.emit({ name, workspaceId: workspace, brandId: 'brd_1', data, summary: 'deleted' }),
        ),
      );
    }
    return ids;
  }

  return {
    clock,
    place,
    store,
    network,
    sealer,
    workspace,
    authority,
    deps,
    delivery,
    endpoint,
    /** An endpoint whose receiver answers as said. */
    answering(host: string, receiver: Receiver): Promise<string> {
      network.receivers.set(host, receiver);
      return endpoint(host);
    },
    emit,
    /** Emits events, and waits for what comes of them. */
    async deliver(times = 1, name: EventName = 'post.deleted'): Promise<string[]> {
      const ids = await emit(times, name);
      await delivery.idle();
      return ids;
    },
    /** Emits so many events, by default more than the 16 slots of an endpoint; its receiver holds them until it answers. */
    async occupy(host: string, events = 20) {
      const gate = held();
      network.receivers.set(host, gate.receiver);
      await emit(events);
      await delivery.tick();
      await until(() => gate.waiting.length === Math.min(events, 16));
      return gate;
    },
    update: (endpointId: string, changes: object) => delivery.endpoints.update(authority, endpointId, changes),
    rows: (endpointId: string) =>
      store.db.selectFrom('deliveries').selectAll().where('endpoint_id', '=', endpointId).orderBy('id').execute(),
    /** What the activity log says of deliveries. */
    logs: () => store.db.selectFrom('log').selectAll().where('action', '=', 'delivery').execute(),
  };
}

/** Another process on the same place: its own connection and its own engine. */
export async function secondProcess(stores: Stores, world: World, overrides: Partial<DeliveryDeps> = {}) {
  const store: Store =
    stores.kind === 'memory' ? world.store : productStore(await stores.open(world.place), world.clock);
  return makeDelivery({ ...world.deps, store, ...overrides });
}

/** Lets promises and immediates that are ready run, as long as a condition does not hold. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1_000_000; turns += 1) {
    if (await holds()) return;
    await turn();
  }
  throw new Error('it never came to be');
}

/** The counters of an endpoint against a recount of its rows. */
export async function recount(store: Store, endpointId: string) {
  const counted = await store.db
    .selectFrom('delivery_counts')
    .select(['day', 'event_type', 'status', 'n'])
    .where('endpoint_id', '=', endpointId)
    .where('n', '!=', 0)
    .execute();
  const rows = await store.db
    .selectFrom('deliveries')
    .select([sql<number>`created_at - created_at % 86400000`.as('day'), 'event_type', 'status'])
    .where('endpoint_id', '=', endpointId)
    .execute();
  const real = new Map<string, number>();
  const add = (day: number, type: string, status: DeliveryStatus | 'made') => {
    const key = `${day} ${type} ${status}`;
    real.set(key, (real.get(key) ?? 0) + 1);
  };
  for (const { day, event_type, status } of rows) {
    add(day, event_type, 'made');
    if (status !== 'pending') add(day, event_type, status);
  }
  return {
    counted: counted.map(({ day, event_type, status, n }) => `${day} ${event_type} ${status}: ${n}`).sort(),
    real: [...real].map(([key, n]) => `${key}: ${n}`).sort(),
  };
}

/** Many pending deliveries at once, as a long outage leaves them. */
export async function backlog(world: World, endpointId: string, amount: number): Promise<void> {
  const { store, clock, workspace } = world;
  const now = clock.now();
  const [event] = await world.emit(1, 'post.updated');
  const base = {
    workspace_id: workspace,
    endpoint_id: endpointId,
    event_id: event!,
    event_type: 'post.deleted',
    body: null,
    status: 'pending' as const,
    attempt_count: 0,
    interrupted: 0,
    run_at: now - HOUR,
    created_at: now - HOUR,
  };
  for (let left = amount; left > 0; left -= 500) {
    const rows = Array.from({ length: Math.min(500, left) }, () => ({ ...base, id: newId('dlv', now) }));
    await store.write(async ({ db }) => void (await db.insertInto('deliveries').values(rows).execute()));
  }
}

/** Code and field of the refusal that a call must end with. */
export async function refusal(work: Promise<unknown>): Promise<[string, unknown]> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return [(error as ApiError).code, (error as ApiError).detail.meta?.['field']];
}

/** A receiver that answers when the test says so. */
export function held() {
  const waiting: ((answer: Answer) => void)[] = [];
  return {
    receiver: () => new Promise<Answer>((resolve) => void waiting.push(resolve)),
    answer: (answer: Answer) => waiting.splice(0).forEach((resolve) => resolve(answer)),
    waiting,
  };
}
