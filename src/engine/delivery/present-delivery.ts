import type { AttemptRow, DeliveryDetailRow, DeliveryRow } from '#db/delivery/deliveries.ts';
import type { EndpointRow } from '#db/delivery/endpoints.ts';
import type { LogEntry } from '#db/store/tx.ts';
import { isoTime } from '#kernel/clock.ts';

export type Webhook = ReturnType<typeof webhookOf>;
export type DeliveryDetail = ReturnType<typeof detailOf>;

export function webhookOf(row: EndpointRow) {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    is_active: row.is_active === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function deliveryOf(row: DeliveryRow) {
  return {
    id: row.id,
    event_type: row.event_type,
    status: row.status,
    attempt_count: row.attempt_count,
    created_at: isoTime(row.created_at),
    description: row.description,
    response_status_code: row.response_status_code,
    response_duration_ms: row.response_duration_ms,
  };
}

/** Signs a body with a timestamp and returns the headers of the request. */
export type Sign = (body: string, timestamp: number) => Readonly<Record<string, string>>;

/** The payload, and the headers that sign it, are null once the event has been deleted. */
export function detailOf(row: DeliveryDetailRow, attempts: readonly AttemptRow[], sign: Sign) {
  const body = row.body ?? row.event_body;
  return {
    ...deliveryOf(row),
    endpoint_id: row.endpoint_id,
    // While it is being sent, `run_at` is the end of the lease.
    next_attempt_at: row.status === 'pending' && row.lease_token === null ? isoTime(row.run_at) : null,
    error_message: row.error_message,
    payload: body === null ? null : (JSON.parse(body) as unknown),
    attempts: attempts.map((attempt) => ({
      attempt_number: attempt.attempt_number,
      status_code: attempt.status_code,
      duration_ms: attempt.duration_ms,
      response_body: attempt.response_body,
      error_message: attempt.error_message,
      created_at: isoTime(attempt.created_at),
      request_headers: body === null || attempt.signed_at === null ? null : sign(body, attempt.signed_at),
    })),
  };
}

/** The error of deliveries that were pending when their endpoint was deactivated. */
export const ENDPOINT_INACTIVE = 'endpoint inactive';

const SUMMARIES = Object.freeze({
  created: 'Endpoint made for',
  updated: 'Endpoint changed for',
  deleted: 'Endpoint removed for',
  retried: 'Delivery sent again to',
  replayed: 'Events sent again to',
});

/** A log entry about an endpoint: only the host, as a URL may hold a secret. */
export function endpointEntry(
  { id, workspace_id, url }: Pick<EndpointRow, 'id' | 'workspace_id' | 'url'>,
  done: keyof typeof SUMMARIES,
  metadata: Readonly<Record<string, unknown>> = {},
): LogEntry {
  return {
    workspaceId: workspace_id,
    category: 'webhook',
    action: done,
    status: 'success',
    resourceId: id,
    summary: `${SUMMARIES[done]} ${new URL(url).host}`,
    metadata,
  };
}
