import { computed, type ReadonlySignal } from '@preact/signals';
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
  /** Whose drafts these are. */
  person: string;
  zone: string;
  clock(): number;
  threads: Threads;
  open: ReadonlySignal<Item | undefined>;
  sent(sending: Sending): void;
}>;

/** What is written into what is open, and what becomes of it. */
export function makeReplies(deps: RepliesDeps) {
  const { store, person, zone, clock, threads, open } = deps;
  const drafts = makeDrafts(store, `rostra-reply ${person} `);
  const outbox = makeOutbox({ ...deps, prefix: `rostra-sending ${person} ` });

  const messageWindow = computed(() => {
    const item = open.value;
    const detail = item && threads.of(item.key).value.detail;
    return detail && windowOf(detail, item.name, { now: clock(), zone });
  });
  const target = computed(() => {
    const item = open.value;
    if (item === undefined) return undefined;
    const { detail, comments } = threads.of(item.key).value;
    const draft = drafts.of(item.key).value;
    return detail && targetOf({ item, detail, comments, draft, messageWindow: messageWindow.value });
  });

  return {
    drafts,
    outbox,
    messageWindow,
    /** What an answer goes to, and how. */
    target,
    /** Sends what was not written as a draft. */
    send: (item: Item, text: string, request: Request) => outbox.send({ thread: item.key, text, request }),

    /** Sends what is written into what is open. */
    async reply(): Promise<void> {
      const [item, to] = [open.peek(), target.peek()];
      if (item === undefined || to === undefined || to.missing !== undefined) return;
      const draft = drafts.of(item.key).peek();
      const text = draft.text.trim();
      if (text === '') return;
      const request = to.request(text);
      drafts.clear(item.key);
      await outbox.send({ thread: item.key, text, request, to: to.comment?.id, draft });
    },

    /** Takes back what was refused, to write it another way; anything else may have arrived. */
    writeAgain(id: string): void {
      if (!outbox.isRefused(id)) return;
      const { draft, thread } = outbox.letGo(id) ?? {};
      if (draft === undefined) return;
      const { text } = drafts.of(thread!).peek();
      drafts.write(thread!, { ...draft, text: text === '' ? draft.text : `${text}\n${draft.text}` });
    },
  };
}
