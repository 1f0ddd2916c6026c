import type { Generated } from 'kysely';
import type { EventName } from '#kernel/events.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of events and their deliveries. Conventions are in database.ts. */
export type DeliveryTables = {
  events: EventsTable;
  log: LogTable;
  endpoints: EndpointsTable;
  endpoint_events: EndpointEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  delivery_counts: DeliveryCountsTable;
};

/** Every event, with the exact body that endpoints receive. */
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
  /** The position in commit order, by which readers follow the log (db/store/dialect.ts). */
  position: Generated<number>;
  /** The first word of the event's name. */
  kind: string | null;
};

type EndpointsTable = {
  id: string;
  workspace_id: string;
  /** A user name and password in the URL are each replaced by three stars. */
  url: string;
  /** The user name and password of the URL, encrypted. */
  credentials: string | null;
  secret: string;
  secret_hint: string;
  is_active: Flag;
  /** How many deliveries may run at once: 16, or 1 after a failure, doubled with each success. */
  slots: number;
  failing: Flag;
  /** Set when the endpoint is removed. Only the sweep that deletes its history still sees it. */
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
  /** The body of a test send; null for others, which send the body of their event. */
  body: string | null;
  status: DeliveryStatus;
  attempt_count: number;
  /** When the next attempt is due. While one runs, the end of its lease; after the last, far in the future. */
  run_at: number;
  lease_token: string | null;
  /** How often a crash interrupted the current attempt. */
  interrupted: number;
  description: string | null;
  /** Why the last attempt got no response, or why there will be no further attempt. */
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
  /** The Unix seconds in the signature; null if no request was sent. */
  signed_at: number | null;
};

/** Deliveries created and finished per endpoint and UTC day. The difference is pending, so writers never collide. */
type DeliveryCountsTable = {
  endpoint_id: string;
  day: number;
  event_type: string;
  status: 'made' | 'delivered' | 'failed';
  n: number;
};
