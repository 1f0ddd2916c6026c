import { batch, computed, signal } from '@preact/signals';
import type { Say } from '../lib/acting.ts';
import { RefusedError, type Call } from '../lib/call.ts';
import type { Post } from '../lib/operations.ts';
import { counted } from '#kernel/people/counted.ts';
import type { Action, Shift } from './actions.ts';
import type { Posts } from './model.ts';

type BulkDeps = Readonly<{
  call: Call;
  newKey(): string;
  list: Pick<Posts, 'posts' | 'reread' | 'drop'>;
  zone: string;
  say: Say;
}>;

type Failure = Readonly<{ post: Post; text: string }>;
type Progress = Readonly<{ action: Action; done: number; of: number }>;
/** What an action could not do: posts with the reason, and how many it did not come to. */
type Outcome = Readonly<{ action: Action; of: number; failures: readonly Failure[]; left: number }>;

const LOST = 'No answer came, so it may be done. It is no longer selected: look at it first.';
const A_DAY: Shift = { by: 1, unit: 'days' };

/** The selected posts of the list, and what is done to them. */
export function makeBulk({ call, newKey, list, zone, say }: BulkDeps) {
  const chosen = signal<ReadonlySet<string>>(new Set());
  const asked = signal<Action | undefined>(undefined);
  const progress = signal<Progress | undefined>(undefined);
  const outcome = signal<Outcome | undefined>(undefined);
  let isStopped = false;

  const selected = computed(() => list.posts.value.filter(({ id }) => chosen.value.has(id)));
  const isAll = computed(() => selected.value.length > 0 && selected.value.length === list.posts.value.length);
  const suiting = ({ suits }: Action) => selected.value.filter(suits);

  const choose = (ids: readonly string[], on: boolean) => {
    const rest = [...chosen.value].filter((id) => !ids.includes(id));
    chosen.value = new Set(on ? [...rest, ...ids] : rest);
  };

  /** Does the action to one post. Returns why it failed, if it did. */
  async function doOne(action: Action, post: Post, shift: Shift): Promise<string | undefined> {
    try {
      const withKey: Call = async (name, input) => call(name, input, newKey());
      const failure = await action.run(withKey, post, { zone, shift });
      if (failure === undefined) choose([post.id], false);
      return failure;
    } catch (error) {
      if (error instanceof RefusedError) {
        // Others would be refused for the same reason: the session, the rate or the server.
        isStopped ||= !error.isFinal;
        return error.message;
      }
      isStopped = true;
      choose([post.id], false);
      return LOST;
    }
  }

  return {
    selected,
    isAll,
    suiting,
    asked: computed(() => asked.value),
    progress: computed(() => progress.value),
    outcome: computed(() => outcome.value),
    isChosen: (id: string) => chosen.value.has(id),
    turn: (id: string) => choose([id], !chosen.value.has(id)),
    turnAll: () =>
      choose(
        list.posts.value.map(({ id }) => id),
        !isAll.value,
      ),

    ask: (action: Action) => void (progress.value ?? (asked.value = action)),
    dismiss: () => void (asked.value = undefined),
    /** Stops after the post that is being worked on. */
    stop: () => void (isStopped = true),
    close: () => void (outcome.value = undefined),

    /** Does an action to each selected post that it suits. Those that fail stay selected. */
    async run(action: Action, shift = A_DAY): Promise<void> {
      if (progress.value !== undefined) return;
      const posts = suiting(action);
      const of = posts.length;
      const failures: Failure[] = [];
      let done = 0;
      isStopped = false;
      batch(() => {
        asked.value = undefined;
        outcome.value = undefined;
        progress.value = { action, done, of };
      });
      for (const post of posts) {
        if (isStopped) break;
        const text = await doOne(action, post, shift);
        if (text !== undefined) failures.push({ post, text });
        done += 1;
        progress.value = { action, done, of };
      }
      const touched = posts.slice(0, done).map(({ id }) => id);
      const failed = new Set(failures.map(({ post }) => post.id));
      batch(() => {
        if (action.isDeletion) list.drop(touched.filter((id) => !failed.has(id)));
        list.reread(action.isDeletion ? [...failed] : touched);
        progress.value = undefined;
        if (failures.length > 0 || done < of) outcome.value = { action, of, failures, left: of - done };
      });
      if (done > failures.length) say(`${counted(done - failures.length, 'post')} ${action.done}.`);
    },
  };
}

export type Bulk = ReturnType<typeof makeBulk>;
