import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Counting, excessesOf } from '#kernel/text/length.ts';
import type { Say } from '../../lib/acting.ts';
import type { Call } from '../../lib/call.ts';
import type { Item } from '../list/items.ts';
import type { Threads } from '../thread/threads.ts';
import { makeDrafts, type Store } from './drafts.ts';
import { makeOutbox, type Locks, type Request, type Sending } from './outbox.ts';
import { targetOf } from './target.ts';
import { windowOf } from './window.ts';

type RepliesDeps = Readonly<{
  call: Call;
  newKey(): string;
  store: Store;
  locks: Locks;
  /** The signed-in person, to whom the drafts belong. */
  person: string;
  zone: string;
  clock(): number;
  threads: Threads;
  open: ReadonlySignal<Item | undefined>;
  say: Say;
  sent(sending: Sending): void;
  excessesOf: typeof excessesOf;
}>;

/** The reply to the open item, from draft to sending. */
export function makeReplies(deps: RepliesDeps) {
  const { store, person, zone, clock, threads, open, say } = deps;
  const drafts = makeDrafts(store, `rostra-reply ${person} `);
  const outbox = makeOutbox({ ...deps, prefix: `rostra-sending ${person} ` });

  /** The threads whose reply is sent as soon as they have been read. */
  const waiting = signal<ReadonlySet<string>>(new Set());

  function windowFor({ key, name }: Item) {
    const { detail } = threads.of(key).value;
    return detail && windowOf(detail, name, { now: clock(), zone });
  }
  const messageWindow = computed(() => open.value && windowFor(open.value));

  function targetFor(item: Item) {
    const { detail, comments } = threads.of(item.key).value;
    const draft = drafts.of(item.key).value;
    return detail && targetOf({ item, detail, comments, draft, messageWindow: windowFor(item) });
  }
  const target = computed(() => open.value && targetFor(open.value));

  /** By how much the text exceeds the limits of the platform. */
  function excessesFor(item: Item): readonly string[] {
    const rule = threads.of(item.key).value.detail?.text_rule;
    const { text } = drafts.of(item.key).value;
    return rule ? deps.excessesOf(text, { ...rule, counting: rule.counting as Counting }) : [];
  }
  const excesses = computed(() => (open.value === undefined ? [] : excessesFor(open.value)));

  /** Whether a reply to the open item is possible, as far as is known. */
  const isAnswerable = computed(() => {
    const detail = open.value && threads.of(open.value.key).value.detail;
    return detail === undefined || (detail.blocked === null && detail.text_rule !== null && target.value !== undefined);
  });
  /** Whether the draft can be sent, now or as soon as the thread has been read. */
  const isSendable = computed(() => {
    const item = open.value;
    if (item === undefined || !isAnswerable.value || waiting.value.has(item.key)) return false;
    if (excesses.value.length > 0 || drafts.of(item.key).value.text.trim() === '') return false;
    const { detail, problem } = threads.of(item.key).value;
    return detail === undefined ? problem === undefined : target.value?.missing === undefined;
  });

  async function untilRead(item: Item): Promise<void> {
    waiting.value = new Set([...waiting.peek(), item.key]);
    await threads.known(item);
    waiting.value = new Set([...waiting.peek()].filter((key) => key !== item.key));
  }

  return {
    drafts,
    outbox,
    messageWindow,
    /** Where a reply goes, and how it is sent. */
    target,
    /** Sends a message that was not written as a draft. */
    send: (item: Item, text: string, request: Request) => outbox.send({ thread: item.key, text, request }),

    /** Whether a reply waits until its thread has been read. */
    isWaiting: (key: string) => waiting.value.has(key),
    excesses,
    isAnswerable,
    isSendable,

    /** Sends the reply to the open item, as soon as its thread has been read. */
    async reply(): Promise<void> {
      const item = open.peek();
      if (item === undefined || waiting.peek().has(item.key)) return;
      const wasRead = threads.of(item.key).peek().detail !== undefined;
      if (!wasRead) await untilRead(item);
      const to = targetFor(item);
      const draft = drafts.of(item.key).peek();
      const text = draft.text.trim();
      if (text === '') return;
      if (to === undefined || to.missing !== undefined || excessesFor(item).length > 0) {
        // The thread itself shows the problem, but the person may have moved on to another one.
        if (!wasRead) say(`What you wrote to ${item.name} was not sent. It is kept there.`, { isBad: true });
        return;
      }
      const request = to.request(text);
      drafts.clear(item.key);
      await outbox.send({ thread: item.key, text, request, to: to.comment?.id, draft });
    },

    /** Turns a refused message back into a draft. Any other message may have arrived. */
    writeAgain(id: string): void {
      if (!outbox.isRefused(id)) return;
      const { draft, thread } = outbox.letGo(id) ?? {};
      if (draft === undefined) return;
      const { text } = drafts.of(thread!).peek();
      drafts.write(thread!, { ...draft, text: text === '' ? draft.text : `${text}\n${draft.text}` });
    },
  };
}
