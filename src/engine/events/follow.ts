import { setImmediate as nextTurn } from 'node:timers/promises';
import { accountNamed } from '#db/access/accounts.ts';
import {
  BEGINNING,
  lastPosition,
  logAfter,
  logTopic,
  positionOfEntry,
  type LogRow,
  type ActivityPosition,
} from '#db/delivery/activity.ts';
import { keptSince } from '#db/delivery/sweep.ts';
import type { LogCategory } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Call, StreamPart } from '#call/context.ts';
import type { Clock } from '#kernel/clock.ts';
import { PLANS } from '#kernel/plans.ts';
import { presentEntry } from './present-entry.ts';

/** A keep-alive comment is sent after this time without an entry. */
const KEEP_ALIVE_MS = 15_000;
const STEP = 100;

export type StreamQuery = Readonly<{
  /** The id of the last entry that the client received. */
  after?: string | undefined;
  categories?: readonly LogCategory[] | undefined;
  accountId?: string | undefined;
}>;

export type Entry = ReturnType<typeof presentEntry>;
type Part = StreamPart<Entry>;
type LogStart = Readonly<{ position: ActivityPosition; gap?: Part }>;

export type Follower = Readonly<{
  workspaceId: string;
  /** Finds the start position; refuses an unknown account. */
  start(): Promise<void>;
  /** The next entries; an empty list is a keep-alive, undefined the end. */
  next(): Promise<readonly Part[] | undefined>;
  position(): number;
  wake(): void;
  /** Ends the stream after the current read. */
  end(): Promise<unknown>;
}>;

type FollowDeps = Readonly<{ store: Store; clock: Clock }>;

/** Follows a workspace's log; reads the next page only when the client has taken the last one. */
export function makeFollower(deps: FollowDeps, call: Call, query: StreamQuery): Follower {
  const { store, clock } = deps;
  const { authority, workspace } = call;
  const { categories, accountId } = query;
  let position: ActivityPosition = BEGINNING;
  let gap: Part | undefined;
  let ended = false;
  let unread = true;
  let keepAliveDue = false;
  let cancelKeepAlive = () => {};
  let reading: Promise<unknown> = Promise.resolve();
  let wakeUp = () => {};

  const isWanted = (row: LogRow) =>
    (categories === undefined || categories.includes(row.category)) &&
    (accountId === undefined || row.account_id === accountId);

  function wake(): void {
    unread = true;
    wakeUp();
  }

  function armKeepAlive(): void {
    keepAliveDue = false;
    cancelKeepAlive();
    cancelKeepAlive = clock.after(KEEP_ALIVE_MS, () => {
      keepAliveDue = true;
      wakeUp();
    });
  }

  async function read(): Promise<readonly LogRow[]> {
    unread = false;
    const since = keptSince(workspace.plan, clock.now());
    const page = logAfter(store.db, store.dialect, authority, position, { since, limit: STEP });
    reading = page.catch(() => undefined);
    const rows = await page;
    const last = rows.at(-1);
    if (last) position = { position: last.position, id: last.id };
    if (rows.length === STEP) {
      unread = true;
      // SQLite returns synchronously, so a long catch-up must yield to other work.
      await nextTurn();
    }
    return rows.filter(isWanted);
  }

  async function next(): Promise<readonly Part[] | undefined> {
    if (gap) {
      const first = gap;
      gap = undefined;
      return [first];
    }
    while (!ended) {
      const rows = unread ? await read() : [];
      if (rows.length > 0 || keepAliveDue) {
        armKeepAlive();
        return rows.map((row) => ({ id: row.id, data: presentEntry(row) }));
      }
      if (!unread && !ended) await new Promise<void>((resolve) => (wakeUp = resolve));
    }
    return undefined;
  }

  const unlisten = store.onCommit(logTopic(workspace.id), wake);
  armKeepAlive();

  return {
    workspaceId: workspace.id,
    async start() {
      ({ position, gap } = await startOf(deps, call, query));
    },
    next,
    position: () => position.position,
    wake,
    end() {
      ended = true;
      unlisten();
      cancelKeepAlive();
      wakeUp();
      return reading;
    },
  };
}

/** Where a stream begins. If the entry is no longer stored or never was, an unknown number of entries is missing. */
async function startOf(
  { store, clock }: FollowDeps,
  { authority, workspace }: Call,
  { after, accountId }: StreamQuery,
): Promise<LogStart> {
  if (accountId !== undefined) await accountNamed(store.db, authority, accountId);
  if (after === undefined) return { position: await lastPosition(store.db, store.dialect, authority) };
  const since = keptSince(workspace.plan, clock.now());
  const known = await positionOfEntry(store.db, store.dialect, authority, after, since);
  if (known?.settled) return { position: known };
  // Lists may show an entry before it is settled: others can still precede it, so they are repeated.
  if (known) return { position: await lastPosition(store.db, store.dialect, authority) };
  const { event_retention_days } = PLANS[workspace.plan].limits;
  return {
    position: BEGINNING,
    gap: { event: 'gap', data: { last_event_id: after, retention_days: event_retention_days } },
  };
}
