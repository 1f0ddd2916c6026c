import type { JSX } from 'preact';
import { markOf } from '../../lib/platforms.ts';
import { accounts, addressOf, brands, current, filters, isArchive, PATH } from '../inbox.ts';

type Option = readonly [value: string, title: string];

const MOST_ASKED = 200;
const NARROWED = ['account', 'brand', 'platform'] as const;
const KINDS: readonly Option[] = [
  ['message', 'Messages'],
  ['comment', 'Comments'],
  ['mention', 'Mentions'],
  ['review', 'Reviews'],
];

const platforms = [...new Set(accounts.map(({ platform }) => platform))];

/** What the list is limited to, kept in the address. */
export function Filters(): JSX.Element {
  const choice = (name: keyof typeof filters, title: string, all: string, options: readonly Option[]) => (
    <select
      aria-label={title}
      value={filters[name]}
      onChange={({ currentTarget: { value } }) =>
        location.assign(addressOf(current.view, { [name]: value, archived: isArchive ? 'yes' : undefined }))
      }
    >
      <option value="">{all}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <div class="filters" role="group" aria-label="Filters">
      <form role="search" action={PATH}>
        {NARROWED.map((name) => filters[name] !== '' && <input type="hidden" name={name} value={filters[name]} />)}
        <input
          type="search"
          name="q"
          maxLength={MOST_ASKED}
          aria-label="Search what people wrote"
          placeholder="Search"
          defaultValue={filters.q}
        />
      </form>
      {current.view === 'search' && choice('kind', 'Kind of what is found', 'All kinds', KINDS)}
      {choice(
        'account',
        'Account',
        'All accounts',
        accounts.map(({ id, name, platform }) => [id, `${name} (${markOf(platform).title})`]),
      )}
      {brands.length > 1 &&
        choice(
          'brand',
          'Brand',
          'All brands',
          brands.map(({ id, name }) => [id, name]),
        )}
      {choice(
        'platform',
        'Platform',
        'All platforms',
        platforms.map((slug) => [slug, markOf(slug).title]),
      )}
      {current.view === 'messages' && (
        <a class="button" href={addressOf('messages', { archived: isArchive ? undefined : 'yes' })}>
          {isArchive ? 'Not archived' : 'Archived'}
        </a>
      )}
    </div>
  );
}
