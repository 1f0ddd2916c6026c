import { computed, signal } from '@preact/signals';
import { KNOWN_MS, RefusedError, type Call } from '../../lib/call.ts';
import type { Input } from '../../lib/operations.ts';
import type { Draft, Store } from './drafts.ts';
import { makeKept } from './kept.ts';

type SendName =
  | 'send_dm'
  | 'send_whatsapp_template'
  | 'reply_to_comment'
  | 'private_reply_to_comment'
  | 'reply_to_mention'
  | 'reply_to_review'
  | 'update_review_reply';

export type Request = { [N in SendName]: Readonly<{ name: N; input: Input<N> }> }[SendName];

/** A message that is being sent, or that could not be sent. */
export type Sending = Readonly<{
  /** Stays the same if the message is sent again with another key. */
  id: string;
  /** The Idempotency-Key. */
  key: string;
  /** When the message was first sent with this key. */
  at: number;
  thread: string;
  request: Request;
  /** The text to show until the message has arrived. */
  text: string;
  /** The comment it replies to. */
  to?: string | undefined;
  /** The draft it was sent from. */
  draft?: Draft | undefined;
  problem?: Problem | undefined;
}>;

/** Why the message was not sent. */
type Problem = Readonly<{
  message: string;
  code?: string;
  requestId?: string;
  /** Whether it is certain that nothing was sent. */
  isFinal?: boolean;
  /** Whether the person was warned that the server no longer knows the key. */
  isOld?: boolean;
}>;

export type Locks = Readonly<{
  /** Holds a lock while `run` runs. */
  hold(name: string, run: () => Promise<void>): Promise<void>;
  /** Returns false if another tab holds the lock. */
  isFree(name: string): Promise<boolean>;
}>;

type OutboxDeps = Readonly<{
  call: Call;
  newKey(): string;
  clock(): number;
  store: Store;
  locks: Locks;
  /** The prefix of names in the storage of this device. */
  prefix: string;
  sent(sending: Sending): void;
}>;

const LEFT = { message: 'The page was left before the answer came. Retry does not send it twice.' };
const NO_ANSWER = { message: 'No answer came. Retry does not send it twice.' };
const OLD = {
  message: 'This is more than a day old and may have arrived. Check before you send it again.',
};

/** Sends messages at once. One that fails keeps its key until it is sent again or given up. */
export function makeOutbox({ call, newKey, clock, store, locks, prefix, sent }: OutboxDeps) {
  const kept = makeKept<Sending>(store, prefix);
  const isOld = ({ at, problem }: Sending) => problem?.isFinal !== true && clock() - at >= KNOWN_MS;
  const aged = (one: Sending): Sending =>
    one.problem === undefined || one.problem.isOld === true || !isOld(one) ? one : { ...one, problem: OLD };
  const all = signal(kept.all().map(aged));

  const show = (sending: Sending) => void (all.value = all.value.map((one) => (one.id === sending.id ? sending : one)));
  function put(sending: Sending): void {
    show(sending);
    kept.keep(sending);
  }
  const hide = (id: string) => void (all.value = all.value.filter((one) => one.id !== id));
  function drop(id: string): void {
    hide(id);
    kept.remove(id);
  }

  /** A message that was being sent when its page closed may have arrived. Those of other tabs are not shown here. */
  async function find({ id }: Sending): Promise<void> {
    const left = (await locks.isFree(prefix + id)) ? kept.get(id) : undefined;
    if (left === undefined) hide(id);
    else show(aged({ ...left, problem: left.problem ?? LEFT }));
  }
  for (const one of all.peek()) if (one.problem === undefined) void find(one);

  const run = (sending: Sending) => locks.hold(prefix + sending.id, () => ask(sending));

  async function ask(sending: Sending): Promise<void> {
    const { name, input } = sending.request;
    try {
      await call(name, input as never, sending.key);
      drop(sending.id);
      sent(sending);
    } catch (error) {
      if (!(error instanceof RefusedError)) return put({ ...sending, problem: NO_ANSWER });
      const { message, code, requestId, isFinal } = error;
      // After a final refusal, the same key would return the same refusal, so the message gets a new one.
      put({ ...sending, key: isFinal ? newKey() : sending.key, problem: { message, code, requestId, isFinal } });
    }
  }

  return {
    of: (thread: string) => computed(() => all.value.filter((one) => one.thread === thread)),
    /** The threads that have a message that could not be sent. */
    failed: computed(
      () => new Set(all.value.flatMap(({ thread, problem }) => (problem === undefined ? [] : [thread]))),
    ),

    async send(message: Omit<Sending, 'id' | 'key' | 'at' | 'problem'>): Promise<void> {
      const key = newKey();
      const sending = { ...message, id: key, key, at: clock() };
      all.value = [...all.value, sending];
      kept.keep(sending);
      await run(sending);
    },

    /** Sends a message again. If the key has expired, the first call only warns that it may arrive twice. */
    async retry(id: string): Promise<void> {
      const failed = all.value.find((one) => one.id === id && one.problem !== undefined);
      if (failed?.problem === undefined) return;
      const { problem, ...rest } = failed;
      const isForgotten = isOld(failed);
      if (isForgotten && problem.isOld !== true) return put({ ...failed, problem: { ...OLD, isOld: true } });
      const at = problem.isFinal === true || isForgotten ? clock() : failed.at;
      const again = { ...rest, at, key: isForgotten ? newKey() : failed.key };
      put(again);
      await run(again);
    },

    /** Whether it is certain that nothing was sent. */
    isRefused: (id: string) => all.value.some((one) => one.id === id && one.problem?.isFinal === true),

    /** Gives up a message that could not be sent, and returns it. */
    letGo(id: string): Sending | undefined {
      const failed = all.value.find((one) => one.id === id && one.problem !== undefined);
      if (failed !== undefined) drop(id);
      return failed;
    },
  };
}
