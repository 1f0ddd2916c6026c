import { computed, signal } from '@preact/signals';
import { isChoosable, titleOf } from '#kernel/people/preview.ts';
import { makeActing, type Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Action } from '../lib/operations.ts';
import { makeEdits, type Kept } from './edits.ts';
import { makeProblems } from './problems.ts';
import { isHeld, makeReading, type ReadingDeps } from './reading.ts';

type QueueDeps = ReadingDeps & Readonly<{ kept: Kept; newKey(): string; say: Say }>;

type Decide = (callOnce: Call, action: Action) => Promise<Action>;

/** Adds the id, or removes it if it is already in the set. */
function turned(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const now = new Set(ids);
  if (!now.delete(id)) now.add(id);
  return now;
}

/** The actions that wait for a person. One is open; several can be ticked. */
export function makeQueue(deps: QueueDeps) {
  const { problems, mark, hasChanged, takeUnseen, see } = makeProblems();
  const { order, rows, waiting, decided, find, show, refresh } = makeReading({
    ...deps,
    changed(action) {
      deps.changed(action);
      hasChanged(action.id);
    },
  });
  const { changesOf, undoEdits, ...edits } = makeEdits(deps.kept);
  const opened = signal<string | undefined>(undefined);
  const current = computed(() => opened.value ?? order.value[0]);
  const chosen = signal<ReadonlySet<string>>(new Set());
  const { isBusy, act } = makeActing(deps);

  /** Sends the decisions one after the other and stops at the first refusal. */
  async function decide(actions: readonly Action[], decideOne: Decide, words: string): Promise<boolean> {
    if (actions.length === 0) return false;
    let refused: string | undefined;
    const isDone = await act(async (callOnce) => {
      for (const action of actions) {
        try {
          show(await decideOne(callOnce, action));
          mark(action.id, undefined);
        } catch (error) {
          opened.value = refused = action.id;
          if (error instanceof RefusedError) mark(action.id, error.message);
          throw error;
        }
      }
      return `${words}: ${actions.length === 1 ? titleOf(actions[0]!) : actions.length}.`;
    });
    const still = new Set(waiting.value.map(({ id }) => id));
    chosen.value = new Set([...chosen.value].filter((id) => still.has(id)));
    if (!isDone) await refresh().catch(() => undefined);
    if (refused !== undefined) see(refused);
    return isDone;
  }

  return {
    isBusy,
    rows,
    waiting,
    decided,
    current,
    chosen: computed(() => chosen.value),
    chosenOnes: computed(() => waiting.value.filter(({ id }) => chosen.value.has(id))),
    problems,
    find,
    refresh,
    changesOf,
    undoEdits,
    ...edits,

    go: (id: string) => void (opened.value = id),
    /** Opens the next or previous action and returns its id. */
    step(by: 1 | -1): string | undefined {
      const at = order.value.indexOf(current.value ?? '');
      const next = order.value[Math.max(0, Math.min(order.value.length - 1, at + by))];
      opened.value = next;
      return next;
    },

    /** Ticks or unticks a pending action. */
    turn(id: string): void {
      const action = find(id);
      if (action === undefined || !isHeld(action)) return;
      if (!isChoosable(action)) return deps.say('Requests about stored posts are decided one by one.');
      chosen.value = turned(chosen.value, id);
    },
    chooseNone: () => void (chosen.value = new Set()),

    /** Approves pending actions with the person's edits. If one has changed since it was shown, none is approved. */
    async approve(actions: readonly Action[]): Promise<boolean> {
      const held = actions.filter(isHeld);
      const [changed] = takeUnseen(held.map(({ id }) => id));
      opened.value = changed ?? opened.value;
      if (changed !== undefined) return false;
      return decide(
        held,
        async (callOnce, action) => {
          const changes = changesOf(action);
          const given = Object.keys(changes).length > 0 ? { edits: changes } : {};
          const answer = await callOnce('approve_action', { action_id: action.id, etag: action.etag, ...given });
          undoEdits(action.id);
          return answer;
        },
        'Approved',
      );
    },

    deny: (actions: readonly Action[], note: string | undefined): Promise<boolean> =>
      decide(
        actions.filter(isHeld),
        (callOnce, { id, etag }) =>
          callOnce('deny_action', { action_id: id, etag, ...(note !== undefined && { note }) }),
        'Denied',
      ),
  };
}
