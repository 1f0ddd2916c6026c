import { isoTime } from '#kernel/clock.ts';
import { OutboundError } from '#kernel/net/request.ts';
import { ownOrigins, type TwinOptions } from './options.ts';
import type { Blob, Files } from './files.ts';
import { displayPath } from './ids.ts';

export type Fetching = Readonly<{
  /** Downloads a file as the network's crawler would; undefined on failure. */
  media(url: string, mostBytes: number, redirects?: 0 | 3): Promise<Blob | undefined>;
}>;

/** When a crawler gives up on a download. */
const DEADLINE_MS = 5 * 60_000;

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const displayAddress = ({ host, pathname }: URL) => `${host}${displayPath(pathname)}`;

/** Downloads media for a simulator, streaming it to disk. */
export function makeFetching(
  options: TwinOptions,
  files: Files,
  { network, userAgent }: Readonly<{ network: string; userAgent: string }>,
): Fetching {
  const { outbound, journal, clock } = options;
  async function media(url: string, mostBytes: number, redirects: 0 | 3 = 3): Promise<Blob | undefined> {
    if (!URL.canParse(url)) return undefined;
    const address = new URL(url);
    const { origin, pathname } = address;
    const entry = journal.open({ at: isoTime(clock.now()), network, verb: 'fetch', method: 'GET media' });
    entry.note = displayAddress(address);
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
        redirects,
        sink: writer.add,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        entry.error = error.message;
        return undefined;
      });
    entry.status = answer?.status;
    if (answer === undefined || answer.status < 200 || answer.status > 299) return undefined;
    writer.flush();
    return files.finish(id);
  }

  return Object.freeze({ media });
}
