import type { FetchFile } from '#call/ports.ts';
import { endRehearsal } from '#kernel/effects/rehearsal.ts';
import type { MediaDeps } from './deps.ts';
import { download } from './sources.ts';

const STEP = 65_536;
const ANYTHING = 'text/csv, text/*;q=0.9, */*;q=0.1';

/** Fetches files that are no media, and keeps them until they are dropped or swept. */
export function makeFetchFile({
  files,
  clock,
  newId,
  outbound,
}: Pick<MediaDeps, 'files' | 'clock' | 'newId' | 'outbound'>): FetchFile {
  return async function fetchFile({ url, field, maxBytes }) {
    endRehearsal();
    const draft = await files.receive(newId('med', clock.now()), maxBytes, (write) =>
      download(outbound, { url, field, maxBytes, accept: ANYTHING }, write),
    );
    return {
      source: {
        async *[Symbol.asyncIterator]() {
          for (let at = 0; at < draft.size; at += STEP) yield await draft.read(at, Math.min(STEP, draft.size - at));
        },
      },
      drop: draft.drop,
    };
  };
}
