import { onTestFinished } from 'vitest';

/** One block of a stream of Server-Sent Events; a comment has no data. */
type Told = Readonly<{ id?: string; event?: string; data?: any; comment?: string; retry?: string }>;

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Follows a stream as a careful client does; it is left at the end of the test. */
export async function listen(url: string, headers: Readonly<Record<string, string>>) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(url, { headers: { Accept: 'text/event-stream', ...headers }, signal: gone.signal });
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';

  /** The next block; undefined once the stream is over. */
  async function next(): Promise<Told | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return read(block);
      }
      const { done, value } = await reader.read();
      if (done) {
        if (text !== '') throw new Error(`cut off: ${text}`);
        return undefined;
      }
      text += decoder.decode(value, { stream: true });
    }
  }

  return Object.freeze({
    status: response.status,
    headers: response.headers,
    next,
    /** The next so many blocks. */
    async take(amount: number) {
      const taken: Told[] = [];
      while (taken.length < amount) {
        const one = await next();
        if (one === undefined) throw new Error(`over after ${taken.length}`);
        taken.push(one);
      }
      return taken;
    },
    /** What a refusal says. */
    async refusal(): Promise<any> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return JSON.parse(text);
        text += decoder.decode(value, { stream: true });
      }
    },
    leave: () => gone.abort(),
  });
}

function read(block: string): Told {
  const fields = block.split('\n').map((line) => /^([a-z]*): ([^]*)$/.exec(line)!.slice(1) as [string, string]);
  return Object.fromEntries(
    fields.map(([name, value]) => [name === '' ? 'comment' : name, name === 'data' ? JSON.parse(value) : value]),
  );
}
