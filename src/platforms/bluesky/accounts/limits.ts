import type { AccountCall } from '../../call.ts';
import { headersOf } from '../api.ts';

/** How many requests the account's PDS accepts before it throttles, if it reports that. */
export async function limits(call: AccountCall): Promise<Readonly<Record<string, number>>> {
  const headers = await headersOf(call, { method: 'com.atproto.server.getSession' });
  const left = headers['ratelimit-remaining'] ?? '';
  return /^\d{1,15}$/.test(left) ? { requests_remaining: Number(left) } : {};
}
