import { computed, signal } from '@preact/signals';
import type { Call } from '../lib/call.ts';
import type { Action } from '../lib/operations.ts';

export type ReadingDeps = Readonly<{
  call: Call;
  /** The pending actions, and below the recent ones; the newest come first. */
  held: readonly Action[];
  recent: readonly Action[];
  /** Called with each pending action that has changed. */
  changed(action: Action): void;
}>;

/** How many decided actions to list. */
const RECENT = 20;
const PAGE_SIZE = 100;

export const isHeld = ({ state }: Action): boolean => state === 'held';

/** The actions as last read. `rows` began as pending and are in order of arrival; `decided` are other recent ones. */
export function makeReading({ call, held: waited, recent: latest, changed }: ReadingDeps) {
  const known = signal<ReadonlyMap<string, Action>>(new Map([...latest, ...waited].map((one) => [one.id, one])));
  const order = signal<readonly string[]>(waited.map(({ id }) => id).toReversed());
  const recent = signal<readonly string[]>(latest.map(({ id }) => id));
  const rows = computed(() => order.value.map((id) => known.value.get(id)!));
  const find = (id: string | undefined): Action | undefined => known.value.get(id ?? '');
  let decisions = 0;

  function put(actions: readonly Action[]): void {
    const others = actions.filter((one) => isHeld(one) && (find(one.id) ?? one).etag !== one.etag);
    known.value = new Map([...known.value, ...actions.map((one) => [one.id, one] as const)]);
    for (const action of others) changed(action);
  }

  async function refresh(): Promise<void> {
    const before = decisions;
    const [held, lately] = await Promise.all([
      call('list_actions', { state: 'held', limit: PAGE_SIZE }),
      call('list_actions', { limit: RECENT }),
    ]);
    // What was decided during the request may still be pending in its result.
    if (decisions !== before) return refresh();
    put([...lately.data, ...held.data]);
    const fresh = held.data.map(({ id }) => id).filter((id) => !order.value.includes(id));
    order.value = [...order.value, ...fresh.toReversed()];
    recent.value = lately.data.map(({ id }) => id);
    // Rows that ended elsewhere and are not among the recent ones have to be read individually.
    const open = rows.value.filter(({ id, state }) => state === 'held' && !held.data.some((one) => one.id === id));
    const going = rows.value.filter(({ state }) => state === 'approved' || state === 'running');
    put(await Promise.all([...open, ...going].map(({ id }) => call('get_action', { action_id: id }))));
  }

  return {
    order,
    /** Rows that have been decided keep their place. */
    rows,
    waiting: computed(() => rows.value.filter(isHeld)),
    /** Recently decided actions that are not among the rows. */
    decided: computed(() =>
      recent.value.flatMap((id) => {
        const one = known.value.get(id)!;
        return isHeld(one) || order.value.includes(id) ? [] : [one];
      }),
    ),
    find,
    refresh,
    /** Shows an action as it is after a decision. */
    show(action: Action): void {
      decisions += 1;
      put([action]);
    },
  };
}
