import type { JSX, TargetedKeyboardEvent } from 'preact';
import type { Account, NamedBrand } from '../operations.ts';
import { accountTitle } from '../platforms.ts';

type Option = readonly [value: string, title: string];
type SelectProps = Readonly<{
  title: string;
  value: string;
  /** The label of the option for all. */
  all: string;
  options: readonly Option[];
  onChosen(value: string): void;
}>;

const CHANGING = /^(Arrow|Page|Home|End|\S$)/;

/** Opens a list on keys that would change it while it is closed, as each change may load another page. */
export function openFirst(event: TargetedKeyboardEvent<HTMLSelectElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !CHANGING.test(event.key)) return;
  // Safari cannot open it by script, and opens it on these keys itself.
  if (!('showPicker' in HTMLSelectElement.prototype)) return;
  event.preventDefault();
  event.currentTarget.showPicker();
}

/** A list from which one option, or all, can be chosen. */
export const Select = ({ title, value, all, options, onChosen }: SelectProps): JSX.Element => (
  <select
    aria-label={title}
    value={value}
    onKeyDown={openFirst}
    onChange={({ currentTarget }) => onChosen(currentTarget.value)}
  >
    <option value="">{all}</option>
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

const byTitle = ([, one]: Option, [, other]: Option) => one.localeCompare(other);

/** The options of a list of accounts. */
export const accountOptions = (accounts: readonly Pick<Account, 'id' | 'name' | 'platform'>[]): readonly Option[] =>
  accounts.map((one): Option => [one.id, accountTitle(one)]).toSorted(byTitle);
/** The options of a list of brands. */
export const brandOptions = (brands: readonly NamedBrand[]): readonly Option[] =>
  brands.map(({ id, name }): Option => [id, name]).toSorted(byTitle);
