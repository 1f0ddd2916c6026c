import type { Ability } from '#kernel/people/abilities.ts';

/** What pages may show of an account. */
export type ListedAccount = Readonly<{
  id: string;
  name: string;
  username: string;
  platform: string;
  brand_id: string;
  status: string;
  reconnect_reason: string | null;
  capabilities: readonly string[];
}>;

/** What names an account and filters by it. */
export const NAMED = ['id', 'name', 'platform', 'brand_id'] as const;

/** The accounts with only the fields that a page uses, and of what they can do only this: there may be thousands. */
export function slim(
  accounts: readonly ListedAccount[],
  fields: readonly (keyof ListedAccount)[],
  capability?: Ability,
) {
  return accounts.map((account): Partial<ListedAccount> => {
    const view = { ...account, capabilities: account.capabilities.filter((one) => one === capability) };
    return Object.fromEntries(fields.map((field) => [field, view[field]]));
  });
}

export type BrandChoice = Readonly<{ id: string; name: string }>;

/** The brands with only what names them. */
export const slimBrands = (brands: readonly BrandChoice[]): readonly BrandChoice[] =>
  brands.map(({ id, name }) => ({ id, name }));
