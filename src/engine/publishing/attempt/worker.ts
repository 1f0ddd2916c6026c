import { NEVER, type TargetError } from '#db/schema/database.ts';
import { findWorkspace } from '#db/access/users.ts';
import { loadPost, patchPost } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import {
  claimTargets,
  findDueTargets,
  nextTargetAt,
  soonestTarget,
  type ClaimedTarget,
} from '#db/posts/target-queue.ts';
import { listSteps } from '#db/posts/steps.ts';
import { patchTarget } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { inTurn } from '../../jobs/in-turn.ts';
import { makeWorkerPool } from '../../jobs/worker-pool.ts';
import { LEASE_MS, UNFLUSHED } from '../../jobs/lease.ts';
import { ownFailure } from '../state/target-error.ts';
import { conclude } from './conclude.ts';
import { mayBePublic } from './doubt.ts';

/** Concurrent targets of one process, in total and per platform. */
export type WorkerSlots = Readonly<{ all: number; platform: number }>;
const SLOTS: WorkerSlots = Object.freeze({ all: 96, platform: 64 });
/** How long a due post of an unpaid workspace waits before the next check. */
const BLOCKED_REST_MS = 30_000;

export type WorkerDeps = Readonly<{
  store: Store;
  clock: Clock;
  runTarget(id: string, token: string): Promise<void>;
  maxLatenessMs: number;
  slots?: WorkerSlots | undefined;
}>;

/** What to do with a claimed target: publish it now, let it wait, or fail it as too late. */
type Admission = 'run' | 'rest' | Readonly<{ late: TargetError }>;

/** Claims due targets under a lease and publishes them; if the process dies, another continues. */
export function makeWorker({ store, clock, runTarget, maxLatenessMs, slots = SLOTS }: WorkerDeps) {
  const pool = makeWorkerPool(slots.all);
  const requests = makeWorkerPool(Infinity);
  const byPlatform = new Map<PlatformSlug, number>();
  const soonest = store.prepared(soonestTarget);
  let lookedAt = clock.now();
  /** When the next target is due, as of the last look; undefined if that look found due ones. */
  let next: number | undefined;

  /** Claims and starts due targets; returns how many it claimed. */
  async function look(): Promise<number> {
    const free = pool.free();
    const now = clock.now();
    lookedAt = now;
    next = undefined;
    if (free === 0) return 0;
    const at = (await soonest({}))?.at ?? NEVER;
    if (at > now) {
      next = at;
      return 0;
    }
    const token = store.process.newToken();
    const counts = new Map(byPlatform);
    const due = await findDueTargets(store.db, {
      now,
      most: free,
      full: [...counts].flatMap(([slug, count]) => (count >= slots.platform ? [slug] : [])),
      hasRoom(slug: PlatformSlug): boolean {
        const count = counts.get(slug) ?? 0;
        counts.set(slug, count + 1);
        return count < slots.platform;
      },
    });
    if (due.length === 0) return 0;
    const lease = { token, until: now + LEASE_MS };
    // Needs no flush: if a power cut undoes the claim, nothing has been sent yet.
    const claimed = await store.write(async (tx) => {
      const found: { target: ClaimedTarget; admission: Admission }[] = [];
      for (const target of await claimTargets(tx.db, tx.dialect, due, { now, lease })) {
        found.push({ target, admission: await admit(tx, target, { now, maxLatenessMs }) });
      }
      return found;
    }, UNFLUSHED);
    for (const { target, admission } of claimed) if (admission === 'run') run(target, token);
    for (const { target, admission } of claimed) {
      if (typeof admission === 'object') await giveUp(target, token, admission.late, now);
    }
    return claimed.length;
  }

  function run({ id, platform }: ClaimedTarget, token: string): void {
    byPlatform.set(platform, (byPlatform.get(platform) ?? 0) + 1);
    const leave = () => void byPlatform.set(platform, byPlatform.get(platform)! - 1);
    pool.track(runTarget(id, token).finally(leave));
  }

  async function giveUp(target: ClaimedTarget, token: string, failed: TargetError, now: number): Promise<void> {
    await store.write(async (tx) => {
      await patchPost(tx.db, target.post_id, { status: 'publishing', updated_at: now });
      await conclude(tx, target, token, { failed, skipped: true, durationMs: 0 }, now);
    });
  }

  return Object.freeze({
    tick: inTurn(look),
    /** Tracks a target that a request publishes, so that shutdown waits for it; it takes no slot. */
    track: requests.track,
    /** When the next target is due. Targets that were due at the last look wait for a free slot, not for a time. */
    nextAt: async () => (next === NEVER ? undefined : (next ?? nextTargetAt(store.db, lookedAt))),
    async idle(): Promise<void> {
      await Promise.all([pool.idle(), requests.idle()]);
    },
    /** Also calls when a request's target ends, because the next one of its account may be due. */
    onFree(listener: () => void): () => void {
      const stops = [pool.onFree(listener), requests.onFree(listener)];
      return () => stops.forEach((stop) => stop());
    },
  });
}

/** Moves a claimed target to publishing, or postpones it. */
async function admit(
  tx: Tx,
  target: ClaimedTarget,
  { now, maxLatenessMs }: { now: number; maxLatenessMs: number },
): Promise<Admission> {
  const post = await loadPost(tx.db, target.post_id);
  const workspace = await findWorkspace(tx.db, target.workspace_id);
  if (!post || !workspace) return 'rest';
  const attempts = target.attempts + (target.error?.pending ? 0 : 1);
  const begin = { status: 'publishing', attempts } as const;
  const underWay = target.status === 'publishing';
  const time = underWay ? target.was_due : (target.scheduled_at ?? post.scheduled_at ?? now);
  const late = now - time > maxLatenessMs;
  // If part of a target may be public, publishing is completed no matter how late it is.
  if (underWay && !(late && !mayBePublic(await listSteps(tx.db, target.id)))) {
    await patchTarget(tx.db, target.id, begin);
    return 'run';
  }
  const blocked = workspace.blocked_at !== null;
  if (late) return { late: ownFailure(blocked ? 'billing.past_due' : 'publishing.delivery.too_late') };
  if (blocked) {
    const rest = { due_at: now + BLOCKED_REST_MS, lease_token: null, lease_until: 0 };
    await patchTarget(tx.db, target.id, rest);
    return 'rest';
  }
  await patchPost(tx.db, post.id, { status: 'publishing', updated_at: now });
  await patchTarget(tx.db, target.id, { ...begin, started_at: now });
  return 'run';
}

export type Worker = ReturnType<typeof makeWorker>;
