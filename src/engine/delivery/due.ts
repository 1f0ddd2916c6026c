import { dueAmong, endpointsOfDue, scanDue, type DueEndpoint } from '#db/delivery/due.ts';
import type { Db } from '#db/store/tx.ts';
import { chunksOf } from '#kernel/limits/chunks.ts';

/** Up to this many due deliveries are simply listed. */
const FEW = 200;
/** If more are due, all endpoints with pending ones are scanned, at most this often. */
const SCAN_MS = 200;
const STEP = 500;

/** Finds endpoints with due deliveries. A few deliveries are listed directly; if many wait, a scan is cached. */
export function makeDue(db: Db): (now: number) => Promise<DueEndpoint[]> {
  let known: readonly string[] = [];
  let scannedAt: number | undefined;

  async function candidates(now: number): Promise<readonly string[]> {
    const oldest = await endpointsOfDue(db, { end: 'oldest', now, limit: FEW });
    if (oldest.all) return oldest.ids;
    const recent = scannedAt !== undefined && scannedAt < now && now - scannedAt < SCAN_MS;
    if (!recent) {
      known = await scanDue(db, now);
      scannedAt = now;
      return known;
    }
    const newest = await endpointsOfDue(db, { end: 'newest', now, limit: FEW });
    return [...new Set([...known, ...oldest.ids, ...newest.ids])];
  }

  return async function due(now) {
    const ids = (await candidates(now)).toSorted();
    const found: DueEndpoint[] = [];
    for (const some of chunksOf(ids, STEP)) found.push(...(await dueAmong(db, some, now)));
    return found;
  };
}
