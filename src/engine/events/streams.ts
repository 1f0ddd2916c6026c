import { newestPositions } from '#db/delivery/activity.ts';
import type { Store } from '#db/store/store.ts';
import { streaming, type Call, type Stream } from '#call/context.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { makeConcurrency } from '#kernel/limits/concurrency.ts';
import type { Leave } from '#kernel/limits/slots.ts';
import type { Log } from '#kernel/log.ts';
import { makeFollower, type Entry, type Follower, type StreamQuery } from './follow.ts';

/** How often to look for entries of other processes, with one query for all streams. */
const LOOK_MS = 1000;
const PER_CALLER = 10;
const PER_WORKSPACE = 50;

/** Live streams of the activity log: pages are read on demand after commits, so slow clients need no buffer. */
export function makeStreams({ store, clock, log }: Readonly<{ store: Store; clock: Clock; log: Log }>) {
  const followers = new Set<Follower>();
  const concurrency = makeConcurrency();
  let stopped = false;
  let looking: Promise<void> | undefined;
  let cancelLook: (() => void) | undefined;

  /** Wakes streams for what other processes committed and for entries that have settled; commits of this process wake them at once. */
  async function look(): Promise<void> {
    try {
      const ids = new Set([...followers].map(({ workspaceId }) => workspaceId));
      const newest = await newestPositions(store.db, [...ids]);
      for (const follower of followers) {
        if ((newest.get(follower.workspaceId) ?? -1) > follower.position()) follower.wake();
      }
    } catch (error) {
      log.warn({ error }, 'the activity log could not be read');
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

  /** Counts a stream against the limits of caller and workspace, or refuses it; returns a function that uncounts it. */
  function admit({ caller, workspace }: Call): Leave {
    const ofCaller = { key: `caller ${workspace.id} ${caller.id}`, max: PER_CALLER };
    const ofWorkspace = { key: `workspace ${workspace.id}`, max: PER_WORKSPACE };
    const entered = concurrency.enter([ofCaller, ofWorkspace]);
    if ('leave' in entered) return entered.leave;
    const { max } = entered.reached;
    const who = entered.reached === ofCaller ? 'This caller' : 'This workspace';
    return fail('http.429', {
      message: `${who} already has ${max} open streams of the log.`,
      next: 'End one of those streams first.',
      meta: { max },
    });
  }

  return Object.freeze({
    /** Follows the log from now on, or from the entry after the last one received. */
    async stream(call: Call, query: StreamQuery): Promise<Stream<Entry>> {
      const leave = admit(call);
      const follower = makeFollower({ store, clock }, call, query);
      const close = () => {
        leave();
        followers.delete(follower);
        void follower.end();
        if (followers.size === 0) disarmLook();
      };
      followers.add(follower);
      if (stopped) void follower.end();
      armLook();
      try {
        await follower.start();
      } catch (error) {
        close();
        throw error;
      }
      return streaming({ next: follower.next, close });
    },

    /** Ends all streams; clients reconnect with the last id they saw. */
    async stop(): Promise<void> {
      stopped = true;
      disarmLook();
      await Promise.all([looking, ...[...followers].map((follower) => follower.end())]);
    },
  });
}
