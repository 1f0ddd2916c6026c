import type { JSX } from 'preact';
import type { Migration } from '../lib/operations.ts';
import { reasonOf, type Provider } from './model.ts';
import { counted } from '#kernel/people/counted.ts';

type AssessmentProps = Readonly<{ assessment: NonNullable<Migration['assessment']>; provider: Provider }>;

const limitOf = (limit: number, what: string): string => (limit === -1 ? `any number of ${what}` : `${limit} ${what}`);

export function Assessment({ assessment, provider }: AssessmentProps): JSX.Element {
  const { brands, servable_accounts, profiles, recommended_plan: plan, stays_with_provider: stays } = assessment;
  return (
    <>
      <p>
        {servable_accounts === 1 ? 'One account comes' : `${servable_accounts} accounts come`}, to{' '}
        {brands === 1 ? 'one brand' : `${brands} brands`}. The plan <strong>{plan.name}</strong> is enough:{' '}
        {limitOf(plan.brands_limit, 'brands')}, {limitOf(plan.pages_per_brand, 'pages of each')}.
      </p>
      {profiles.length > 0 && (
        <ul class="rows" aria-label={`Profiles of ${provider.title}`}>
          {profiles.map(({ id, name, brands: needed, servable_accounts: accounts, splits }) => (
            <li key={id}>
              <div>
                <strong>
                  <bdi>{name}</bdi>
                </strong>
                <br />
                <small>
                  {counted(accounts, 'account')}, {counted(needed, 'brand')}
                  {splits.length > 0 && `: ${splits.join('; ')}`}
                </small>
              </div>
            </li>
          ))}
        </ul>
      )}
      {stays.length > 0 && (
        <div class="note">
          <strong>What stays with {provider.title}</strong>
          <ul class="bullets">
            {stays.map(({ platform, count, reason }) => (
              <li key={`${platform} ${reason}`}>
                {count} on <bdi>{platform}</bdi>: {reasonOf(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
