import type { JSX } from 'preact';
import type { NamedAccount, NamedBrand } from '../lib/operations.ts';
import { TITLES } from '../lib/page.ts';
import { markOf } from '../lib/platforms.ts';
import { accountOptions, brandOptions, Select } from '../lib/frame/select.tsx';
import { LinkTabs } from '../lib/frame/tabs.tsx';

/** The selection of numbers; an empty field means all. */
export type Choice = Readonly<{
  period: '7' | '28' | '90' | 'own';
  from: string;
  to: string;
  brand: string;
  platform: string;
  account: string;
}>;

const PERIODS = [
  { view: '7', title: '7 days' },
  { view: '28', title: '28 days' },
  { view: '90', title: '90 days' },
] as const;

/** The URL of the page for another selection. */
function addressOf({ period, from, to, ...filters }: Choice): string {
  const days = period === 'own' ? { from, to } : { period };
  const fields = Object.entries({ ...days, ...filters }).filter(([, value]) => value !== '');
  return `/dashboard/analytics?${new URLSearchParams(fields)}`;
}

type FiltersProps = Readonly<{
  choice: Choice;
  accounts: readonly NamedAccount[];
  brands: readonly NamedBrand[];
}>;

/** The selection of a period, brand, platform and account. Each selection has its own URL. */
export function Filters({ choice, accounts, brands }: FiltersProps): JSX.Element {
  const go = (other: Partial<Choice>) => location.assign(addressOf({ ...choice, ...other }));
  const platforms = [...TITLES.keys()].filter((slug) => accounts.some(({ platform }) => platform === slug));
  return (
    <>
      <div class="bar">
        <LinkTabs
          title="Period"
          tabs={PERIODS}
          current={choice.period}
          hrefOf={(period) => addressOf({ ...choice, period })}
        />
        <div class="filters">
          {brands.length > 1 && (
            <Select
              title="Brand"
              value={choice.brand}
              all="All brands"
              options={brandOptions(brands)}
              onChosen={(brand) => go({ brand, account: '' })}
            />
          )}
          <Select
            title="Platform"
            value={choice.platform}
            all="All platforms"
            options={platforms.map((slug) => [slug, markOf(slug).title])}
            onChosen={(platform) => go({ platform, account: '' })}
          />
          <Select
            title="Account"
            value={choice.account}
            all="All accounts"
            options={accountOptions(
              accounts.filter(
                ({ platform, brand_id }) =>
                  ['', platform].includes(choice.platform) && ['', brand_id].includes(choice.brand),
              ),
            )}
            onChosen={(account) => go({ account })}
          />
        </div>
      </div>
      <form class="fields" action="/dashboard/analytics">
        {(['brand', 'platform', 'account'] as const).map(
          (name) => choice[name] !== '' && <input key={name} type="hidden" name={name} value={choice[name]} />,
        )}
        <div>
          <label htmlFor="from">From</label>
          <input id="from" name="from" type="date" required defaultValue={choice.from} />
        </div>
        <div>
          <label htmlFor="to">To</label>
          <input id="to" name="to" type="date" required defaultValue={choice.to} />
        </div>
        <button>Show these days</button>
      </form>
    </>
  );
}
