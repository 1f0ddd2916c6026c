import { OutboundError } from '../../kernel/net/request.ts';
import type { Outbound } from '../../kernel/net/request.ts';
import type { Blob } from '../facebook/docs.ts';
import type { Files } from './files.ts';

export type Fetching = Readonly<{
  /** Reads a file from its address the way Facebook's crawler does; undefined when it cannot be had. */
  media(url: string, mostBytes: number): Promise<Blob | undefined>;
}>;

const DEADLINE_MS = 60_000;
const GATHERED = 1024 * 1024;

/** The side of the twin that goes out for pictures and videos. */
export function makeFetching(
  outbound: Pick<Outbound, 'send'>,
  files: Files,
  ownOrigins: () => readonly string[],
): Fetching {
  async function media(url: string, mostBytes: number): Promise<Blob | undefined> {
    if (!URL.canParse(url)) return undefined;
    const { origin, pathname } = new URL(url);
    const name = decodeName(pathname.split('/').at(-1) ?? '');
    const { id } = files.open(name === '' ? 'file' : name);
    let waiting: Uint8Array[] = [];
    let gathered = 0;
    let written = 0;
    const flush = () => {
      const bytes = Buffer.concat(waiting);
      files.write(id, written, bytes);
      written += bytes.length;
      waiting = [];
      gathered = 0;
    };
    const answer = await outbound
      .send({
        method: 'GET',
        url,
        purpose: 'media',
        given: !ownOrigins().includes(origin),
        headers: { 'user-agent': 'facebookexternalhit/1.1' },
        deadlineMs: DEADLINE_MS,
        maxBytes: mostBytes,
        overflow: 'refuse',
        redirects: 3,
        sink(chunk) {
          waiting.push(Buffer.from(chunk));
          gathered += chunk.length;
          if (gathered >= GATHERED) flush();
        },
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundError) return undefined;
        throw error;
      });
    if (answer === undefined || answer.status < 200 || answer.status > 299) return undefined;
    flush();
    return files.finish(id);
  }

  return Object.freeze({ media });
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
