import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { counted } from '#kernel/people/counted.ts';
import { pressKey } from '../lib/call.ts';
import { makeSettling } from '../lib/debounce.ts';
import type { Answer } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Trouble } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { AccountCard } from './account-card.tsx';
import { Brands } from './brands.tsx';
import { Invites } from './invites.tsx';
import { makeAccounts, type AccountsDeps } from './model.ts';
import { Platforms } from './platforms.tsx';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import { canConnect } from '../lib/frame/connecting.tsx';
import { may } from '../lib/frame/may.ts';
import { brandOptions, Select } from '../lib/frame/select.tsx';

const setups = firstAnswer<readonly PlatformSetup[]>('setups');
const refusal = firstAnswer<string | undefined>('refusal');
const connected = new URLSearchParams(location.search).get('connected');
const model = makeAccounts({
  call,
  accounts: firstAnswer<Answer<'list_accounts'>>('list_accounts').data,
  totals: firstAnswer<AccountsDeps['totals']>('totals'),
  brands: firstAnswer<Answer<'list_brands'>>('list_brands').data,
  titleOf: (platform) => markOf(platform).title,
  newKey: pressKey,
  later: makeSettling(),
  say,
});
const SEARCH_FROM = 6;

function Page(): JSX.Element {
  const waiting = model.waiting.value;
  document.title = `${refusal === undefined ? '' : 'Error: '}${waiting === 0 ? '' : `(${waiting}) `}Accounts · Rostra`;
  return (
    <div class="wide">
      <header class="bar">
        <h1>Accounts</h1>
      </header>
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      <Welcome />
      <Connected />
      {canConnect ? <Platforms setups={setups} model={model} /> : <p class="quiet">{WHO_CONNECTS}</p>}
      <Brands model={model} />
      {may('create_invite') && <Invites model={model} setups={setups} />}
    </div>
  );
}

/** A search, and the choice of a brand, where there is more than one. */
function Filters(): JSX.Element {
  return (
    <div class="filters" role="group" aria-label="Filters">
      {(model.count.value > SEARCH_FROM || model.isFiltered.value) && (
        <input
          type="search"
          aria-label="Search names, handles and platforms"
          placeholder="Search"
          value={model.words.value}
          onInput={({ currentTarget }) => void model.narrow({ words: currentTarget.value })}
        />
      )}
      {model.brands.value.length > 1 && (
        <Select
          title="Brand"
          value={model.brand.value}
          all="All brands"
          options={brandOptions(model.brands.value)}
          onChosen={(brand) => void model.narrow({ brand })}
        />
      )}
    </div>
  );
}

/** Confirms the connection after which this page was opened. */
function Welcome(): JSX.Element | null {
  const account = model.accounts.value.find(({ id }) => id === connected);
  return account === undefined ? null : (
    <p class="note fine" role="status">
      <Icon name="published" /> {markOf(account.platform).title} is connected: <bdi>{account.name}</bdi>.{' '}
      <a href="/dashboard/posts">See its posts</a>
    </p>
  );
}

function Connected(): JSX.Element {
  const accounts = model.shown.value;
  const count = model.count.value;
  return (
    <section aria-labelledby="connected">
      <header class="bar">
        <h2 id="connected">Connected</h2>
        <Filters />
        <p class="quiet" role="status">
          {count > accounts.length ? `${accounts.length} of ${counted(count, 'account')}` : counted(count, 'account')}
        </p>
      </header>
      {model.problem.value !== undefined && <Trouble text={model.problem.value} again={model.again} />}
      {accounts.length === 0 && <Empty />}
      <div class="cards">
        {accounts.map((account) => (
          <AccountCard key={account.id} account={account} model={model} isNew={account.id === connected} />
        ))}
      </div>
      {model.hasMore.value && (
        <button type="button" onClick={() => void model.more()}>
          Show more
        </button>
      )}
    </section>
  );
}

function Empty(): JSX.Element {
  const isFiltered = model.isFiltered.value;
  return (
    <div class="empty">
      <Icon name="accounts" />
      <p>{isFiltered ? 'No account matches the search and the brand.' : 'No account is connected yet.'}</p>
      {isFiltered && (
        <button type="button" onClick={() => void model.narrow({ brand: '', words: '' })}>
          Show all accounts
        </button>
      )}
      {canConnect && <a href="#connect">Connect one</a>}
    </div>
  );
}

show({ Page, heard: model.heard });
