import type { JSX } from 'preact';
import { makeDebounce } from '../lib/debounce.ts';
import type { Answer, Input } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Zone, Trouble } from '../lib/parts.tsx';
import { PostRow } from '../lib/posts/post-row.tsx';
import { call, show } from '../lib/shell.tsx';
import { makePosts } from './model.ts';

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
const current = VIEWS.find(({ view }) => view === query.get('view')) ?? VIEWS[0];
const list = makePosts({
  call,
  input: firstAnswer<Input<'list_posts'>>('input'),
  first: firstAnswer<Answer<'list_posts'>>('list_posts'),
  later: makeDebounce(),
});

function addressOf(view: string): string {
  const fields = new URLSearchParams(Object.entries({ view, search, media: file }).filter(([, value]) => value !== ''));
  return fields.size === 0 ? '/dashboard/posts' : `/dashboard/posts?${fields}`;
}

function Page(): JSX.Element {
  return (
    <>
      <header class="bar">
        <h1>Posts</h1>
        <Zone />
      </header>
      <div class="bar">
        <nav class="tabs" aria-label="State">
          {VIEWS.map(({ view, title }) => (
            <a key={view} href={addressOf(view)} aria-current={view === current.view ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <search>
          <form class="search" action="/dashboard/posts">
            {current.view !== '' && <input type="hidden" name="view" value={current.view} />}
            {file !== '' && <input type="hidden" name="media" value={file} />}
            <input type="search" name="search" aria-label="Text of posts" placeholder="Search" defaultValue={search} />
            <button>Search</button>
          </form>
        </search>
      </div>
      {file !== '' && (
        <p>
          Only posts that use one file. <a href="/dashboard/posts">Show all posts</a>
        </p>
      )}
      {list.problem.value !== undefined && <Trouble text={list.problem.value} again={list.again} />}
      {list.hasNews.value && (
        <button type="button" onClick={() => void list.again()}>
          Show what is new
        </button>
      )}
      {list.posts.value.length === 0 ? <Empty /> : <List />}
    </>
  );
}

function List(): JSX.Element {
  return (
    <>
      <ul class="posts" aria-busy={list.isLoading.value}>
        {list.posts.value.map((post) => (
          <li key={post.id}>
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
  if (search !== '') return `No post here says “${search}”.`;
  return file === '' ? current.empty : 'No post here uses this file.';
}

function Empty(): JSX.Element {
  return (
    <div class="empty">
      <Icon name="posts" />
      <p>{emptyWords()}</p>
      {search === '' && file === '' && current.view === '' && (
        <p>Assistants and programs create posts with create_post. They appear here automatically.</p>
      )}
      {(search !== '' || current.view !== '') && <a href="/dashboard/posts">Show all posts</a>}
    </div>
  );
}

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.post')];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

show({
  Page,
  heard: list.heard,
  shortcuts: [
    { keys: 'j', does: 'Next post', run: () => step(1) },
    { keys: 'k', does: 'Previous post', run: () => step(-1) },
  ],
});
