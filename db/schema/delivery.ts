import type { Generated } from 'kysely';
import type { EventName } from '#kernel/events.ts';
import type { Flag, Json, JsonObject } from './column.ts';

/** Tables of events and their deliveries. The conventions are those of database.ts. */
export type DeliveryTables = {
  events: EventsTable;
  log: LogTable;
  endpoints: EndpointsTable;
  endpoint_events: EndpointEventsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  delivery_counts: DeliveryCountsTable;
};

/** Every catalogue event, with the exact body any endpoint receives. */
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
  /** Where the entry stands in the order of commits (db/store/dialect.ts); the order a reader of the stream goes by. */
  position: Generated<number>;
  /** What an event is about: the word before the dot of its name. */
  kind: string | null;
};

type EndpointsTable = {
  id: string;
  workspace_id: string;
  /** Without user and password: three stars stand for each. */
  url: string;
  /** User and password of the address, sealed. */
  credentials: string | null;
  secret: string;
  secret_hint: string;
  is_active: Flag;
  /** Slots the endpoint may use at once: 16, 1 after a failure, doubling per success. */
  slots: number;
  failing: Flag;
  /** Set by its removal: it is gone for everyone but the sweep, which takes its history away step by step. */
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
  /** Only of test sends; all others send the body of their event. */
  body: string | null;
  status: DeliveryStatus;
  attempt_count: number;
  /** When the next attempt is due; while one is under way, when its lease ends; far future once final. */
  run_at: number;
  lease_token: string | null;
  /** Sends of the present attempt that a crash cut short. */
  interrupted: number;
  description: string | null;
  /** Why the last attempt had no response, or why there is no further one. */
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
};

/**
 * How many deliveries of an endpoint and UTC day were made, and how many of them ended how. What is pending is the
 * rest: so the transaction that makes a delivery and the one that ends it never wait for the same counter.
 */
type DeliveryCountsTable = {
  endpoint_id: string;
  day: number;
  event_type: string;
  status: 'made' | 'delivered' | 'failed';
  n: number;
};
