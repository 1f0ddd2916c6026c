import type { AccountRow } from '#db/access/accounts.ts';
import { makeBusiness, type Business } from '../../harness/platforms/business.ts';
import { makeStage, type Stage } from '../../harness/worlds/social.ts';

/** Meta's id of the number that an account is. */
export const NUMBER = '100200300';

export type BusinessStage = Stage & Readonly<{ business: Business; account: AccountRow }>;

/** A whole server with a fake platform of numbers and templates, and an account of it. */
export async function businessStage(surroundings: Parameters<typeof makeStage>[0] = {}): Promise<BusinessStage> {
  let business!: Business;
  const stage = await makeStage(surroundings, (net) => [(business = makeBusiness(net)).platform]);
  return { ...stage, business, account: await stage.connect('whatsapp', NUMBER) };
}
