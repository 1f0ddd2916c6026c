import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Comment, InboxThread } from '../../lib/operations.ts';
import type { Item } from '../list/items.ts';
import { makeReading, type ReadingDeps, type Thread } from './reading.ts';

const NOTHING: Thread = { messages: [], comments: [], isLoading: false };
/** How many threads to cache: more than anybody moves between. */
const MOST_KEPT = 100;
/** How many pages of a conversation to search for a message. */
const MOST_PAGES = 40;

/** Caches threads, so that moving between them needs no waiting. */
export function makeThreads(deps: ReadingDeps, loaded: (key: string) => void) {
  const reading = makeReading(deps);
  const threads = new Map<string, Signal<Thread>>();
  /** Threads that changed while they were being read. */
  const stale = new Set<string>();
  const running = new Map<string, Promise<void>>();

  function threadOf(key: string): Signal<Thread> {
    const thread = threads.get(key) ?? signal(NOTHING);
    // Moves the thread to the end, so that the least recently used one is dropped first.
    threads.delete(key);
    threads.set(key, thread);
    const [oldest] = threads.keys();
    if (threads.size > MOST_KEPT) threads.delete(oldest!);
    return thread;
  }

  type Ask = (known: Thread) => Promise<Partial<Thread>>;
  async function load(item: Item, ask: Ask): Promise<void> {
    const thread = threadOf(item.key);
    if (thread.peek().isLoading) return;
    const run = fill(thread, item, ask);
    running.set(item.key, run);
    await run;
    if (running.get(item.key) === run) running.delete(item.key);
  }

  async function fill(thread: Signal<Thread>, item: Item, ask: Ask): Promise<void> {
    thread.value = { ...thread.peek(), isLoading: true, problem: undefined };
    try {
      const found = await ask(thread.peek());
      thread.value = { ...thread.peek(), ...found, isLoading: false };
      loaded(item.key);
    } catch (error) {
      thread.value = { ...thread.peek(), isLoading: false, problem: (error as Error).message };
    }
    if (stale.delete(item.key)) await read(item);
  }

  async function read(item: Item): Promise<void> {
    if (threadOf(item.key).peek().isLoading) return void stale.add(item.key);
    await load(item, (known) => reading.whole(item, known));
  }

  return {
    of: (key: string): ReadonlySignal<Thread> => threadOf(key),
    read,
    /** Reads a thread if necessary and returns its details; undefined if that fails. */
    async known(item: Item): Promise<InboxThread | undefined> {
      await running.get(item.key);
      if (threadOf(item.key).peek().detail === undefined) await read(item);
      return threadOf(item.key).peek().detail;
    },
    more: (item: Item) => load(item, (known) => reading.more(item, known)),
    /** Reads earlier messages until the given one has been found. */
    async until(item: Item, id: string): Promise<void> {
      if (item.kind !== 'conversation' || (await this.known(item)) === undefined) return;
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const { messages, next } = threadOf(item.key).peek();
        if (next === undefined || messages.some((message) => message.id === id)) return;
        await load(item, (known) => reading.more(item, known));
        if (threadOf(item.key).peek().problem !== undefined) return;
      }
    },
    answers: (item: Item, comment: Comment) => load(item, (known) => reading.answers(comment, known)),

    /** Reads an item that may be opened next, unless that needs a request to its platform. */
    async readAhead(item: Item): Promise<void> {
      const { detail, isLoading, problem } = threadOf(item.key).peek();
      if (detail === undefined && !isLoading && problem === undefined && item.kind !== 'post') await read(item);
    },

    /** Drops the cached threads of an account, except one. */
    forget(accountId: string | null, except: string | undefined): void {
      for (const key of threads.keys()) if (key !== except && key.split(':')[1] === accountId) threads.delete(key);
    },

    change(key: string, to: (thread: Thread) => Partial<Thread>): void {
      const thread = threadOf(key);
      thread.value = { ...thread.peek(), ...to(thread.peek()) };
    },
  };
}

export type Threads = ReturnType<typeof makeThreads>;
