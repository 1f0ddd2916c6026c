import type { Generated } from 'kysely';
import type { Flag, Json } from './column.ts';

/** An account removed by a data-deletion request, and the event that reported the removal. */
export type Erased = Readonly<{ id: string; workspace_id: string; told: string }>;

/** Pushes from platforms, stored as they were received until they are processed. */
export type PushesTable = {
  id: string;
  platform: string;
  network: string;
  path: string;
  headers: Json<Readonly<Record<string, string>>>;
  /** The signed bytes in base64. */
  body: string;
  /** The account whose own address received it; null if it came to the address of an app. */
  account_id: string | null;
  received_at: number;
  attempts: Generated<number>;
  /** For a data-deletion request, the removed accounts of which something may be left. */
  erases: Json<readonly Erased[]> | null;
};

/** Push subscriptions. No foreign key, because those of removed accounts still have to be ended. */
export type SubscriptionsTable = {
  account_id: string;
  /** The path of the account's own address; null if the app has one address for all. */
  path: string | null;
  secret: string | null;
  /** The callback URL that it was created with. */
  callback: string;
  until: number | null;
  /** What the connector stores for itself. */
  kept: Json<unknown> | null;
  state: 'pending' | 'active' | 'ended';
  /** Whether the account was polled after the subscription was created. */
  caught_up: Flag;
  made_at: number;
};
