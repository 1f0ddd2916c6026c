import type { JSX } from 'preact';
import type { Account, Brand } from '../operations.ts';
import { accountTitle } from '../platforms.ts';

type Option = readonly [value: string, title: string];
type SelectProps = Readonly<{
  title: string;
  value: string;
  /** What choosing nothing is called. */
  all: string;
  options: readonly Option[];
  class?: string;
  onChosen(value: string): void;
}>;

/** A list to choose one option or all. */
export const Select = ({ title, value, all, options, onChosen, ...more }: SelectProps): JSX.Element => (
  <select {...more} aria-label={title} value={value} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
    <option value="">{all}</option>
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

/** Accounts to choose from. */
export const accountOptions = (accounts: readonly Account[]): readonly Option[] =>
  accounts.map((one) => [one.id, accountTitle(one)]);
/** Brands to choose from. */
export const brandOptions = (brands: readonly Brand[]): readonly Option[] => brands.map(({ id, name }) => [id, name]);
