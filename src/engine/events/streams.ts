import { accountNamed } from '../../../db/access/accounts.ts';
import {
  BEGINNING,
  lastPlace,
  logAfter,
  logTopic,
  newestPositions,
  placeOfEntry,
  type LogRow,
  type Place,
} from '../../../db/delivery/activity.ts';
import { keptSince } from '../../../db/delivery/sweep.ts';
import type { LogCategory } from '../../../db/schema/database.ts';
import type { Store } from '../../../db/store/store.ts';
import { streaming, type Call, type Stream, type StreamPart } from '../../call/context.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import { makeConcurrency } from '../../kernel/limits/concurrency.ts';
import type { Leave } from '../../kernel/limits/slots.ts';
import type { Log } from '../../kernel/log.ts';
import { PLANS } from '../../kernel/plans.ts';
import { wireEntry } from './records.ts';

/** How often something is said where nothing happens, so that nobody on the way takes the stream for dead. */
const BEAT_MS = 15_000;
/** How often one query looks for what other processes wrote, for all streams together. */
const LOOK_MS = 1000;
const STEP = 100;
const PER_CALLER = 10;
const PER_WORKSPACE = 50;

export type StreamAsk = Readonly<{
  /** The last entry that was received. */
  after?: string | undefined;
  categories?: readonly LogCategory[] | undefined;
  accountId?: string | undefined;
}>;

type Entry = ReturnType<typeof wireEntry>;
type Part = StreamPart<Entry>;
type Follower = Readonly<{
  workspaceId: string;
  stands(): number;
  wake(): void;
  /** Ends with the read that is under way. */
  end(): Promise<unknown>;
}>;

/**
 * The live tail of the activity log. A stream reads the next page when its client has taken the one before, so nothing
 * is kept for slow clients, and it reads only when a commit says that there is something to be read.
 */
export function makeStreams({ store, clock, log }: Readonly<{ store: Store; clock: Clock; log: Log }>) {
  const followers = new Set<Follower>();
  const concurrency = makeConcurrency();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let cancelLook: (() => void) | undefined;

  /** Commits of this process wake streams by themselves; this finds those of others, and what had to settle first. */
  async function look(): Promise<void> {
    try {
      const ids = new Set([...followers].map(({ workspaceId }) => workspaceId));
      const newest = await newestPositions(store.db, [...ids]);
      for (const follower of followers) {
        if ((newest.get(follower.workspaceId) ?? -1) > follower.stands()) follower.wake();
      }
    } catch (error) {
      log.warn({ error }, 'the activity log could not be looked at');
    } finally {
      looking = undefined;
      armLook();
    }
  }

  function armLook(): void {
    if (stopped || looking || followers.size === 0) return;
    cancelLook ??= clock.after(LOOK_MS, () => {
      cancelLook = undefined;
      looking = look();
    });
  }

  function disarmLook(): void {
    cancelLook?.();
    cancelLook = undefined;
  }

  /** Counts a stream of the caller and of the workspace, or refuses it; answers how to take it off the counts. */
  function admit({ caller, workspace }: Call): Leave {
    const ofCaller = { key: `caller ${workspace.id} ${caller.id}`, max: PER_CALLER };
    const ofWorkspace = { key: `workspace ${workspace.id}`, max: PER_WORKSPACE };
    const entered = concurrency.enter([ofCaller, ofWorkspace]);
    if ('leave' in entered) return entered.leave;
    const { max } = entered.reached;
    const who = entered.reached === ofCaller ? 'This caller' : 'This workspace';
    return fail('http.429', {
      message: `${who} follows the log ${max} times already.`,
      next: 'End one of those streams first.',
      meta: { max },
    });
  }

  function follow(call: Call, { after, categories, accountId }: StreamAsk) {
    const { authority, workspace } = call;
    let place: Place = BEGINNING;
    let gap: Part | undefined;
    let ended = stopped;
    let news = true;
    let due = false;
    let cancelBeat = () => {};
    let reading: Promise<unknown> = Promise.resolve();
    let wakeUp = () => {};

    const since = () => keptSince(workspace.plan, clock.now());
    const isWanted = (row: LogRow) =>
      (categories === undefined || categories.includes(row.category)) &&
      (accountId === undefined || row.account_id === accountId);

    function wake(): void {
      news = true;
      wakeUp();
    }

    /** Something has been told: the next time to say that there is nothing is as far away as can be. */
    function armBeat(): void {
      due = false;
      cancelBeat();
      cancelBeat = clock.after(BEAT_MS, () => {
        due = true;
        wakeUp();
      });
    }

    async function read(): Promise<readonly LogRow[]> {
      news = false;
      const page = logAfter(store.db, store.dialect, authority, place, { since: since(), limit: STEP });
      reading = page.catch(() => undefined);
      const rows = await page;
      const last = rows.at(-1);
      if (last) place = { position: last.position, id: last.id };
      if (rows.length === STEP) {
        news = true;
        // SQLite answers at once: a long way to catch up must leave others their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return rows.filter(isWanted);
    }

    async function next(): Promise<readonly Part[] | undefined> {
      if (gap) {
        const told = gap;
        gap = undefined;
        return [told];
      }
      while (!ended) {
        const rows = news ? await read() : [];
        if (rows.length > 0 || due) {
          armBeat();
          return rows.map((row) => ({ id: row.id, data: wireEntry(row) }));
        }
        if (!news && !ended) await new Promise<void>((resolve) => (wakeUp = resolve));
      }
      return undefined;
    }

    const unlisten = store.onCommit(logTopic(workspace.id), wake);
    armBeat();

    function end(): Promise<unknown> {
      ended = true;
      unlisten();
      cancelBeat();
      wakeUp();
      return reading;
    }

    const follower: Follower = {
      workspaceId: workspace.id,
      stands: () => place.position,
      wake,
      end,
    };

    /** An entry that is not kept, or never was, leaves a gap that nobody can tell the size of. */
    async function start(): Promise<void> {
      if (accountId !== undefined) await accountNamed(store.db, authority, accountId);
      if (after === undefined) {
        place = await lastPlace(store.db, store.dialect, authority);
        return;
      }
      const known = await placeOfEntry(store.db, store.dialect, authority, after, since());
      // What a list has shown may not have settled yet: others can still come before it, so they are told again.
      if (known) place = known.settled ? known : await lastPlace(store.db, store.dialect, authority);
      else {
        const { event_retention_days } = PLANS[workspace.plan].limits;
        gap = { event: 'gap', data: { last_event_id: after, retention_days: event_retention_days } };
      }
    }

    function close(): void {
      followers.delete(follower);
      void end();
      if (followers.size === 0) disarmLook();
    }

    return { follower, start, next, close };
  }

  return Object.freeze({
    /** Follows the log from now on, or from behind the entry that was received last. */
    async stream(call: Call, ask: StreamAsk): Promise<Stream<Entry>> {
      const leave = admit(call);
      const { follower, start, next, close: closeStream } = follow(call, ask);
      const close = () => {
        leave();
        closeStream();
      };
      followers.add(follower);
      armLook();
      try {
        await start();
      } catch (error) {
        close();
        throw error;
      }
      return streaming({ next, close });
    },

    /** Ends all streams; their clients come back to another process, or later, with the last id they saw. */
    async stop(): Promise<void> {
      stopped = true;
      disarmLook();
      await Promise.all([looking, ...[...followers].map((follower) => follower.end())]);
    },
  });
}
