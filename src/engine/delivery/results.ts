import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordResults, type Claimed, type Result } from '#db/delivery/queue.ts';
import { saveEndpointPace } from '#db/delivery/endpoints.ts';
import type { LogEntry } from '#db/store/tx.ts';
import { sleep } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { retryWrite } from '../jobs/retry-write.ts';
import type { DeliveryResult } from './attempt.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { UNFLUSHED, type DeliveryDeps } from './ports.ts';
import { waitAfter } from './schedule.ts';
import { counted } from '#kernel/people/counted.ts';

const TRIES = 5;
const PAUSE_MS = 1000;

export type Finished = Readonly<{ delivery: Claimed; outcome: DeliveryResult; result: Result }>;

export type Results = ReturnType<typeof makeResults>;

/** The delivery's state after an attempt: docs/contract/states.md#deliveries. Test deliveries have one attempt. */
export function conclude(delivery: Claimed, outcome: DeliveryResult, now: number, random: () => number): Finished {
  const { ok, final, ...result } = outcome;
  const attempt_number = delivery.attempt_count + 1;
  const wait = delivery.event_id === null || final ? undefined : waitAfter(attempt_number, random);
  const undelivered = wait === undefined ? 'failed' : 'pending';
  return {
    delivery,
    outcome,
    result: {
      delivery: { ...delivery, endpoint_id: delivery.endpoint.id },
      attempt: { id: newId('att', now), attempt_number, created_at: now, ...result },
      status: ok ? 'delivered' : undelivered,
      run_at: now + (wait ?? 0),
    },
  };
}

export function logOf({ delivery, outcome, result }: Finished): LogEntry {
  const { endpoint } = delivery;
  const { host } = new URL(endpoint.url);
  const kind = delivery.event_id === null ? 'Test delivery' : 'Delivery';
  const attempts = result.attempt.attempt_number;
  const ending = outcome.ok ? 'arrived' : `failed after ${counted(attempts, 'attempt')}`;
  const category = outcome.status_code === null ? 'network' : 'receiver';
  return {
    workspaceId: endpoint.workspace_id,
    category: 'webhook',
    action: 'delivery',
    status: outcome.ok ? 'success' : 'failed',
    resourceId: endpoint.id,
    summary: `${kind} of ${delivery.event_type} to ${host} ${ending}`,
    durationMs: outcome.duration_ms,
    statusCode: outcome.status_code ?? undefined,
    errorCategory: outcome.ok ? undefined : category,
    errorMessage: outcome.error_message ?? undefined,
    metadata: { webhook_id: endpoint.id, delivery_id: delivery.id, event_type: delivery.event_type, attempts },
  };
}

/** Writes results in groups: those that arrive during a commit share the next one, so no timer is needed. */
export function makeResults(
  { store, clock, log, meter, crash = () => {} }: DeliveryDeps,
  queues: EndpointQueues,
  group: number,
  afterCommit: () => void,
) {
  const waiting: Finished[] = [];
  let writing: Promise<void> | undefined;

  async function commit(finished: readonly Finished[]): Promise<void> {
    const paces = queues.unsaved(new Set(finished.map(({ delivery }) => delivery.endpoint.id)));
    const recorded = await store.write(async (tx) => {
      const kept = new Set(
        await recordResults(
          tx.db,
          store.dialect,
          finished.map(({ result }) => result),
        ),
      );
      for (const entry of finished) {
        if (entry.result.status === 'failed' && kept.has(entry.result)) await tx.log(logOf(entry));
      }
      for (const { id, pace } of paces) await saveEndpointPace(tx.db, id, pace.slots, pace.failing);
      return kept;
    }, UNFLUSHED);
    for (const entry of finished) if (recorded.has(entry.result)) tell(entry);
    for (const { id, pace, wasFailing } of paces) {
      if (pace.failing && !wasFailing) log.warn({ webhook_id: id }, 'a webhook endpoint is failing');
      if (!pace.failing && wasFailing) log.info({ webhook_id: id }, 'a webhook endpoint works again');
      queues.saved(id, pace);
    }
    crash('delivery.committed');
  }

  function tell({ delivery, outcome, result }: Finished): void {
    const ending = result.status === 'pending' ? 'retried' : result.status;
    meter.count('deliveries', [ending]);
    meter.time('deliveryTime', [], outcome.duration_ms / 1000);
    if (ending !== 'failed') return;
    const { endpoint, id, event_type } = delivery;
    const fields = { webhook_id: endpoint.id, workspace_id: endpoint.workspace_id, delivery_id: id, event: event_type };
    const tries = { attempts: result.attempt.attempt_number, status: outcome.status_code ?? undefined };
    log.warn({ ...fields, ...tries, why: outcome.error_message ?? undefined }, 'a webhook delivery was given up');
  }

  async function patiently(finished: readonly Finished[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await retryWrite(clock, () => commit(finished));
      } catch (error) {
        log.error({ error, deliveries: finished.length }, 'results of deliveries could not be written');
        // The leases expire and the attempts are repeated, which at-least-once delivery allows.
        if (tries === TRIES) return;
      }
      await sleep(clock, PAUSE_MS);
    }
  }

  async function write(): Promise<void> {
    await nextTurn();
    while (waiting.length > 0) {
      const finished = waiting.splice(0, group);
      await patiently(finished);
      for (const { delivery } of finished) queues.end(delivery.endpoint.id, delivery.id);
    }
    writing = undefined;
    afterCommit();
  }

  return Object.freeze({
    add(finished: Finished): void {
      waiting.push(finished);
      writing ??= write();
    },
    /** Resolves when everything added so far is written. */
    written: () => writing ?? Promise.resolve(),
  });
}
