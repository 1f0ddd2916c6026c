import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { text } from '../shared/fields.ts';
import { asAccount } from './api.ts';

const Tier = z.object({ messaging_limit_tier: text });
const QUERY = Object.freeze({ fields: 'messaging_limit_tier' });

/**
 * How many people outside the 24-hour window may be written to within a day. WhatsApp does not say how many were, so it
 * is the whole limit; nothing where there is none, or where a new number has none yet.
 */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const { messaging_limit_tier: tier } = await asAccount(
    call,
    { method: 'GET', path: '/{number}', query: QUERY },
    Tier,
  );
  const [, amount, thousand] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? [];
  return amount === undefined ? {} : { daily_recipients: Number(amount) * (thousand === 'K' ? 1000 : 1) };
}
