import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import { pressKey } from '../lib/call.ts';
import { makeSettling } from '../lib/debounce.ts';
import { may } from '../lib/frame/may.ts';
import { Owners, type Owner } from '../lib/frame/owners.tsx';
import { LinkTabs } from '../lib/frame/tabs.tsx';
import type { Answer, Input } from '../lib/operations.ts';
import { firstAnswer, ZONE } from '../lib/page.ts';
import { Icon, Zone, Trouble } from '../lib/parts.tsx';
import { PostRow, wordsOf } from '../lib/posts/post-row.tsx';
import { call, show } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeBulk } from './bulk.ts';
import { makePosts } from './model.ts';
import { Ask, canSelect, Failures, focusActions, Selected } from './selected.tsx';

const VIEWS = [
  { view: '', title: 'All', empty: 'There is no post yet.' },
  { view: 'scheduled', title: 'Scheduled', empty: 'Nothing is scheduled.' },
  { view: 'published', title: 'Published', empty: 'Nothing is published yet.' },
  { view: 'failed', title: 'Failed', empty: 'Nothing failed.' },
  { view: 'draft', title: 'Drafts', empty: 'There is no draft.' },
] as const;

const query = new URLSearchParams(location.search);
const search = query.get('search') ?? '';
const file = query.get('media') ?? '';
const refusal = firstAnswer<string | undefined>('refusal');
const current = VIEWS.find(({ view }) => view === query.get('view')) ?? VIEWS[0];
const list = makePosts({
  call,
  input: firstAnswer<Input<'list_posts'>>('input'),
  first: firstAnswer<Answer<'list_posts'>>('list_posts'),
  later: makeSettling(),
});
const bulk = makeBulk({ call, newKey: pressKey, list, zone: ZONE, say });

/** The filters besides the state. They are kept in the URL. */
const filters = computed(() => ({ search, media: file, ...list.owner.value }));
const isFiltered = computed(() => Object.values(filters.value).some((value) => value !== ''));

function addressOf(view: string, narrowed: Readonly<Record<string, string>> = filters.value): string {
  const fields = new URLSearchParams(Object.entries({ view, ...narrowed }).filter(([, value]) => value !== ''));
  return fields.size === 0 ? '/dashboard/posts' : `/dashboard/posts?${fields}`;
}

async function filter(owner: Owner): Promise<void> {
  const reading = list.filter(owner);
  history.replaceState(null, '', addressOf(current.view));
  await reading;
}

function Page(): JSX.Element {
  return (
    <>
      <header class="bar">
        <h1>Posts</h1>
        {may('import_posts') && (
          <a class="button" href="/dashboard/posts/import">
            Import
          </a>
        )}
        <Zone />
      </header>
      <div class="bar">
        <LinkTabs title="State" tabs={VIEWS} current={current.view} hrefOf={(view) => addressOf(view)} />
        <Filters />
      </div>
      {file !== '' && <p>Only posts that use one file.</p>}
      {isFiltered.value && (
        <p>
          <a href={addressOf(current.view, {})}>Remove the filters</a>
        </p>
      )}
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      {list.problem.value !== undefined && <Trouble text={list.problem.value} again={list.again} />}
      <Failures bulk={bulk} />
      {list.hasNews.value && (
        <button type="button" onClick={() => void list.again()}>
          Show what is new
        </button>
      )}
      {list.posts.value.length > 0 ? <List /> : list.problem.value === undefined && <Empty />}
      <Ask bulk={bulk} />
    </>
  );
}

function Filters(): JSX.Element {
  const { search: words, ...others } = filters.value;
  return (
    <>
      <div class="filters" role="group" aria-label="Filters">
        <Owners {...list.owner.value} onChosen={(owner) => void filter(owner)} />
      </div>
      <search>
        <form class="search" action="/dashboard/posts">
          {Object.entries({ view: current.view, ...others }).map(
            ([name, value]) => value !== '' && <input key={name} type="hidden" name={name} value={value} />,
          )}
          <input type="search" name="search" aria-label="Text of posts" placeholder="Search" defaultValue={words} />
          <button>Search</button>
        </form>
      </search>
    </>
  );
}

function List(): JSX.Element {
  return (
    <>
      {canSelect && <Selected bulk={bulk} />}
      <ul class="posts" aria-busy={list.isLoading.value}>
        {list.posts.value.map((post) => (
          <li key={post.id}>
            {canSelect && (
              <label class="pick">
                <input
                  type="checkbox"
                  aria-label={`Select: ${wordsOf(post)}`}
                  checked={bulk.isChosen(post.id)}
                  onChange={() => bulk.turn(post.id)}
                />
              </label>
            )}
            <PostRow post={post} />
          </li>
        ))}
      </ul>
      {list.hasMore.value && (
        <button type="button" aria-disabled={list.isLoading.value} onClick={() => void list.more()}>
          {list.isLoading.value ? 'Loading …' : 'Show more'}
        </button>
      )}
    </>
  );
}

function emptyWords(): string {
  const { brand, account } = list.owner.value;
  if (brand !== '' || account !== '') return 'No post here matches the filters.';
  if (search !== '') return `No post here says “${search}”.`;
  return file === '' ? current.empty : 'No post here uses this file.';
}

function Empty(): JSX.Element {
  return (
    <div class="empty" aria-busy={list.isLoading.value}>
      <Icon name="posts" />
      <p>{emptyWords()}</p>
      {!isFiltered.value && current.view === '' && may('create_post') && (
        <p>
          <a href="/dashboard/compose">Write one</a>, or <a href="/dashboard/posts/import">import a spreadsheet</a>.
          What assistants and programs write appears here, too.
        </p>
      )}
      {(isFiltered.value || current.view !== '') && <a href="/dashboard/posts">Show all posts</a>}
    </div>
  );
}

const rows = () => [...document.querySelectorAll<HTMLElement>('.posts li')];
const focusedRow = () => rows().findIndex((row) => row.contains(document.activeElement));

function step(by: number): void {
  const all = rows();
  const at = focusedRow();
  all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]?.querySelector('a')?.focus();
}

function turnFocused(): void {
  const post = list.posts.peek()[focusedRow()];
  if (post !== undefined) bulk.turn(post.id);
}

show({
  Page,
  heard: list.heard,
  isUnderWay: () => bulk.progress.peek() !== undefined,
  shortcuts: [
    { keys: 'j', does: 'Next post', run: () => step(1) },
    { keys: 'k', does: 'Previous post', run: () => step(-1) },
    ...(canSelect
      ? [
          { keys: 'x', does: 'Select, or not', run: turnFocused },
          { keys: 'a', does: 'To the actions for selected posts', run: focusActions },
        ]
      : []),
  ],
});
