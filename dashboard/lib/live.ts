import { BASE } from './call.ts';
import type { LogEvent } from './operations.ts';

const ADDRESS = `${BASE}/events/stream`;
/** How long a hidden tab keeps its stream, of which browsers allow six. */
const GRACE_MS = 30_000;
const RETRY_MS = 5_000;

type Page = Readonly<{
  token: string;
  /** The last entry before the page was read, behind which it listens. */
  since?: string | undefined;
  heard(event: LogEvent): void;
  reload(): void;
}>;
type ReaderDeps = Page & Readonly<{ fetch: typeof fetch }>;

/** Makes the function that reads the stream to its end, from where it stopped last time. */
export function makeReader({ token, since, heard, reload, fetch }: ReaderDeps) {
  let last = since;
  return async (signal: AbortSignal): Promise<void> => {
    const headers = { 'Rostra-Page': token, ...(last !== undefined && { 'Last-Event-ID': last }) };
    const response = await fetch(ADDRESS, { headers, signal });
    // The server leads to sign-in.
    if (response.status === 401) return reload();
    if (!response.ok || response.body === null) throw new Error(`the stream was answered with ${response.status}`);
    await readEvents(response.body, ({ id, name, data }) => {
      if (id !== '') last = id;
      if (name === 'gap') {
        // What was missed is on the new page; asked for again, it would be a gap again.
        last = undefined;
        reload();
      } else if (data !== '') heard(JSON.parse(data) as LogEvent);
    });
  };
}

/** Follows the events log while the page is visible, resuming where it stopped. */
export function follow(page: Page): void {
  const read = makeReader({ ...page, fetch: (...request) => fetch(...request) });
  let stream: AbortController | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  async function keepReading(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await read(signal).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  function begin(): void {
    clearTimeout(leaving);
    if (stream !== undefined) return;
    stream = new AbortController();
    void keepReading(stream.signal);
  }

  function leave(): void {
    leaving = setTimeout(() => {
      stream?.abort();
      stream = undefined;
    }, GRACE_MS);
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : begin()));
  if (!document.hidden) begin();
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
