import { dueAmong, endpointsOfDue, scanDue, type DueEndpoint } from '#db/delivery/due.ts';
import type { Db } from '#db/store/tx.ts';

/** As long as fewer deliveries are due, they are simply listed; each look reads so many. */
const FEW = 200;
/** When more are, all endpoints with pending ones are looked through, no more often than this. */
const SCAN_MS = 200;
const STEP = 500;

/**
 * Finds the endpoints with due deliveries. Neither many endpoints that wait nor many due deliveries of one of them may
 * make that slow: the due times are read where they are few, else endpoint by endpoint, and between two such scans
 * those are looked at that were due then, and the endpoints at both ends of the due times.
 */
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
    for (let at = 0; at < ids.length; at += STEP) found.push(...(await dueAmong(db, ids.slice(at, at + STEP), now)));
    return found;
  };
}
