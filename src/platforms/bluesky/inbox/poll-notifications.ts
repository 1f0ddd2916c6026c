import * as z from 'zod';
import { HOUR, MINUTE } from '#kernel/clock.ts';
import type { AccountCall } from '../../call.ts';
import { isRefused } from '../../shared/errors.ts';
import type { PartBatch } from '../../shared/inbox/polling.ts';
import { isNeverWithAppView } from '../errors.ts';
import { ALL, MOST_PER_PAGE, type Notice, eventsOf, listedAt, readNotices } from './notifications.ts';

/** Authors set the times that sort the list, so entries may appear this late; read ones are skipped by URI. */
const LATE_MS = HOUR;
/** Notifications younger than this at the first poll may be newer than the backfill or the connection. */
export const JUST_NOW_MS = 10 * MINUTE;
const MOST_KNOWN = 100;
const MOST_PAGES = 3;

const Met = z.tuple([z.number(), z.string()]);
export const NotificationsPosition = z.object({
  /** The time (milliseconds) before which everything has been read. */
  floor: z.number(),
  /** Notifications read since the floor, as times and URIs, the newest first. */
  known: z.array(Met),
  /** The state of a list longer than one poll: its cursor, and the newest entries read so far. */
  walk: z.object({ cursor: z.string(), met: z.array(Met) }).optional(),
});

type Met = z.output<typeof Met>;
type NotificationsPosition = z.output<typeof NotificationsPosition>;
type NotificationUpdates = PartBatch<NotificationsPosition>;

/** Reads comments and mentions since the last poll; the first poll sets the baseline. */
export async function pollNotifications(
  call: AccountCall,
  position: NotificationsPosition | undefined,
): Promise<NotificationUpdates> {
  try {
    return await (position === undefined ? begin(call) : walkOn(call, position));
  } catch (error) {
    if (isNeverWithAppView(error)) return { events: [], at: position, more: false };
    if (!isRefused(error, 'invalid_request') || !position?.walk) throw error;
    // The cursor was rejected, so reading starts at the top again; events may repeat.
    const { walk: _, ...top } = position;
    return walkOn(call, top);
  }
}

/** Sets the baseline: all existing notifications count as read, back to where late ones may appear. */
async function begin(call: AccountCall): Promise<NotificationUpdates> {
  const latest: Notice[] = [];
  let baseline: Met[] = [];
  let cursor: string | undefined;
  let reached = Infinity;
  for (let left = MOST_PAGES; left > 0; left--) {
    const page = await readNotices(call, ALL, { limit: MOST_PER_PAGE, cursor });
    latest.push(...page.notices.filter((notice) => listedAt(notice) >= call.now() - JUST_NOW_MS));
    baseline = newest([...baseline, ...page.notices.map(metOf)]);
    reached = Math.min(reached, page.oldest);
    cursor = page.cursor;
    if (cursor === undefined || reached < lateFor(baseline)) reached = 0;
    if (reached === 0) break;
  }
  const at = settle({ floor: Number.isFinite(reached) ? reached : 0, known: [] }, baseline);
  return { events: await eventsOf(call, latest), at, more: false, began: true };
}

async function walkOn(call: AccountCall, { floor, known, walk }: NotificationsPosition): Promise<NotificationUpdates> {
  const seen = new Set(known.map(([, uri]) => uri));
  const fresh: Notice[] = [];
  let baseline = walk?.met ?? [];
  let cursor = walk?.cursor;
  let isOver = false;
  for (let left = MOST_PAGES; left > 0 && !isOver; left--) {
    const page = await readNotices(call, ALL, { limit: MOST_PER_PAGE, cursor });
    const sinceFloor = page.notices.filter((notice) => listedAt(notice) >= floor);
    fresh.push(...sinceFloor.filter(({ uri }) => !seen.has(uri)));
    baseline = newest([...baseline, ...sinceFloor.map(metOf)]);
    // A list that does not move on has no more to read.
    isOver = page.cursor === undefined || page.cursor === cursor || page.oldest < floor;
    cursor = page.cursor;
  }
  const events = await eventsOf(call, fresh);
  if (isOver || cursor === undefined) return { events, at: settle({ floor, known }, baseline), more: false };
  return { events, at: { floor, known, walk: { cursor, met: baseline } }, more: true };
}

/** The position after the list has been read down to the floor. */
function settle({ floor, known }: NotificationsPosition, baseline: readonly Met[]): NotificationsPosition {
  const all = newest([...baseline, ...known]);
  const crowded = all.length === MOST_KNOWN ? all.at(-1)![0] : -Infinity;
  const raised = Math.max(floor, lateFor(all), crowded);
  return { floor: raised, known: all.filter(([time]) => time >= raised) };
}

/** Notifications with a later time than this may still appear below the newest one. */
function lateFor(baseline: readonly Met[]): number {
  return (baseline[0]?.[0] ?? 0) - LATE_MS;
}

function newest(baseline: readonly Met[]): Met[] {
  const byAddress = new Map(baseline.map((one) => [one[1], one]));
  return [...byAddress.values()].toSorted((a, b) => b[0] - a[0]).slice(0, MOST_KNOWN);
}

function metOf(notice: Notice): Met {
  return [listedAt(notice), notice.uri];
}
