import type { Generated } from 'kysely';
import type { Flag, Json } from './column.ts';

/** An account removed by a data-deletion request, and the event that reported it. */
export type Erased = Readonly<{ id: string; workspace_id: string; told: string }>;

/** Inbound pushes, stored as received until they are processed. */
export type PushesTable = {
  id: string;
  platform: string;
  network: string;
  path: string;
  headers: Json<Readonly<Record<string, string>>>;
  /** Base64 of the signed bytes. */
  body: string;
  /** The account whose address it came to; null at the address of an app. */
  account_id: string | null;
  received_at: number;
  attempts: Generated<number>;
  /** For a deletion: removed accounts that may have left something behind. */
  erases: Json<readonly Erased[]> | null;
};

/** Push subscriptions; no foreign key, as those of removed accounts must still be ended. */
export type SubscriptionsTable = {
  account_id: string;
  /** The path of the account's address; null if the app has one for all. */
  path: string | null;
  secret: string | null;
  /** The URL it was made for. */
  callback: string;
  until: number | null;
  /** The connector's own. */
  kept: Json<unknown> | null;
  state: 'pending' | 'active' | 'ended';
  /** A poll has followed since it was made. */
  caught_up: Flag;
  made_at: number;
};
