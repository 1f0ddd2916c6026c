import { makeMethods } from '../graph/api/methods.ts';
import type { WorldOf } from '../graph/index.ts';
import { GRAPH_SETTINGS, type Call } from '../graph/world.ts';
import type { Rates } from '../kit/api/rates.ts';
import type { WhatsAppDocs } from './docs.ts';
import { requireAccount, type Right } from './errors.ts';

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  /** What becomes of a message, its failure included, is reported so much later. */
  status_delay_ms: 0,
  /** A message that is read is never reported as delivered. */
  skip_delivered: false,
  /** What else is reported later as a failed status is refused in the answer. */
  refuse_at_once: false,
  /** A delivered template lets the business write freely for 24 hours, too. */
  template_opens_window: true,
  /** Updates and answers name customers by their business-scoped id beside the number. */
  user_ids: true,
  /** Updates tell nothing about who wrote besides the id. */
  missing_contacts: false,
  /** Refusals for too many calls have status 400. */
  limits_as_400: false,
  /** Business profiles are wrapped as the published schema says. */
  profile_wrapped: false,
  /** How tokens name their accounts: under what was `asked` for, under its `events`, or `all` without a name. */
  grants: 'asked',
  /** Tokens of the sign-up dialog live so long; 0 is for ever. */
  token_days: 0,
  /** How many people a portfolio may write to first in a day; `TIER_UNLIMITED` is as many as it likes. */
  messaging_limit: 'TIER_2K',
  /** How many messages a number may send in a second, and to one customer in a row. */
  throughput: 80,
  pair_limit: 45,
  /** How many marketing templates a customer gets in a day; 0 is as many as are sent. */
  marketing_cap: 0,
  ...GRAPH_SETTINGS,
});

/** Everything the parts of the twin share. */
export type World = WorldOf<WhatsAppDocs, typeof SETTINGS> &
  Readonly<{
    /** Absent: nothing is counted. */
    rates: Rates | undefined;
    lookaside(): string;
  }>;

/** Makes methods about accounts, and about their numbers, files and templates, for those who were let in to the account. */
export function methodsOf(world: World) {
  const may = ({ actor }: Call, owner: string, right: Right) =>
    requireAccount(actor, world.nodes.get('number', owner)?.page_id ?? owner, right);
  return makeMethods<WhatsAppDocs, Right>(world, { read: may, write: may });
}
