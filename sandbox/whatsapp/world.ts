import { makeMethods } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { GRAPH_SETTINGS, type Call } from '../graph/world.ts';
import type { Rates } from '../kit/api/rates.ts';
import type { WhatsAppDocs } from './docs.ts';
import { requireAccount, type Right } from './errors.ts';

export const SETTINGS = Object.freeze({
  /** After how many ms a message's status changes or it fails. */
  status_delay_ms: 0,
  /** If true, a message that is read was never reported as delivered. */
  skip_delivered: false,
  /** If true, what would fail later is refused at once. */
  refuse_at_once: false,
  /** Whether a delivered template opens the messaging window for 24 hours too. */
  template_opens_window: true,
  /** Whether updates have business-scoped ids in addition to numbers. */
  user_ids: true,
  /** If true, updates contain no contacts but only the sender's id. */
  missing_contacts: false,
  /** Whether errors for rate limits have status 400. */
  limits_as_400: false,
  /** Whether a business profile is wrapped as the published schema says. */
  profile_wrapped: false,
  /** How tokens name accounts: under the requested scope (`asked`), the `events` scope, or not at all (`all`). */
  grants: 'asked',
  /** How many days a token from the sign-up dialog lives; 0 is unlimited. */
  token_days: 0,
  /** How many new people a portfolio may message per day, or `TIER_UNLIMITED`. */
  messaging_limit: 'TIER_2K',
  /** How many messages a number may send per second, and in a row to one customer. */
  throughput: 80,
  pair_limit: 45,
  /** How many marketing templates a customer accepts per day; 0 is unlimited. */
  marketing_cap: 0,
  ...GRAPH_SETTINGS,
});

export type World = WorldOf<WhatsAppDocs, typeof SETTINGS> &
  Readonly<{
    /** If undefined, no rates are counted. */
    rates: Rates | undefined;
    lookaside(): string;
  }>;

/** Makes methods for accounts, numbers, files and templates that check access. */
export function methodsOf(world: World) {
  const may = ({ actor }: Call, owner: string, right: Right) =>
    requireAccount(actor, world.nodes.get('number', owner)?.page_id ?? owner, right);
  return makeMethods<WhatsAppDocs, Right>(world, { read: may, write: may });
}
