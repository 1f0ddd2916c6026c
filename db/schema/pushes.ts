import type { Generated } from 'kysely';
import type { Flag, Json } from './column.ts';

/** An account that was removed by a data-deletion request, and the event that reported it. */
export type Erased = Readonly<{ id: string; workspace_id: string; told: string }>;

/** Inbound pushes, kept as they came until they are processed. */
export type PushesTable = {
  id: string;
  platform: string;
  network: string;
  path: string;
  headers: Json<Readonly<Record<string, string>>>;
  /** Base64 of the bytes that were signed. */
  body: string;
  /** Whose address it came to; null at the address of an app. */
  account_id: string | null;
  received_at: number;
  attempts: Generated<number>;
  /** Set when it demands a deletion: the accounts that are gone by it, of which something may be left. */
  erases: Json<readonly Erased[]> | null;
};

/** What an account has pushed. Without a foreign key: it is needed to end the subscription of an account that is gone. */
export type SubscriptionsTable = {
  account_id: string;
  /** The last part of the account's own address; null where the app has one for all. */
  path: string | null;
  /** What pushes to that address are signed with; sealed. */
  secret: string | null;
  /** The URL it was made for. */
  callback: string;
  until: number | null;
  /** The connector's own. */
  kept: Json<unknown> | null;
  state: 'pending' | 'active' | 'ended';
  /** One poll has followed since it was made, where polls pause for it. */
  caught_up: Flag;
  made_at: number;
};
