import type { JSX } from 'preact';
import type { Account, NamedBrand } from '../operations.ts';
import { firstAnswer } from '../page.ts';
import { accountOptions, brandOptions, Select } from './select.tsx';

type Listed<T> = Readonly<{ data: readonly T[] }>;

const accounts = firstAnswer<Listed<Pick<Account, 'id' | 'name' | 'platform' | 'brand_id'>>>('list_accounts').data;
const brands = firstAnswer<Listed<NamedBrand>>('list_brands').data;

/** The brand and the account that a list is filtered by; empty for all. */
export type Owner = Readonly<{ brand: string; account: string }>;

type OwnersProps = Owner & Readonly<{ onChosen(owner: Owner): void }>;

/** Filters by brand and by account, of those that came with the page. The accounts are those of the brand. */
export const Owners = ({ brand, account, onChosen }: OwnersProps): JSX.Element => (
  <>
    {brands.length > 1 && (
      <Select
        title="Brand"
        value={brand}
        all="All brands"
        options={brandOptions(brands)}
        onChosen={(to) => onChosen({ brand: to, account: '' })}
      />
    )}
    <Select
      title="Account"
      value={account}
      all="All accounts"
      options={accountOptions(accounts.filter(({ brand_id }) => ['', brand_id].includes(brand)))}
      onChosen={(to) => onChosen({ brand, account: to })}
    />
  </>
);
