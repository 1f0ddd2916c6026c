// The delivery engine as a process of its own, for tests that kill it or run two of them; told what to do by its parent.
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import type { StoreOptions } from '#db/store/open.ts';
import { CRASH_POINTS, type CrashPointName } from '#call/crash-points.ts';
import { systemClock } from '#kernel/clock.ts';
import { openEngine } from '../../harness/webhooks/delivery-engine.ts';

export type Told = Readonly<{
  place: StoreOptions;
  workspace: string;
  ca: string;
  /** How far its clock is ahead of the machine's. */
  aheadMs: number;
  /** Makes events without end, telling the id of each once it is committed. */
  emits?: boolean;
  /** Ends itself, as a power cut would, the first time this point is passed. */
  crashAt?: CrashPointName;
}>;

const DEADLINE_MS = 5_000;

flushCompileCache();
const [told] = (await once(process, 'message')) as [Told];
const { place, workspace, ca, aheadMs, crashAt } = told;
if (crashAt !== undefined && !CRASH_POINTS.includes(crashAt)) throw new Error(`${crashAt} is no crash point`);
const engine = await openEngine({
  place,
  workspace,
  clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
  outbound: { ca },
  deps: {
    deadlineMs: DEADLINE_MS,
    userAgent: `rostra/${process.pid}`,
    crash: (point) => {
      if (point === crashAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});
engine.delivery.start();
process.send!('ready');
process.once('disconnect', () => process.exit(0));
while (told.emits) {
  const [id] = await engine.emit(1, 'post.deleted');
  process.send!(id);
  await new Promise((resolve) => setImmediate(resolve));
}
