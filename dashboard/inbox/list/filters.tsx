import type { JSX } from 'preact';
import { markOf } from '../../lib/platforms.ts';
import { accounts, addressOf, brands, current, filters, isArchive, PATH } from '../inbox.ts';
import { accountOptions, brandOptions, Select } from '../../lib/frame/select.tsx';

const MOST_ASKED = 200;
const NARROWED = ['account', 'brand', 'platform'] as const;
const KINDS = [
  ['message', 'Messages'],
  ['comment', 'Comments'],
  ['mention', 'Mentions'],
  ['review', 'Reviews'],
] as const;

type Options = Parameters<typeof Select>[0]['options'];

/** The accounts of the chosen brand and platform. */
const choosable = accounts.filter(
  ({ brand_id, platform }) => ['', brand_id].includes(filters.brand) && ['', platform].includes(filters.platform),
);
const platforms = [...new Set(accounts.map(({ platform }) => platform))];

/** The filters of the list. They are kept in the URL. */
export function Filters(): JSX.Element {
  const choice = (name: keyof typeof filters, title: string, all: string, options: Options) => (
    <Select
      title={title}
      value={filters[name]}
      all={all}
      options={options}
      onChosen={(to) =>
        location.assign(addressOf(current.view, { [name]: to, archived: isArchive ? 'yes' : undefined }))
      }
    />
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
      {choice('account', 'Account', 'All accounts', accountOptions(choosable))}
      {brands.length > 1 && choice('brand', 'Brand', 'All brands', brandOptions(brands))}
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
