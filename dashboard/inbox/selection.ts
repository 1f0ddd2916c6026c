import { computed, signal } from '@preact/signals';
import { itemOfKey, ofThread, type Item } from './list/items.ts';
import type { List } from './list/list.ts';
import type { Threads } from './thread/threads.ts';

/** Debounces: only the last callback runs. */
export type Later = (run: () => void) => void;

type SelectionDeps = Readonly<{
  list: List;
  threads: Threads;
  /** Runs after a pause in the selection. */
  later: Later;
  showAddress(key: string | undefined): void;
  /** Called when another item is opened. */
  opened(): void;
  /** Called with an opened item that was not in the list yet. */
  added(item: Item): void;
  /** How many times the focus has moved. */
  focusMoves(): number;
}>;

/** Steps beyond the end of the list, which wait until more of it has been read. */
type Waiting = { by: number; readonly from: string | undefined; readonly moves: number };

/** Which neighbours of the open item to read in advance, below and above it. */
const AHEAD = [1, 2, 3, -1];
/** The list is read on this many items before its end, so that somebody who holds a key down does not reach it. */
const NEAR_END = 25;

/** The key of the open item. The list needs it to keep that item in its place, so it is created first. */
export const makeOpenKey = () => signal<string | undefined>(undefined);

/** The open item, and how to move to its neighbours. */
export function makeSelection(openKey: ReturnType<typeof makeOpenKey>, deps: SelectionDeps) {
  const { list, threads, later, showAddress, opened, added } = deps;
  const stepLate = makeLateSteps(openKey, deps);
  /** An open item that the list does not have yet. */
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

  /** Reads the open item, and then the items that may be opened next. */
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
    readOn(at);
  }

  /** Reads more of the list before the person reaches its end. */
  function readOn(at: number): void {
    if (at > list.items.peek().length - NEAR_END && list.problem.peek() === undefined) void list.more();
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

  /** Moves by some items; at the end of the list, after reading more of it. Returns whether it moved. */
  async function step(by: number): Promise<boolean> {
    const from = openKey.peek();
    const at = placeOf(from);
    const next = list.items.peek()[at < 0 ? 0 : at + by];
    if (next !== undefined) {
      go(next.key);
      readOn(at);
      return true;
    }
    const mayGrow = list.hasMore.peek() || list.isLoading.peek();
    const late = by > 0 && mayGrow ? await stepLate(by) : undefined;
    const after = late === undefined ? undefined : list.items.peek()[placeOf(from) + late];
    if (after === undefined) return false;
    go(after.key);
    return true;
  }

  const placeOf = (key: string | undefined): number => list.items.peek().findIndex((item) => item.key === key);

  return {
    open,
    find,
    read,
    /** Opens the item that the URL names. */
    show,
    go,
    step,
    /** Opens the item that the URL names, without the usual pause. */
    start(key: string | undefined): void {
      if (key === undefined || itemOfKey(key) === undefined) return;
      show(key);
      readAround();
    },
  };
}

/** Steps that wait at the end of the list for more of it. They are dropped if the person does something else. */
function makeLateSteps(
  openKey: ReturnType<typeof makeOpenKey>,
  { list, focusMoves }: Pick<SelectionDeps, 'list' | 'focusMoves'>,
) {
  let waiting: Waiting | undefined;
  const isUntouched = ({ from, moves }: Waiting) => from === openKey.peek() && moves === focusMoves();

  /** How far to move; undefined if an earlier step that still waits includes this one. */
  return async (by: number): Promise<number | undefined> => {
    if (waiting !== undefined && isUntouched(waiting)) {
      waiting.by += by;
      return undefined;
    }
    const mine: Waiting = { by, from: openKey.peek(), moves: focusMoves() };
    waiting = mine;
    await list.more();
    if (waiting !== mine) return undefined;
    waiting = undefined;
    return isUntouched(mine) ? mine.by : undefined;
  };
}
