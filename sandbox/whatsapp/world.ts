import { makeMethods } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { GRAPH_SETTINGS, type Call } from '../graph/world.ts';
import type { Rates } from '../kit/api/rates.ts';
import type { WhatsAppDocs } from './docs.ts';
import { requireAccount, type Right } from './errors.ts';

export const SETTINGS = Object.freeze({
  /** The delay of message statuses, including failures. */
  status_delay_ms: 0,
  /** A read message is never reported as delivered. */
  skip_delivered: false,
  /** Later failures are refused at once instead. */
  refuse_at_once: false,
  /** A delivered template also opens the window for 24 hours. */
  template_opens_window: true,
  /** Business-scoped ids next to numbers. */
  user_ids: true,
  /** Updates have only the sender's id. */
  missing_contacts: false,
  /** Rate limits have status 400. */
  limits_as_400: false,
  /** Business profiles are wrapped as the published schema says. */
  profile_wrapped: false,
  /** How tokens name accounts: under the requested (`asked`) or `events` scope, or `all` without names. */
  grants: 'asked',
  /** Lifetime of sign-up tokens; 0 is unlimited. */
  token_days: 0,
  /** New people a portfolio may message per day, or `TIER_UNLIMITED`. */
  messaging_limit: 'TIER_2K',
  /** A number's messages per second, and in a row to one customer. */
  throughput: 80,
  pair_limit: 45,
  /** A customer's marketing templates per day; 0 is unlimited. */
  marketing_cap: 0,
  ...GRAPH_SETTINGS,
});

export type World = WorldOf<WhatsAppDocs, typeof SETTINGS> &
  Readonly<{
    /** Absent: nothing is counted. */
    rates: Rates | undefined;
    lookaside(): string;
  }>;

/** Methods of accounts, numbers, files and templates, with access checks. */
export function methodsOf(world: World) {
  const may = ({ actor }: Call, owner: string, right: Right) =>
    requireAccount(actor, world.nodes.get('number', owner)?.page_id ?? owner, right);
  return makeMethods<WhatsAppDocs, Right>(world, { read: may, write: may });
}
