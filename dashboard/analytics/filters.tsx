import type { JSX } from 'preact';
import type { Account, Brand } from '../lib/operations.ts';
import { TITLES } from '../lib/page.ts';
import { markOf } from '../lib/platforms.ts';

/** What the numbers are of; empty for all. */
export type Choice = Readonly<{
  period: '7' | '28' | '90' | 'own';
  from: string;
  to: string;
  brand: string;
  platform: string;
  account: string;
}>;

const PERIODS = [
  { period: '7', title: '7 days' },
  { period: '28', title: '28 days' },
  { period: '90', title: '90 days' },
] as const;

/** The address of the page with another choice. */
function addressOf({ period, from, to, ...filters }: Choice): string {
  const days = period === 'own' ? { from, to } : { period };
  const fields = Object.entries({ ...days, ...filters }).filter(([, value]) => value !== '');
  return `/dashboard/analytics?${new URLSearchParams(fields)}`;
}

type FiltersProps = Readonly<{ choice: Choice; accounts: readonly Account[]; brands: readonly Brand[] }>;

/** The period and whose numbers they are; a choice is another address. */
export function Filters({ choice, accounts, brands }: FiltersProps): JSX.Element {
  const go = (other: Partial<Choice>) => location.assign(addressOf({ ...choice, ...other }));
  const platforms = [...TITLES.keys()].filter((slug) => accounts.some(({ platform }) => platform === slug));
  return (
    <>
      <div class="bar">
        <nav class="tabs" aria-label="Period">
          {PERIODS.map(({ period, title }) => (
            <a
              key={period}
              href={addressOf({ ...choice, period })}
              aria-current={period === choice.period ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <div class="filters">
          {brands.length > 1 && (
            <select
              aria-label="Brand"
              value={choice.brand}
              onChange={({ currentTarget }) => go({ brand: currentTarget.value, account: '' })}
            >
              <option value="">All brands</option>
              {brands.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <select
            aria-label="Platform"
            value={choice.platform}
            onChange={({ currentTarget }) => go({ platform: currentTarget.value, account: '' })}
          >
            <option value="">All platforms</option>
            {platforms.map((slug) => (
              <option key={slug} value={slug}>
                {markOf(slug).title}
              </option>
            ))}
          </select>
          <select
            aria-label="Account"
            value={choice.account}
            onChange={({ currentTarget }) => go({ account: currentTarget.value })}
          >
            <option value="">All accounts</option>
            {accounts
              .filter(
                ({ platform, brand_id }) =>
                  ['', platform].includes(choice.platform) && ['', brand_id].includes(choice.brand),
              )
              .map(({ id, name, platform }) => (
                <option key={id} value={id}>
                  {name} ({markOf(platform).title})
                </option>
              ))}
          </select>
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
