import { OutboundError } from '../../kernel/net/request.ts';
import type { TwinOptions } from './options.ts';
import { ownOrigins } from './options.ts';
import type { Blob, Files } from './files.ts';

export type Fetching = Readonly<{
  /** Reads a file from its address the way the network's crawler does; undefined when it cannot be had. */
  media(url: string, mostBytes: number): Promise<Blob | undefined>;
}>;

/** A crawler gives up on a file after so long. */
const DEADLINE_MS = 5 * 60_000;

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The side of a twin that goes out for pictures and videos; bytes go to disk as they come. */
export function makeFetching(options: TwinOptions, files: Files, userAgent: string): Fetching {
  const { outbound } = options;
  async function media(url: string, mostBytes: number): Promise<Blob | undefined> {
    if (!URL.canParse(url)) return undefined;
    const { origin, pathname } = new URL(url);
    const name = decodeName(pathname.split('/').at(-1) ?? '');
    const { id } = files.open(name === '' ? 'file' : name);
    const writer = files.writer(id);
    const answer = await outbound
      .send({
        method: 'GET',
        url,
        purpose: 'media',
        given: !ownOrigins(options).includes(origin),
        headers: { 'user-agent': userAgent },
        deadlineMs: DEADLINE_MS,
        maxBytes: mostBytes,
        overflow: 'refuse',
        redirects: 3,
        sink: writer.add,
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundError) return undefined;
        throw error;
      });
    if (answer === undefined || answer.status < 200 || answer.status > 299) return undefined;
    writer.flush();
    return files.finish(id);
  }

  return Object.freeze({ media });
}
