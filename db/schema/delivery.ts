import type { Generated } from 'kysely';
import type { EventName } from '#kernel/events.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of events and their deliveries; conventions: database.ts. */
export type DeliveryTables = {
  events: EventsTable;
  log: LogTable;
  endpoints: EndpointsTable;
  endpoint_events: EndpointEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  delivery_counts: DeliveryCountsTable;
};

/** Every catalogue event, with the exact body endpoints receive. */
type EventsTable = {
  id: string;
  workspace_id: string;
  name: EventName;
  brand_id: string | null;
  body: string;
  created_at: number;
};

export type LogCategory = 'post' | 'webhook' | 'inbox' | 'api' | 'account';

type LogTable = {
  id: string;
  workspace_id: string;
  category: LogCategory;
  action: string;
  status: 'success' | 'failed' | 'pending' | 'skipped';
  platform: string | null;
  account_id: string | null;
  resource_id: string | null;
  summary: string;
  duration_ms: number | null;
  status_code: number | null;
  error_category: string | null;
  error_message: string | null;
  metadata: Json<JsonObject>;
  created_at: number;
  /** The position in commit order, which stream readers follow (db/store/dialect.ts). */
  position: Generated<number>;
  /** The first word of the event's name. */
  kind: string | null;
};

type EndpointsTable = {
  id: string;
  workspace_id: string;
  /** Without user and password, each replaced by three stars. */
  url: string;
  /** Its user and password, encrypted. */
  credentials: string | null;
  secret: string;
  secret_hint: string;
  is_active: Flag;
  /** Concurrent slots: 16, 1 after a failure, doubling per success. */
  slots: number;
  failing: Flag;
  /** Set by its removal: invisible, except to the sweep that removes its history. */
  removed_at: number | null;
  created_at: number;
  updated_at: number;
};

type EndpointEventsTable = { endpoint_id: string; event: string; workspace_id: string; position: number };

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

type DeliveriesTable = {
  id: string;
  workspace_id: string;
  endpoint_id: string;
  event_id: string | null;
  event_type: string;
  /** For test sends; others send the body of their event. */
  body: string | null;
  status: DeliveryStatus;
  attempt_count: number;
  /** Due time of the next attempt; the lease's end while one runs; far future once final. */
  run_at: number;
  lease_token: string | null;
  /** Sends of the current attempt that a crash interrupted. */
  interrupted: number;
  description: string | null;
  /** Why the last attempt had no response, or there is no further one. */
  error_message: string | null;
  response_status_code: number | null;
  response_duration_ms: number | null;
  created_at: number;
};

type DeliveryAttemptsTable = {
  id: string;
  delivery_id: string;
  attempt_number: number;
  status_code: number | null;
  duration_ms: number;
  response_body: string | null;
  error_message: string | null;
  created_at: number;
  /** The Unix seconds that its signature holds; null if no request left. */
  signed_at: number | null;
};

/** Deliveries made and ended per endpoint and UTC day; pending ones are the rest, so writers never collide. */
type DeliveryCountsTable = {
  endpoint_id: string;
  day: number;
  event_type: string;
  status: 'made' | 'delivered' | 'failed';
  n: number;
};
