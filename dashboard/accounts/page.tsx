import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { pressKey } from '../lib/call.ts';
import { Confirm } from '../lib/confirm.tsx';
import { makeDebounce } from '../lib/debounce.ts';
import type { Answer } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon } from '../lib/parts.tsx';
import { markOf, accountTitle } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { AccountCard } from './account-card.tsx';
import { Brands } from './brands.tsx';
import { Invites } from './invites.tsx';
import { makeAccounts } from './model.ts';
import { Platforms } from './platforms.tsx';
import { brandOptions, Select } from '../lib/frame/select.tsx';

const setups = firstAnswer<readonly PlatformSetup[]>('setups');
const refusal = firstAnswer<string | undefined>('refusal');
const connected = new URLSearchParams(location.search).get('connected');
const model = makeAccounts({
  call,
  accounts: firstAnswer<Answer<'list_accounts'>>('list_accounts').data,
  brands: firstAnswer<Answer<'list_brands'>>('list_brands').data,
  newKey: pressKey,
  later: makeDebounce(),
  say,
});

function Page(): JSX.Element {
  const waiting = model.accounts.value.filter(({ status }) => status !== 'active').length;
  document.title = `${refusal === undefined ? '' : 'Error: '}${waiting === 0 ? '' : `(${waiting}) `}Accounts · Rostra`;
  return (
    <div class="wide">
      <header class="bar">
        <h1>Accounts</h1>
        {model.brands.value.length > 1 && <BrandFilter />}
      </header>
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      <Welcome />
      <Connected />
      <Platforms setups={setups} model={model} />
      <Brands model={model} />
      <Invites model={model} setups={setups} />
      <Leaving />
    </div>
  );
}

function BrandFilter(): JSX.Element {
  return (
    <Select
      class="filter"
      title="Brand"
      value={model.brand.value}
      all="All brands"
      options={brandOptions(model.brands.value)}
      onChosen={(to) => void (model.brand.value = to)}
    />
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
  return (
    <section aria-labelledby="connected">
      <h2 id="connected">Connected</h2>
      {accounts.length === 0 ? (
        <div class="empty">
          <Icon name="accounts" />
          <p>{model.brand.value === '' ? 'No account is connected yet.' : 'This brand has no account yet.'}</p>
          <a href="#connect">Connect one</a>
        </div>
      ) : (
        <div class="cards">
          {accounts.map((account) => (
            <AccountCard key={account.id} account={account} model={model} isNew={account.id === connected} />
          ))}
        </div>
      )}
    </section>
  );
}

function Leaving(): JSX.Element | null {
  const account = model.leaving.value;
  if (account === undefined) return null;
  return (
    <Confirm
      title={`Disconnect ${accountTitle(account)}?`}
      yes="Disconnect"
      isBusy={model.isBusy.value}
      onYes={model.disconnect}
      onNo={model.stay}
    >
      <p>Its tokens are deleted, and posts scheduled for it will fail. What it published stays public.</p>
    </Confirm>
  );
}

show({ Page, heard: model.heard });
