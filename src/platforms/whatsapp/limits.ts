import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { text } from '../shared/fields.ts';
import { asAccount } from './api.ts';

const LIMIT = 'whatsapp_business_manager_messaging_limit';
const Limit = z.object({ [LIMIT]: text });
const QUERY = Object.freeze({ fields: LIMIT });

/** The daily limit of new conversations, which the business portfolio shares; WhatsApp does not report its use. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const { [LIMIT]: tier } = await asAccount(call, { method: 'GET', path: '/{number}', query: QUERY }, Limit);
  const [, amount, thousand] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? [];
  return amount === undefined ? {} : { daily_recipients: Number(amount) * (thousand === 'K' ? 1000 : 1) };
}
