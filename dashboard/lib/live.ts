import { BASE } from './call.ts';
import { canShare, locks } from './frame/locks.ts';
import type { Session } from './frame/session.ts';
import { makeSharing, type Channel, type Heard } from './frame/sharing.ts';
import type { LogEvent } from './operations.ts';

const ADDRESS = `${BASE}/events/stream`;
/** How long a hidden tab keeps reading for the others. */
const GRACE_MS = 30_000;
const RETRY_MS = 5_000;
/** How long without a byte until the connection counts as dead. The server sends something every 15 seconds. */
const SILENCE_MS = 45_000;
/** How long the server may take until it begins to answer. */
const ANSWER_MS = 10_000;
/** The longest time a tab reads alongside the one that reads for all. It spans more than one keep-alive. */
const CATCH_UP_MS = 20_000;

type Page = Readonly<{
  /** The signed-in person. Only their pages share a stream. */
  person: string;
  /** The last log entry before the page was read. The stream starts after it. */
  since?: string | undefined;
  fetch: Session['fetch'];
  heard(event: LogEvent): void;
  /** Called with whether the server answered, after each try to read. */
  reached(isReached: boolean): void;
  /** Called after entries were missed that the log no longer has. */
  missed(): void;
}>;
/** The last log entry that a tab has received. */
type Place = { last: string | undefined };
type ReaderDeps = Pick<Page, 'fetch' | 'reached' | 'missed'> & Readonly<{ place: Place; heard(one: Heard): void }>;

/** Returns a function that reads the stream to its end, starting where it stopped last time. */
export function makeReader({ place, heard, reached, missed, fetch }: ReaderDeps) {
  async function read(signal: AbortSignal, isAlive: () => void): Promise<void> {
    const { last } = place;
    const headers: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
    const response = await fetch(ADDRESS, { headers, signal });
    isAlive();
    // What a proxy says in its place is 502, 503 or 504.
    if (response.status < 500) reached(true);
    if (!response.ok || response.body === null) throw new Error(`the stream was answered with ${response.status}`);
    let after = last;
    await readEvents(response.body, ({ id, name, data }) => {
      isAlive();
      if (id !== '') place.last = id;
      if (name === 'gap') {
        // Resuming from here would report the gap again.
        place.last = undefined;
        missed();
      } else if (data !== '') {
        heard({ id, after, event: JSON.parse(data) as LogEvent });
        after = id;
      }
    });
  }

  return async (signal: AbortSignal): Promise<void> => {
    const silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    function isAlive(forMs = SILENCE_MS): void {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), forMs);
    }
    isAlive(ANSWER_MS);
    await read(AbortSignal.any([signal, silence.signal]), isAlive).finally(() => clearTimeout(timer));
  };
}

/** The channel's name contains the person, so tabs of somebody else receive nothing. */
const nameOf = ({ person }: Page): string => `rostra-stream ${person}`;

function openChannel(page: Page): Channel {
  if (!canShare) return { post: () => {}, listen: () => {} };
  const channel = new BroadcastChannel(nameOf(page));
  return {
    post: (word) => channel.postMessage(word),
    listen: (take) => void (channel.onmessage = ({ data }) => take(data)),
  };
}

type Turn = { readonly end: AbortController; isReading: boolean };

/**
 * Follows the events log and resumes where it stopped. Browsers allow six connections per server, so only the tab that
 * was visible last reads the stream and sends the entries to the others.
 */
export function follow(page: Page): void {
  const place: Place = { last: page.since };
  const sharing = makeSharing({
    ...page,
    channel: openChannel(page),
    keep: (id) => void (place.last = id),
    catchUp: () => void catchUp(),
  });
  const read = makeReader({ ...page, place, heard: sharing.tell });
  let turn: Turn | undefined;
  let isCatchingUp = false;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  /** Reads the stream once for all tabs. Rejects when another tab takes the lock. */
  async function readForAll(mine: Turn, options: LockOptions): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([mine.end.signal, over.signal]);
    try {
      await locks.request(nameOf(page), options, async () => {
        mine.isReading = true;
        await read(signal).catch(() => undefined);
      });
    } finally {
      over.abort();
    }
  }

  /** Takes the stream over from another tab at once; later reads only while no other tab does. */
  async function takeTurns(mine: Turn): Promise<void> {
    const { signal } = mine.end;
    for (let options: LockOptions = { steal: true }; !signal.aborted; options = { signal }) {
      const wasTaken = await readForAll(mine, options).then(
        () => false,
        () => mine.isReading,
      );
      mine.isReading = false;
      if (wasTaken || signal.aborted) continue;
      page.reached(false);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Reads, for this tab only, the entries that it missed and others received. */
  async function catchUp(): Promise<void> {
    if (isCatchingUp || turn === undefined || turn.isReading) return;
    isCatchingUp = true;
    const done = new AbortController();
    const readAlone = makeReader({
      ...page,
      place,
      heard(one) {
        sharing.take(one);
        if (!sharing.isBehind()) done.abort();
      },
    });
    const signals = [turn.end.signal, done.signal, AbortSignal.timeout(CATCH_UP_MS)];
    await readAlone(AbortSignal.any(signals)).catch(() => undefined);
    isCatchingUp = false;
  }

  function begin(): void {
    clearTimeout(leaving);
    sharing.wake();
    if (turn?.isReading === true) return;
    turn?.end.abort();
    turn = { end: new AbortController(), isReading: false };
    void takeTurns(turn);
  }

  function leave(): void {
    leaving = setTimeout(() => {
      turn?.end.abort();
      turn = undefined;
      sharing.rest();
    }, GRACE_MS);
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : begin()));
  if (document.hidden) sharing.rest();
  else begin();
}

type StreamEvent = Readonly<{ id: string; name: string; data: string }>;

/** Reads Server-Sent Events to the end of their stream. */
export async function readEvents(body: ReadableStream<Uint8Array>, take: (event: StreamEvent) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) take(eventOf(block));
  }
}

function eventOf(block: string): StreamEvent {
  const values = (field: string) =>
    block.split('\n').flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));
  return { id: values('id').at(-1) ?? '', name: values('event').at(-1) ?? '', data: values('data').join('\n') };
}
