import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Connecting } from '../lib/frame/connecting.tsx';
import { Icon, Mark } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { fold, wordsIn } from '../lib/words.ts';
import { brands, composer } from './composer.ts';
import { Issues } from './issues.tsx';
import type { Destination } from './rules.ts';

/** With more accounts than this, they have a search field and scroll in a place of their own. */
const MANY = 12;
const FIELDS: ReadonlySet<string> = new Set(['account_id', 'page_id', 'targets', 'visibility']);

const typed = signal('');
const brandNames = new Map(brands.map(({ id, name }) => [id, name]));
const begunIn = new Set(composer.targets.value.map(({ brandId }) => brandId));

/** The check boxes of all accounts, with a search field if there are many. */
export function Accounts(): JSX.Element {
  const destinations = composer.destinations.value;
  if (destinations.length === 0) {
    return (
      <div class="empty">
        <Icon name="accounts" />
        <p>No account is connected yet. You can still write a draft.</p>
        <Connecting class="button" />
      </div>
    );
  }
  const isLong = destinations.length > MANY;
  const shown = matching(destinations);
  const hasBrands = destinations.some(({ brandId }) => brandId !== destinations[0]!.brandId);
  return (
    <div class="accounts">
      {isLong && <Search all={destinations.length} found={shown.length} />}
      <div {...(hasBrands && { role: 'group', 'aria-label': 'Post to' })} class={isLong ? 'many' : undefined}>
        {byBrand(shown).map(([brandId, members]) => (
          <fieldset key={brandId} class="brand">
            <legend>{hasBrands ? <bdi>{brandNames.get(brandId) ?? 'Post to'}</bdi> : 'Post to'}</legend>
            {members.map((destination) => (
              <AccountBox key={destination.id} destination={destination} />
            ))}
            {members.length > 2 && <All members={members} />}
          </fieldset>
        ))}
        {shown.length === 0 && <p class="quiet">No account has these words.</p>}
      </div>
      <Issues id="account-issues" about={(field) => FIELDS.has(field)} />
    </div>
  );
}

/** Brands with a chosen account as the page opened come first, so that what is chosen is in sight. */
function byBrand(destinations: readonly Destination[]): readonly (readonly [string, readonly Destination[]])[] {
  return [...Map.groupBy(destinations, ({ brandId }) => brandId)].toSorted(
    ([a], [b]) => Number(begunIn.has(b)) - Number(begunIn.has(a)),
  );
}

/** The destinations that match the search, and the chosen ones. */
function matching(destinations: readonly Destination[]): readonly Destination[] {
  const has = wordsIn(typed.value);
  if (has === undefined) return destinations;
  const { chosen } = composer.draft.value;
  return destinations.filter(({ id, platform, name, username, brandId }) => {
    return (
      chosen.includes(id) || has(fold(`${name} ${username} ${markOf(platform).title} ${brandNames.get(brandId) ?? ''}`))
    );
  });
}

function Search({ all, found }: Readonly<{ all: number; found: number }>): JSX.Element {
  const { length: chosen } = composer.targets.value;
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Find an account"
        placeholder="Find an account, platform or brand"
        value={typed.value}
        onInput={({ currentTarget }) => void (typed.value = currentTarget.value)}
      />
      <p class="quiet" role="status">
        {found < all && `${found} of `}
        {all} accounts, {chosen} chosen
      </p>
    </search>
  );
}

/** Chooses all accounts of a brand at once, as its posts mostly go to all of them. */
function All({ members }: Readonly<{ members: readonly Destination[] }>): JSX.Element | null {
  const ids = members.filter(({ hindrance }) => hindrance === undefined).map(({ id }) => id);
  if (ids.length < 2) return null;
  const areChosen = ids.every((id) => composer.draft.value.chosen.includes(id));
  return (
    <button type="button" class="link" onClick={() => composer.choose(ids, !areChosen)}>
      {areChosen ? 'None of these' : `All ${ids.length}`}
    </button>
  );
}

function AccountBox({ destination }: Readonly<{ destination: Destination }>): JSX.Element {
  const { id, platform, name, hindrance } = destination;
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={composer.draft.value.chosen.includes(id)}
        disabled={hindrance !== undefined && !composer.draft.value.chosen.includes(id)}
        onChange={() => composer.toggle(id)}
      />
      <Mark platform={platform} />
      <span>
        <bdi>{name}</bdi>
        <small>
          {markOf(platform).title}
          {hindrance !== undefined && `, ${hindrance}`}
        </small>
      </span>
    </label>
  );
}
