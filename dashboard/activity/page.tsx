import type { JSX } from 'preact';
import { messageForPeople } from '../lib/call.ts';
import { may } from '../lib/frame/may.ts';
import type { Answer, Input, LogEvent, NamedAccount } from '../lib/operations.ts';
import { firstAnswer, ZONE } from '../lib/page.ts';
import { Badge, Icon, Mark, Time, Zone } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { makeActivity } from './model.ts';
import { placeOf } from './places.ts';
import { accountOptions, Select } from '../lib/frame/select.tsx';
import { LinkTabs } from '../lib/frame/tabs.tsx';

const TYPES = [
  { view: '', title: 'All' },
  { view: 'post', title: 'Posts' },
  { view: 'inbox', title: 'Inbox' },
  { view: 'account', title: 'Accounts' },
  { view: 'webhook', title: 'Webhooks' },
  { view: 'api', title: 'Access' },
] as const;
const OUTCOMES = [
  { view: '', title: 'Any outcome' },
  { view: '1', title: 'Failed' },
] as const;

const first = firstAnswer<Answer<'list_events'>>('list_events');
const accounts = firstAnswer<Readonly<{ data: readonly NamedAccount[] }>>('list_accounts').data;
const names = new Map(accounts.map(({ id, name }) => [id, name]));
const query = new URLSearchParams(location.search);
const chosen = {
  type: query.get('type') ?? '',
  account: query.get('account') ?? '',
  failed: query.get('failed') === null ? '' : '1',
};
const isFiltered = Object.values(chosen).some((value) => value !== '');

/** The list must not move while the pointer or focus is in it, or while it is scrolled. */
function isHeld(): boolean {
  const list = document.getElementById('log');
  if (list === null) return false;
  return list.matches(':hover, :focus-within') || list.getBoundingClientRect().top < 0;
}
const input = firstAnswer<Input<'list_events'>>('input');
const model = makeActivity({ call, input, first, isHeld, zone: ZONE, titleOf: (platform) => markOf(platform).title });
addEventListener('scroll', model.release, { passive: true });

function addressOf(other: Partial<typeof chosen>): string {
  const fields = Object.entries({ ...chosen, ...other }).filter(([, value]) => value !== '');
  return fields.length === 0 ? '/dashboard/activity' : `/dashboard/activity?${new URLSearchParams(fields)}`;
}

function Page(): JSX.Element {
  const days = first.retention_days;
  return (
    <div class="wide">
      <header class="bar">
        <h1>Activity</h1>
        <Zone />
      </header>
      <p class="quiet">
        What happened, as it happens{days > 0 && `; kept for ${days} days`}.{' '}
        {may('list_audit') && (
          <>
            What assistants asked for and people decided is in the <a href="/dashboard/audit">audit</a>.
          </>
        )}
      </p>
      <Filters />
      <div role="status">
        {model.hasNew.value && (
          <button type="button" onClick={model.showNew}>
            {model.newCount.value} new
          </button>
        )}
      </div>
      <Entries />
      {model.problem.value !== undefined && (
        <p class="refusal" role="alert">
          {model.problem.value}
        </p>
      )}
      {model.hasMore.value && (
        <button type="button" aria-disabled={model.isLoading.value} onClick={() => void model.more()}>
          {model.isLoading.value ? 'Loading …' : 'Show older'}
        </button>
      )}
    </div>
  );
}

function Filters(): JSX.Element {
  return (
    <div class="bar">
      <LinkTabs title="Type" tabs={TYPES} current={chosen.type} hrefOf={(type) => addressOf({ type })} />
      <LinkTabs title="Outcome" tabs={OUTCOMES} current={chosen.failed} hrefOf={(failed) => addressOf({ failed })} />
      <div class="filters">
        <Select
          title="Account"
          value={chosen.account}
          all="All accounts"
          options={accountOptions(accounts)}
          onChosen={(account) => location.assign(addressOf({ account }))}
        />
      </div>
      <search>
        <input
          type="search"
          aria-label="Words in the entries below"
          placeholder="Search"
          value={model.words.value}
          onInput={({ currentTarget }) => void (model.words.value = currentTarget.value)}
        />
      </search>
    </div>
  );
}

function Entries(): JSX.Element {
  const entries = model.shown.value;
  if (entries.length === 0) return <Empty />;
  return (
    <ul
      id="log"
      class="rows card"
      aria-label="Entries"
      onPointerLeave={model.release}
      onFocusOut={() => setTimeout(model.release)}
    >
      {entries.map((one) => (
        <Entry key={one.id} entry={one} />
      ))}
    </ul>
  );
}

function Empty(): JSX.Element {
  if (model.count.value > 0) {
    return (
      <p class="empty">
        None of the {model.count.value} entries that are loaded says “{model.words.value}”.
        {model.hasMore.value && ' Older ones may.'}
      </p>
    );
  }
  return (
    <div class="empty">
      <Icon name="activity" />
      <p>{isFiltered ? 'Nothing of this kind happened.' : 'Nothing happened yet.'}</p>
      {isFiltered && <a href="/dashboard/activity">Show everything</a>}
    </div>
  );
}

function Entry({ entry }: Readonly<{ entry: LogEvent }>): JSX.Element {
  const { summary, action, platform, account_id, created_at, status, error_message } = entry;
  const href = placeOf(entry, may);
  const account = account_id === null ? undefined : names.get(account_id);
  return (
    <li>
      <div>
        {platform !== null && <Mark platform={platform} />}{' '}
        {href === undefined ? (
          <bdi>{summary}</bdi>
        ) : (
          <a href={href}>
            <bdi>{summary}</bdi>
          </a>
        )}
        {status === 'failed' && error_message !== null && (
          <p class="bad">
            <bdi>{messageForPeople(error_message, ZONE)}</bdi>
          </p>
        )}
        <br />
        <small>
          <Time at={created_at} />, <code>{action}</code>
          {account !== undefined && (
            <>
              {', '}
              <bdi>{account}</bdi>
            </>
          )}
        </small>
      </div>
      <Outcome status={status} />
    </li>
  );
}

const STATES = {
  success: { sign: 'published', word: 'Done' },
  failed: { sign: 'failed', word: 'Failed' },
  pending: { sign: 'scheduled', word: 'Waiting' },
  skipped: { sign: 'draft', word: 'Skipped' },
} as const;

function Outcome({ status }: Pick<LogEvent, 'status'>): JSX.Element {
  const { sign, word } = STATES[status];
  return <Badge sign={sign} word={word} />;
}

show({ Page, heard: model.heard });
