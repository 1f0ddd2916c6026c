import { computed } from '@preact/signals';
import type { excessesOf } from '#kernel/text/length.ts';
import type { Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { AbleAccount, LogEvent, OperationName } from '../lib/operations.ts';
import type { Item } from './list/items.ts';
import { makeList } from './list/list.ts';
import { makeSource, type Filters, type Part } from './list/sources.ts';
import { concerns, subjectOf, type View } from './list/views.ts';
import type { Store } from './reply/drafts.ts';
import type { Locks, Sending } from './reply/outbox.ts';
import { makeReplies } from './reply/replies.ts';
import { makeOpenKey, makeSelection, type Later } from './selection.ts';
import { makeCommentActs, makeConversationActs } from './thread/acts.ts';
import { makeThreads } from './thread/threads.ts';

type InboxDeps = Readonly<{
  call: Call;
  may(name: OperationName): boolean;
  view: View;
  filters: Filters;
  isArchive: boolean;
  accounts: readonly AbleAccount[];
  first: Part | undefined;
  /** The signed-in person, to whom the drafts belong. */
  person: string;
  zone: string;
  clock(): number;
  /** Whether the page is visible and has the focus. */
  isVisible(): boolean;
  newKey(): string;
  store: Store;
  locks: Locks;
  say: Say;
  /** By how much a text exceeds a platform's limits, as far as is known. */
  excessesOf: typeof excessesOf;
  /** Delays: after events, after a selection, and until an open item counts as looked at. */
  later: Readonly<{ list: Later; thread: Later; open: Later; looked: Later }>;
  showAddress(key: string | undefined): void;
  focusMoves(): number;
}>;

/** The subject of events that change a thread, by its kind. */
const SUBJECTS: Readonly<Record<Item['kind'], string>> = {
  conversation: 'dm',
  comment: 'comment',
  post: 'comment',
  mention: 'mention',
  review: 'review',
};

export function makeInbox(deps: InboxDeps) {
  const { call, may, view, isArchive, later } = deps;
  const openKey = makeOpenKey();
  /** The conversation that the person marked as unread while it was open. */
  let leftUnread: string | undefined;

  const threads = makeThreads({ call, may }, (key) => key === openKey.peek() && look());
  const source = makeSource(call, deps);
  const list = makeList({ source, first: deps.first, isHeld: (key) => key === openKey.peek() });
  const selection = makeSelection(openKey, { ...deps, list, threads, later: later.open, opened, added });
  const { open, find, step } = selection;
  const replies = makeReplies({ ...deps, threads, open, sent });
  const acts = { ...makeConversationActs({ ...deps, list, threads }), ...makeCommentActs({ ...deps, list, threads }) };

  /** Marks the open item as read after the person has had time to look at it. */
  function look(): void {
    if (!may('mark_conversation_read')) return;
    later.looked(() => {
      const item = find(openKey.peek());
      if (item === undefined || leftUnread === item.key || !deps.isVisible()) return;
      const { detail, problem, isLoading } = threads.of(item.key).peek();
      if (detail !== undefined && problem === undefined && !isLoading) void acts.looked(item);
    });
  }

  function opened(): void {
    leftUnread = undefined;
    look();
  }

  /** If the whole list is known and lacks the item, nobody has to reply to it any more. */
  function added({ key }: Item): void {
    if (view === 'unanswered' && !list.hasMore.peek()) list.settle(key, 'Done');
  }

  function sent({ thread, to }: Sending): void {
    const item = find(thread);
    if (item === undefined) return;
    if (view === 'unanswered' && (to === undefined || to === item.id)) list.settle(thread, 'Answered');
    void threads.read(item);
  }

  const isArchived = (key: string): boolean => {
    const word = list.settled.value.get(key);
    return word === 'Archived' || (isArchive && word === undefined);
  };

  return {
    view,
    list,
    threads,
    acts,
    openKey: computed(() => openKey.value),
    ...selection,
    ...replies,
    isArchived,
    look,

    async archive(): Promise<void> {
      const item = open.peek();
      if (item?.kind !== 'conversation') return;
      const to = isArchived(item.key) ? 'active' : 'archived';
      if (to === 'archived') void step(1);
      await acts.file(item, to);
    },
    async unread(): Promise<void> {
      const item = open.peek();
      if (item?.kind !== 'conversation') return;
      const isUnread = item.count === 0;
      leftUnread = isUnread ? item.key : undefined;
      await acts.unread(item, isUnread);
    },

    /** Reads again what a log entry affects. */
    heard({ category, account_id, metadata }: LogEvent): void {
      if (category !== 'inbox') return;
      const { event } = metadata;
      if (concerns(view, event)) later.list(() => void list.refresh().catch(() => undefined));
      const item = open.peek();
      threads.forget(account_id, item?.key);
      if (item?.accountId !== account_id || SUBJECTS[item.kind] !== subjectOf(event)) return;
      later.thread(() => void threads.read(item));
      look();
    },

    /** Opens the item that the URL names. */
    start(key: string | undefined): void {
      if (deps.first === undefined) void list.again();
      selection.start(key);
    },
  };
}
