import { computed, signal } from '@preact/signals';
import { itemOfKey, ofThread, type Item } from './list/items.ts';
import type { List } from './list/list.ts';
import type { Threads } from './thread/threads.ts';

/** Debounces: only the last callback runs. */
export type Later = (run: () => void) => void;

type SelectionDeps = Readonly<{
  list: List;
  threads: Threads;
  /** Runs once the selection rests. */
  later: Later;
  /** Shows in the address what is open. */
  showAddress(key: string | undefined): void;
  /** Called when something else is opened. */
  opened(): void;
  /** Called with an item that was opened although the list has not reached it. */
  added(item: Item): void;
}>;

/** How many are read ahead, below and above. */
const AHEAD = [1, 2, 3, -1];
/** How close to its end a list is read on. */
const NEAR_END = 10;

/** What names what is open; made before the list, which holds it in its place. */
export const makeOpenKey = () => signal<string | undefined>(undefined);

/** What is open, and the way to what is around it. */
export function makeSelection(openKey: ReturnType<typeof makeOpenKey>, deps: SelectionDeps) {
  const { list, threads, later, showAddress, opened, added } = deps;
  /** What is open although the list has not reached it. */
  const unlisted = signal<Item | undefined>(undefined);

  const find = (key: string | undefined) => list.items.peek().find((item) => item.key === key);
  const open = computed(() => {
    const key = openKey.value;
    const item = list.items.value.find((one) => one.key === key);
    return item ?? (unlisted.value?.key === key ? unlisted.value : undefined);
  });

  async function read(item: Item): Promise<void> {
    await threads.read(item);
    const { detail } = threads.of(item.key).peek();
    if (detail === undefined || unlisted.peek()?.key !== item.key || openKey.peek() !== item.key) return;
    const found = ofThread(detail, item.key);
    list.put(found);
    unlisted.value = undefined;
    added(found);
  }

  /** Reads what is open, then what may be opened next. */
  function readAround(): void {
    const item = open.peek();
    if (item === undefined) return;
    if (threads.of(item.key).peek().detail === undefined) void read(item);
    const items = list.items.peek();
    const at = items.findIndex(({ key }) => key === item.key);
    for (const by of AHEAD) {
      const near = items[at + by];
      if (at >= 0 && near !== undefined) void threads.readAhead(near);
    }
    if (at > items.length - NEAR_END) void list.more();
  }

  function show(key: string | undefined): void {
    openKey.value = key;
    if (key !== undefined && find(key) === undefined) unlisted.value = itemOfKey(key);
    opened();
    later(readAround);
  }

  function go(key: string | undefined): void {
    show(key);
    showAddress(key);
  }

  return {
    open,
    find,
    read,
    /** Follows the address. */
    show,
    go,
    step(by: number): void {
      const items = list.items.peek();
      const at = items.findIndex(({ key }) => key === openKey.peek());
      const next = at < 0 ? items[0] : items[at + by];
      if (next !== undefined) go(next.key);
    },
    /** Begins with what the address names, without waiting for it to rest. */
    start(key: string | undefined): void {
      if (key === undefined || itemOfKey(key) === undefined) return;
      show(key);
      readAround();
    },
  };
}
