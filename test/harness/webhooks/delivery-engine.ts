import { openStore, type StoreOptions } from '#db/store/open.ts';
import { authorityOver } from '#kernel/authority.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { makeDelivery, type DeliveryDeps } from '#engine/delivery/index.ts';
import { systemClock, type Clock } from '#kernel/clock.ts';
import type { EventName } from '#kernel/events.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makeOutbound, type OutboundOptions } from '#kernel/net/request.ts';
import { makeSealer } from '#kernel/seal.ts';
import { addWorkspace } from '../worlds/rows.ts';
import { lists } from '../lists.ts';

export type EngineOptions = Readonly<{
  place: StoreOptions;
  clock?: Clock;
  outbound?: Partial<OutboundOptions>;
  /** What is not as in the product; `send` may look at what goes out. */
  deps?: Partial<DeliveryDeps>;
  send?: (send: DeliveryDeps['outbound']['send']) => DeliveryDeps['outbound']['send'];
  /** Called after each transaction of the engine's own. */
  worked?: () => unknown;
  /** One that is in the store already. */
  workspace?: string;
}>;

export type Engine = Awaited<ReturnType<typeof openEngine>>;

const EMITTED_AT_ONCE = 200;

/** The delivery room as the product has it, over a real store and the real client, and nothing else around it. */
export async function openEngine(options: EngineOptions) {
  const { place, clock = systemClock, deps, send = (bare) => bare, worked = () => {} } = options;
  const store = productStore(await openStore(place), clock);
  const outbound = makeOutbound({
    allowPrivate: ['127.0.0.0/8', '::1/128'],
    ownPort: () => undefined,
    trustedOrigins: () => [],
    userAgent: 'rostra/test',
    ...options.outbound,
  });
  const write: typeof store.write = async (fn, how) => {
    const result = await store.write(fn, how);
    worked();
    return result;
  };
  const delivery = makeDelivery({
    store: { ...store, write },
    lists,
    outbound: { ...outbound, send: send(outbound.send) },
    clock,
    sealer: makeSealer(['ab'.repeat(32)]),
    log: makeLog({ level: 'silent' }),
    meter: makeMeter(),
    prefixes: ['X-Service', 'X-SocialAPI'],
    userAgent: 'rostra/test',
    ...deps,
  });
  const workspace = options.workspace ?? (await addWorkspace(store, clock.now())).id;
  const authority = authorityOver(workspace);

  return Object.freeze({
    store,
    clock,
    outbound,
    delivery,
    workspace,
    authority,
    endpoint: (url: string, events: readonly EventName[]) => delivery.endpoints.create(authority, { url, events }),
    /** Emits events as their causes do, several in one transaction, and answers their ids. */
    async emit(amount: number, name: EventName): Promise<string[]> {
      const ids: string[] = [];
      while (ids.length < amount) {
        const group = Math.min(amount - ids.length, EMITTED_AT_ONCE);
        const made = await store.write(async (tx) => {
          const one = async (at: number) => {
            const data = { brand_id: 'brd_1', post_id: `post_${ids.length + at}`, was_status: 'draft' };
            return tx.emit({ name, workspaceId: workspace, brandId: 'brd_1', data, summary: 'told' });
          };
          const emitted: string[] = [];
          for (let at = 0; at < group; at += 1) emitted.push(await one(at));
          return emitted;
        });
        ids.push(...made);
      }
      return ids;
    },
    async close(): Promise<void> {
      await delivery.stop();
      await outbound.close();
      await store.close();
    },
  });
}
