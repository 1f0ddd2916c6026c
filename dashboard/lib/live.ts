import { BASE } from './call.ts';
import { canShare, locks } from './frame/locks.ts';
import { makeSharing, type Channel } from './frame/sharing.ts';
import type { LogEvent } from './operations.ts';

const ADDRESS = `${BASE}/events/stream`;
/** How long a tab that nobody looks at reads for the others. */
const GRACE_MS = 30_000;
const RETRY_MS = 5_000;

type Page = Readonly<{
  token: string;
  /** Whose pages share a stream. */
  person: string;
  /** The last entry before the page was read, behind which it listens. */
  since?: string | undefined;
  heard(event: LogEvent): void;
  reload(): void;
}>;
/** The last entry that a tab has heard. */
type Place = { last: string | undefined };
type ReaderDeps = Pick<Page, 'token' | 'reload'> &
  Readonly<{ place: Place; heard(event: LogEvent, id: string): void; fetch: typeof fetch }>;

/** Makes the function that reads the stream to its end, from where it stopped last time. */
export function makeReader({ token, place, heard, reload, fetch }: ReaderDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    const { last } = place;
    const headers = { 'Rostra-Page': token, ...(last !== undefined && { 'Last-Event-ID': last }) };
    const response = await fetch(ADDRESS, { headers, signal });
    // The server leads to sign-in.
    if (response.status === 401) return reload();
    if (!response.ok || response.body === null) throw new Error(`the stream was answered with ${response.status}`);
    await readEvents(response.body, ({ id, name, data }) => {
      if (id !== '') place.last = id;
      if (name === 'gap') {
        // What was missed is on the new page; asked for again, it would be a gap again.
        place.last = undefined;
        reload();
      } else if (data !== '') heard(JSON.parse(data) as LogEvent, id);
    });
  };
}

/** A tab of somebody else hears nothing of it. */
const nameOf = ({ person }: Page): string => `rostra-stream ${person}`;

function openChannel(page: Page): Channel {
  if (!canShare) return { post: () => {}, listen: () => {} };
  const channel = new BroadcastChannel(nameOf(page));
  return {
    post: (word) => channel.postMessage(word),
    listen: (take) => void (channel.onmessage = ({ data }) => take(data)),
  };
}

/**
 * Follows the events log, resuming where it stopped. Browsers open six connections to a server, so one tab that
 * somebody looks at reads the stream and tells the others.
 */
export function follow(page: Page): void {
  const place: Place = { last: page.since };
  const sharing = makeSharing({
    ...page,
    channel: openChannel(page),
    now: () => Date.now(),
    keep: (id) => void (place.last = id),
  });
  const read = makeReader({
    ...page,
    place,
    heard: (event, id) => sharing.tell({ id, event }),
    fetch: (...request) => fetch(...request),
  });
  let stream: AbortController | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  async function keepReading(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await read(signal).catch(() => undefined);
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Reads once no other tab does. */
  async function inTurn(signal: AbortSignal): Promise<void> {
    await locks.request(nameOf(page), { signal }, () => keepReading(signal)).catch(() => undefined);
  }

  function begin(): void {
    clearTimeout(leaving);
    if (stream !== undefined) return;
    stream = new AbortController();
    sharing.wake();
    void inTurn(stream.signal);
  }

  function leave(): void {
    leaving = setTimeout(() => {
      stream?.abort();
      stream = undefined;
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
