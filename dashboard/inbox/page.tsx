import type { JSX } from 'preact';
import { Icon, Zone, Trouble } from '../lib/parts.tsx';
import { canConnect, Connecting } from '../lib/frame/connecting.tsx';
import { LinkTabs } from '../lib/frame/tabs.tsx';
import { show } from '../lib/shell.tsx';
import { focusOpen } from './focus.ts';
import { accounts, addressOf, brands, current, filters, inbox, isArchive, isNarrow, PATH } from './inbox.ts';
import { Filters } from './list/filters.tsx';
import { Rows } from './list/rows.tsx';
import { VIEWS } from './list/views.ts';
import { Pane } from './thread/pane.tsx';
import { focusReply } from './reply/box.tsx';
import { chooseSaved } from './reply/saved.tsx';

const { list } = inbox;

function Page(): JSX.Element {
  const isOpen = inbox.openKey.value !== undefined;
  const waiting = current.view === 'unanswered' ? list.waiting.value : 0;
  document.title = `${waiting === 0 ? '' : `(${waiting}${list.hasMore.value ? '+' : ''}) `}${current.title} · Inbox · Rostra`;
  return (
    <div class={`inbox ${isOpen ? 'has-open' : ''}`}>
      <header class="bar">
        <h1>Inbox</h1>
        <LinkTabs title="Kind" tabs={VIEWS} current={current.view} hrefOf={(view) => addressOf(view)} />
        <Zone />
      </header>
      <Filters />
      <Troubles />
      <div class="panes">
        <section class="listed" aria-label={current.title}>
          {list.isEmpty.value ? <Empty /> : <Rows onChosen={focusThread} />}
          {list.isLoading.value && list.items.value.length === 0 && <Loading />}
        </section>
        <Pane />
      </div>
    </div>
  );
}

function Troubles(): JSX.Element {
  const problem = list.problem.value;
  return (
    <>
      {problem !== undefined && <Trouble text={problem} again={list.again} />}
      {list.warnings.value.map((warning) => (
        <p class="note" key={warning}>
          <bdi>{warning}</bdi>
        </p>
      ))}
    </>
  );
}

const Loading = (): JSX.Element => (
  <>
    <p class="heard" role="status">
      Loading
    </p>
    <div class="skeleton" />
    <div class="skeleton" />
  </>
);

const isFiltered = Object.values(filters).some((value) => value !== '') && brands.length > 0;

function Empty(): JSX.Element {
  if (accounts.length === 0)
    return (
      <div class="empty">
        <Icon name="accounts" />
        <p>{canConnect ? 'Connect an account to see what people write to you.' : 'No account is connected yet.'}</p>
        <Connecting class="button primary" />
      </div>
    );
  return (
    <div class="empty">
      <Icon name={current.view === 'unanswered' ? 'published' : 'speech'} />
      <p>{isArchive ? 'Nothing is archived.' : current.empty}</p>
      {isFiltered && (
        <a href={current.view === 'unanswered' ? PATH : `${PATH}?view=${current.view}`}>Show all accounts</a>
      )}
      {!isFiltered && current.view === 'unanswered' && <p>New messages appear here automatically.</p>}
    </div>
  );
}

/** Focuses the opened item if the list is hidden. */
function focusThread(): void {
  if (isNarrow.peek()) focusOpen();
}

async function step(by: number): Promise<void> {
  if (await inbox.step(by)) focusOpen();
}

function turn(by: number): void {
  const at = VIEWS.findIndex(({ view }) => view === current.view);
  const next = VIEWS[(at + by + VIEWS.length) % VIEWS.length]!;
  location.assign(addressOf(next.view));
}

const comment = () => inbox.target.peek()?.comment;

show({
  Page,
  heard: inbox.heard,
  shortcuts: [
    { keys: 'j', does: 'Next', run: () => void step(1) },
    { keys: 'k', does: 'Previous', run: () => void step(-1) },
    { keys: 'r', does: 'Answer', needs: 'reply_to_comment', run: () => focusReply(false) },
    { keys: 'p', does: 'Answer in private', needs: 'private_reply_to_comment', run: () => focusReply(true) },
    { keys: 's', does: 'Put in a saved reply', needs: 'reply_to_comment', run: chooseSaved },
    { keys: 'e', does: 'Archive, or bring back', needs: 'update_conversation', run: () => void inbox.archive() },
    { keys: 'u', does: 'Unread, or read', needs: 'update_conversation', run: () => void inbox.unread() },
    {
      keys: 'h',
      does: 'Hide the comment, or show it',
      needs: 'hide_comment',
      run: () => act('can_hide', (one) => inbox.acts.hide(...one)),
    },
    {
      keys: 'l',
      does: 'Like the comment, or not',
      needs: 'like_comment',
      run: () => act('can_like', (one) => inbox.acts.like(...one)),
    },
    { keys: '[', does: 'Kind before', run: () => turn(-1) },
    { keys: ']', does: 'Next kind', run: () => turn(1) },
    { keys: 'Escape', does: 'Back to the list', run: () => isNarrow.peek() && inbox.go(undefined) },
  ],
});

type Act = Parameters<typeof inbox.acts.hide>;

/** Acts on the comment that a reply would go to, if the platform allows it. */
function act(can: 'can_hide' | 'can_like', run: (act: Act) => Promise<void>): void {
  const [item, about] = [inbox.open.peek(), comment()];
  if (item === undefined || about === undefined || !about.capabilities[can]) return;
  void run([item, about, can === 'can_hide' ? !about.is_hidden : !about.is_liked]);
}
