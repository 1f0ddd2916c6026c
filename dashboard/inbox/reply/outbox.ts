import { computed, signal } from '@preact/signals';
import { RefusedError, type Call } from '../../lib/call.ts';
import type { Input } from '../../lib/operations.ts';
import type { Draft, Store } from './drafts.ts';

type SendName =
  | 'send_dm'
  | 'send_whatsapp_template'
  | 'reply_to_comment'
  | 'private_reply_to_comment'
  | 'reply_to_mention'
  | 'reply_to_review'
  | 'update_review_reply';

/** A request that sends something. */
export type Request = { [N in SendName]: Readonly<{ name: N; input: Input<N> }> }[SendName];

/** Something on its way, or that did not get there. */
export type Sending = Readonly<{
  /** Of this press, whatever key it is sent with. */
  id: string;
  /** The Idempotency-Key. */
  key: string;
  thread: string;
  request: Request;
  /** Shown until it is there. */
  text: string;
  /** The comment that it answers. */
  to?: string | undefined;
  /** How it was written. */
  draft?: Draft | undefined;
  problem?: Readonly<{ message: string; code?: string; requestId?: string }> | undefined;
}>;

type OutboxDeps = Readonly<{
  call: Call;
  newKey(): string;
  store: Store;
  /** Where it is kept on this device. */
  place: string;
  sent(sending: Sending): void;
}>;

const LEFT = { message: 'The page was left before the answer came. Sending it again does nothing twice.' };
const NO_ANSWER = { message: 'No answer came. Sending it again does nothing twice.' };

/** Sends at once; what fails stays with its key until it is sent again or let go. */
export function makeOutbox({ call, newKey, store, place, sent }: OutboxDeps) {
  const all = signal(kept(store.getItem(place)));

  function set(list: readonly Sending[]): void {
    all.value = list;
    if (list.length === 0) store.removeItem(place);
    else store.setItem(place, JSON.stringify(list));
  }
  const put = (sending: Sending) => set(all.value.map((one) => (one.id === sending.id ? sending : one)));
  const drop = (id: string) => set(all.value.filter((one) => one.id !== id));

  async function run(sending: Sending): Promise<void> {
    const { name, input } = sending.request;
    try {
      await call(name, input as never, sending.key);
      drop(sending.id);
      sent(sending);
    } catch (error) {
      if (!(error instanceof RefusedError)) return put({ ...sending, problem: NO_ANSWER });
      const { message, code, requestId, isFinal } = error;
      // What was refused for good would be refused again under the same key, whatever has changed since.
      put({ ...sending, key: isFinal ? newKey() : sending.key, problem: { message, code, requestId } });
    }
  }

  return {
    of: (thread: string) => computed(() => all.value.filter((one) => one.thread === thread)),
    /** The threads with something that did not get there. */
    failed: computed(
      () => new Set(all.value.flatMap(({ thread, problem }) => (problem === undefined ? [] : [thread]))),
    ),

    async send(message: Omit<Sending, 'id' | 'key' | 'problem'>): Promise<void> {
      const key = newKey();
      const sending = { ...message, id: key, key };
      set([...all.value, sending]);
      await run(sending);
    },

    async retry(id: string): Promise<void> {
      const failed = all.value.find((one) => one.id === id && one.problem !== undefined);
      if (failed === undefined) return;
      const again = { ...failed, problem: undefined };
      put(again);
      await run(again);
    },

    /** Gives up what did not get there, and answers it. */
    letGo(id: string): Sending | undefined {
      const failed = all.value.find((one) => one.id === id && one.problem !== undefined);
      if (failed !== undefined) drop(id);
      return failed;
    },
  };
}

/** What the last page left; what was on its way then may have arrived. */
function kept(text: string | null): readonly Sending[] {
  try {
    const list = JSON.parse(text ?? '[]') as readonly Sending[];
    return list.map((one) => ({ ...one, problem: one.problem ?? LEFT }));
  } catch {
    return [];
  }
}
