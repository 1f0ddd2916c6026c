import { signal } from '@preact/signals';
import { pressKey } from '../lib/call.ts';
import { makeDebounce, makeSettling } from '../lib/debounce.ts';
import { locks as tabLocks } from '../lib/frame/locks.ts';
import { may } from '../lib/frame/may.ts';
import type { AbleAccount, Answer, Found, NamedBrand } from '../lib/operations.ts';
import { firstAnswer, ZONE } from '../lib/page.ts';
import { call } from '../lib/shell.tsx';
import { counting, loadCounting, UNCOUNTED } from '../lib/text/counting.ts';
import { say } from '../lib/toasts.tsx';
import { ofConversation, ofFound, ofPost, ofUnanswered } from './list/items.ts';
import { onceEach, partOf, type Part } from './list/sources.ts';
import { SEARCH, VIEWS, type View } from './list/views.ts';
import { makeInbox } from './model.ts';

export const PATH = '/dashboard/inbox';
/** How long to wait after a selection before the thread is read, and then before it counts as looked at. */
const REST_MS = 120;
const LOOK_MS = 1_500;
/** How long to wait for locks that another page may be about to release. */
const LEAVING_MS = 2_000;

const query = new URLSearchParams(location.search);
export const accounts = firstAnswer<Readonly<{ data: readonly AbleAccount[] }>>('list_accounts').data;
export const brands = firstAnswer<Readonly<{ data: readonly NamedBrand[] }>>('list_brands').data;
const asked = query.get('q') ?? '';
export const current =
  asked.trim() !== '' ? SEARCH : (VIEWS.find(({ view }) => view === query.get('view')) ?? VIEWS[0]);
export const isArchive = current.view === 'messages' && query.has('archived');
export const filters = {
  account: query.get('account') ?? '',
  brand: query.get('brand') ?? '',
  platform: query.get('platform') ?? '',
  kind: query.get('kind') ?? '',
  q: asked,
};

const inView = accounts.filter(
  ({ id, brand_id, platform }) =>
    (filters.account === '' || id === filters.account) &&
    (filters.brand === '' || brand_id === filters.brand) &&
    (filters.platform === '' || platform === filters.platform),
);

function firstPart(): Part | undefined {
  const { view } = current;
  if (view === 'unanswered') return partOf(firstAnswer<Answer<'list_unanswered'>>('items'), ofUnanswered);
  if (view === 'messages') return partOf(firstAnswer<Answer<'list_conversations'>>('items'), ofConversation);
  if (view === 'comments') return partOf(firstAnswer<Answer<'list_inbox_posts'>>('items'), ofPost);
  if (view === 'search') return onceEach(partOf(firstAnswer<Answer<'search_inbox'>>('items'), ofFound));
  return undefined;
}

export function addressOf(view: View, more: Readonly<Record<string, string | undefined>> = {}): string {
  const { q, kind, ...narrowed } = filters;
  const looked = view === 'search' ? { q, kind } : {};
  const fields = { view: view === 'unanswered' || view === 'search' ? '' : view, ...looked, ...narrowed, ...more };
  const filled = Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]));
  const search = new URLSearchParams(filled).toString();
  return search === '' ? PATH : `${PATH}?${search}`;
}

const ARCHIVED = { archived: isArchive ? 'yes' : undefined };
export const addressOfItem = (key: string | undefined): string => addressOf(current.view, { ...ARCHIVED, item: key });

const narrow = matchMedia('(max-width: 48rem)');
/** Whether the screen has room for only the list or the open item. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => void (isNarrow.value = narrow.matches));

function showAddress(key: string | undefined): void {
  // On a narrow screen, the browser's back button leads to the list.
  const isOpening = isNarrow.peek() && key !== undefined && !new URLSearchParams(location.search).has('item');
  history[isOpening ? 'pushState' : 'replaceState'](null, '', addressOfItem(key));
}

let focusMoves = 0;
addEventListener('focusin', () => void (focusMoves += 1));

export const inbox = makeInbox({
  call,
  may,
  view: current.view,
  filters: {
    account_id: filters.account || undefined,
    brand_id: filters.brand || undefined,
    platform: (filters.platform || undefined) as AbleAccount['platform'] | undefined,
    q: filters.q || undefined,
    kind: (filters.kind || undefined) as Found['kind'] | undefined,
  },
  isArchive,
  accounts: inView,
  first: firstPart(),
  person: firstAnswer<string>('person'),
  zone: ZONE,
  clock: () => Date.now(),
  isVisible: () => !document.hidden && document.hasFocus(),
  newKey: pressKey,
  store: localStorage,
  locks: {
    async hold(name, run) {
      await tabLocks.request(name, run);
    },
    isFree: (name) =>
      tabLocks.request(name, { signal: AbortSignal.timeout(LEAVING_MS) }, () => true).catch(() => false),
  },
  say,
  excessesOf: (text, rule) => counting.value?.excessesOf(text, rule) ?? [],
  later: {
    list: makeSettling(),
    thread: makeSettling(),
    open: makeDebounce(REST_MS),
    looked: makeDebounce(LOOK_MS),
  },
  showAddress,
  focusMoves: () => focusMoves,
});

const named = (): string | undefined => new URLSearchParams(location.search).get('item') ?? undefined;
document.addEventListener('visibilitychange', () => void (document.hidden || inbox.look()));
addEventListener('focus', inbox.look);
addEventListener('popstate', () => inbox.show(named()));
inbox.start(named());
void loadCounting().catch(() => say(UNCOUNTED, { isBad: true }));
