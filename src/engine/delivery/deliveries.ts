import {
  attemptsOf,
  countDeliveries,
  eventsToReplay,
  findDelivery,
  insertDeliveries,
  listDeliveries,
  type DeliveryDetailRow,
  type NewDelivery,
} from '#db/delivery/deliveries.ts';
import { recordResults, type Claimed } from '#db/delivery/queue.ts';
import { historyStart } from '#db/delivery/sweep.ts';
import type { EndpointRow } from '#db/delivery/endpoints.ts';
import type { DeliveryStatus } from '#db/schema/database.ts';
import { sealContext } from '#db/schema/sealed.ts';
import type { Db } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { byCreation, type PageQuery, type Position } from '#kernel/pagination.ts';
import { leaseMs, type Attempt } from './attempt.ts';
import { endpointIn } from './endpoints.ts';
import type { DeliveryDeps } from './ports.ts';
import { deliveryOf, detailOf, endpointEntry, type DeliveryDetail, type Sign } from './present-delivery.ts';
import { conclude, logOf } from './results.ts';
import { headersOf } from './signed-request.ts';
import { readEventType, readPayload, readReplayEvents, refuseReversed } from './validate.ts';

const REPLAY_STEP = 500;

export type DeliveryQuery = PageQuery &
  Readonly<{ status?: DeliveryStatus | undefined; event_type?: string | undefined }>;

function refuseInactive(endpoint: EndpointRow): void {
  if (endpoint.is_active === 0)
    fail('resource.conflict', {
      message: 'This endpoint is switched off.',
      next: 'Switch it on with update_webhook (is_active).',
      meta: { resource: 'webhook', id: endpoint.id },
    });
}

async function deliveryIn(db: Db, authority: Authority, endpointId: string, id: string): Promise<DeliveryDetailRow> {
  const row = await findDelivery(db, authority, endpointId, id);
  return row ?? noSuch('delivery', id);
}

export function makeDeliveries({ store, clock, lists, sealer, prefixes, userAgent }: DeliveryDeps) {
  const signerOf =
    (endpoint: EndpointRow, { id, event_id, event_type }: DeliveryDetailRow): Sign =>
    (body, timestamp) =>
      headersOf({
        prefixes,
        userAgent,
        secret: sealer.open(endpoint.secret, sealContext('endpoints', endpoint.id)),
        timestamp: String(timestamp),
        event: event_type,
        body,
        deliveryId: event_id === null ? undefined : id,
      });

  async function get(authority: Authority, webhookId: string, deliveryId: string): Promise<DeliveryDetail> {
    const endpoint = await endpointIn(store.db, authority, webhookId);
    const row = await deliveryIn(store.db, authority, webhookId, deliveryId);
    return detailOf(row, await attemptsOf(store.db, authority, deliveryId), signerOf(endpoint, row));
  }

  return Object.freeze({
    get,

    /** Lists the newest first; `count` is the total over all pages. */
    async list(authority: Authority, webhookId: string, query: DeliveryQuery) {
      const { status, event_type } = query;
      return lists.page(query, {
        name: 'deliveries',
        given: { webhook_id: webhookId, status, event_type },
        async read(filters, span) {
          await endpointIn(store.db, authority, webhookId);
          return listDeliveries(store.db, authority, webhookId, filters, span);
        },
        position: byCreation,
        show: (rows) => rows.map(deliveryOf),
        extra: async (filters) => ({ count: await countDeliveries(store.db, authority, webhookId, filters) }),
      });
    },

    /** Creates a new delivery of the same event; the original one stays. */
    async retry(authority: Authority, webhookId: string, deliveryId: string): Promise<DeliveryDetail> {
      const now = clock.now();
      const id = newId('dlv', now);
      return store.write(async (tx) => {
        const endpoint = await endpointIn(tx.db, authority, webhookId);
        const first = await deliveryIn(tx.db, authority, webhookId, deliveryId);
        if (first.event_id === null)
          fail('resource.conflict', {
            message: 'A test delivery cannot be sent again.',
            next: 'Send another with test_webhook.',
            meta: { resource: 'delivery', id: deliveryId },
          });
        refuseInactive(endpoint);
        if (first.event_body === null) {
          fail('resource.conflict', {
            message: 'The event of this delivery has been purged.',
            next: 'Read what happened since with list_events.',
            meta: { resource: 'delivery', id: deliveryId },
          });
        }
        const { event_id, event_type, workspace_id } = first;
        const description = `Retry of ${deliveryId}`;
        const rest = { created_at: now, run_at: now, description };
        await insertDeliveries(tx.db, [{ id, workspace_id, endpoint_id: webhookId, event_id, event_type, ...rest }]);
        await tx.log(endpointEntry(endpoint, 'retried', { delivery_id: id, retry_of: deliveryId, event_type }));
        tx.signal('deliveries');
        const row = await deliveryIn(tx.db, authority, webhookId, id);
        const made = detailOf(row, [], signerOf(endpoint, row));
        await tx.key?.record(made);
        return made;
      });
    },
  });
}

/** Sends a caller's payload to an endpoint, active or not. Makes one attempt, stored before and after it. */
export function makeTestDelivery({ store, clock, deadlineMs, random = Math.random }: DeliveryDeps, attempt: Attempt) {
  return async function test(
    authority: Authority,
    webhookId: string,
    input: Readonly<{ event_type?: unknown; payload?: unknown }>,
  ) {
    const event_type = readEventType(input.event_type);
    const body = readPayload(input.payload);
    const endpoint = await endpointIn(store.db, authority, webhookId);
    const now = clock.now();
    const row: NewDelivery & Readonly<{ lease_token: string }> = {
      id: newId('dlv', now),
      workspace_id: authority.workspace,
      endpoint_id: webhookId,
      event_id: null,
      event_type,
      body,
      description: 'Test delivery',
      created_at: now,
      run_at: now + leaseMs(deadlineMs),
      lease_token: store.process.newToken(),
    };
    await store.write((tx) => insertDeliveries(tx.db, [row]));
    const outcome = await attempt({ endpoint, event: event_type, body, repeat: false });
    const delivery: Claimed = { ...row, endpoint, token: row.lease_token, body, attempt_count: 0, interrupted: 0 };
    const finished = conclude(delivery, outcome, clock.now(), random);
    await store.write(async (tx) => {
      const recorded = await recordResults(tx.db, store.dialect, [finished.result]);
      if (recorded.length > 0) await tx.log(logOf(finished));
    });
    return {
      status: outcome.ok ? ('delivered' as const) : ('failed' as const),
      response_status_code: outcome.status_code ?? 0,
      response_duration_ms: outcome.duration_ms,
      response_body: outcome.response_body,
      error_message: outcome.error_message,
      delivery_id: row.id,
    };
  };
}

export type ReplayInput = Readonly<{
  since: number;
  until?: number | undefined;
  events?: readonly string[] | undefined;
}>;

/** The progress of a replay: what it sends, how many so far, and up to which event. */
export type Replayed = Readonly<{
  filter: Readonly<{ since: number; until: number; names: readonly string[] }>;
  replayed: number;
  after?: Position | undefined;
  over: boolean;
}>;

/** Delivers recorded events again, oldest first, by default those the endpoint subscribes to. */
export function makeReplay({ store, clock }: DeliveryDeps) {
  async function begin(authority: Authority, webhookId: string, input: ReplayInput): Promise<Replayed> {
    const now = clock.now();
    const until = Math.min(input.until ?? now, now);
    const names = readReplayEvents(input.events);
    refuseReversed(input.since, until);
    const endpoint = await endpointIn(store.db, authority, webhookId);
    refuseInactive(endpoint);
    const since = Math.max(input.since, await historyStart(store.db, authority, now));
    return { filter: { since, until, names: names ?? endpoint.events }, replayed: 0, over: false };
  }

  return async function replay(authority: Authority, webhookId: string, input: ReplayInput | Replayed) {
    const now = clock.now();
    let done = 'filter' in input ? input : await begin(authority, webhookId, input);
    const { filter } = done;
    while (!done.over) {
      const { replayed, after } = done;
      done = await store.write(async (tx) => {
        // If the endpoint was deactivated or removed since, the rest is not sent.
        const current = await endpointIn(tx.db, authority, webhookId);
        if (current.is_active === 0) return { ...done, over: true };
        const events = await eventsToReplay(tx.db, authority, filter, { limit: REPLAY_STEP, after });
        await insertDeliveries(
          tx.db,
          events.map((event) => ({
            id: newId('dlv', now),
            workspace_id: authority.workspace,
            endpoint_id: webhookId,
            event_id: event.id,
            event_type: event.name,
            description: `Replay of ${event.id}`,
            created_at: now,
            run_at: now,
          })),
        );
        const last = events.at(-1);
        const sum = replayed + events.length;
        const over = events.length < REPLAY_STEP;
        if (over) await tx.log(endpointEntry(current, 'replayed', { replayed: sum }));
        tx.signal('deliveries');
        const next = { filter, replayed: sum, after: last && { at: last.created_at, id: last.id }, over };
        await tx.key?.record(next);
        return next;
      });
    }
    return { replayed: done.replayed, since: isoTime(filter.since), until: isoTime(filter.until) };
  };
}
