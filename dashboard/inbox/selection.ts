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
  showAddress(key: string | undefined): void;
  /** Called when something else is opened. */
  opened(): void;
  /** Called with an item that was opened although the list has not reached it. */
  added(item: Item): void;
  /** How often the focus has moved. */
  focusMoves(): number;
}>;

/** Steps that wait until the list is read on. */
type Waiting = { by: number; readonly from: string | undefined; readonly moves: number };

/** How many are read ahead, below and above. */
const AHEAD = [1, 2, 3, -1];
/** How close to its end a list is read on, so that whoever holds the key down does not reach it. */
const NEAR_END = 25;

/** What names what is open; made before the list, which holds it in its place. */
export const makeOpenKey = () => signal<string | undefined>(undefined);

/** What is open, and the way to what is around it. */
export function makeSelection(openKey: ReturnType<typeof makeOpenKey>, deps: SelectionDeps) {
  const { list, threads, later, showAddress, opened, added } = deps;
  const stepLate = makeLateSteps(openKey, deps);
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
    readOn(at);
  }

  /** Reads the list on before somebody at a place comes to its end. */
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

  /** Goes on by some places, at the end of what was read once it is read on; answers whether it did. */
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
    /** Follows the address. */
    show,
    go,
    step,
    /** Begins with what the address names, without waiting for it to rest. */
    start(key: string | undefined): void {
      if (key === undefined || itemOfKey(key) === undefined) return;
      show(key);
      readAround();
    },
  };
}

/** Steps at the end of what was read, which wait for more, and are given up if something else is done meanwhile. */
function makeLateSteps(
  openKey: ReturnType<typeof makeOpenKey>,
  { list, focusMoves }: Pick<SelectionDeps, 'list' | 'focusMoves'>,
) {
  let waiting: Waiting | undefined;
  const isUntouched = ({ from, moves }: Waiting) => from === openKey.peek() && moves === focusMoves();

  /** How far to go; nowhere if an earlier step, which still waits, goes this far too. */
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
