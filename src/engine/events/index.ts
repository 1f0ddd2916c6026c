import { mendPositions } from '#db/delivery/activity.ts';
import type { Store } from '#db/store/store.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import { makeEventReader } from './event-reader.ts';
import { makeStreams } from './streams.ts';

type EventsDeps = Readonly<{ store: Store; clock: Clock; log: Log; lists: Lists }>;

export function makeEvents(deps: EventsDeps) {
  const { store, log } = deps;
  return Object.freeze({
    ...makeEventReader(deps),
    ...makeStreams(deps),
    /** Call before anything is written: adjusts the order of entries to this database. */
    async start(): Promise<void> {
      const mended = await store.write((tx) => mendPositions(tx.db, tx.dialect));
      if (mended) log.info({}, 'the activity log came from another database cluster and was ordered anew');
    },
  });
}

export type Events = ReturnType<typeof makeEvents>;
