import { findWorkspace } from '../../../db/users.ts';
import { loadPost, patchPost } from '../../../db/posts.ts';
import type { Store } from '../../../db/store.ts';
import { claimTargets, listSteps, nextTargetAt, patchTarget, type ClaimedTarget } from '../../../db/targets.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Clock } from '../../kernel/clock.ts';
import { randomHex } from '../../kernel/ids.ts';
import { makeCrew } from '../jobs/crew.ts';
import { LEASE_MS } from '../jobs/lease.ts';
import { mayBePublic } from './attempt.ts';
import { conclude } from './conclude.ts';
import { ownFailure } from './failures.ts';

/** Targets one process works on at once, and how many a look takes. */
const CONCURRENCY = 32;
/** How long a due post of an unpaid workspace rests before it is looked at again. */
const BLOCKED_REST_MS = 30_000;

export type WorkerDeps = Readonly<{
  store: Store;
  clock: Clock;
  runTarget(id: string, token: string): Promise<void>;
  maxLatenessMs: number;
}>;

/** Takes due targets and runs them; what it claims is leased, so a process that dies loses nothing. */
export function makeWorker({ store, clock, runTarget, maxLatenessMs }: WorkerDeps) {
  const crew = makeCrew(CONCURRENCY);
  let lookedAt = clock.now();

  /** Claims what is due and starts it; answers how many targets were claimed. */
  async function tick(): Promise<number> {
    const free = crew.free();
    if (free === 0) return 0;
    const now = clock.now();
    lookedAt = now;
    const token = randomHex(16);
    const claimed = await store.write(async (tx) => {
      const rows = await claimTargets(tx.db, tx.dialect, now, free, { token, until: now + LEASE_MS });
      const runnable: ClaimedTarget[] = [];
      for (const row of rows) if (await admit(tx, row, token, now)) runnable.push(row);
      return { taken: rows.length, runnable };
    });
    for (const { id } of claimed.runnable) crew.track(runTarget(id, token));
    return claimed.taken;
  }

  /** Moves a claimed target to publishing, or ends or postpones it when it may not go out. */
  async function admit(tx: Tx, target: ClaimedTarget, token: string, now: number): Promise<boolean> {
    const post = await loadPost(tx.db, target.post_id);
    const workspace = await findWorkspace(tx.db, target.workspace_id);
    if (!post || !workspace) return false;
    const begin = { status: 'publishing', attempts: target.attempts + 1 } as const;
    const underWay = target.status === 'publishing';
    const time = underWay ? target.was_due : (target.scheduled_at ?? post.scheduled_at ?? now);
    const late = now - time > maxLatenessMs;
    // What may be public already has to be brought to its end, however late.
    if (underWay && !(late && !mayBePublic(await listSteps(tx.db, target.id)))) {
      await patchTarget(tx.db, target.id, begin);
      return true;
    }
    const blocked = workspace.blocked_at !== null;
    if (late) {
      const failed = ownFailure(blocked ? 'billing.past_due' : 'publishing.delivery.too_late');
      await patchPost(tx.db, post.id, { status: 'publishing', updated_at: now });
      await conclude(tx, target, token, { failed, skipped: true, durationMs: 0 }, now);
      return false;
    }
    if (blocked) {
      const rest = { due_at: now + BLOCKED_REST_MS, lease_token: null, lease_until: 0 };
      await patchTarget(tx.db, target.id, rest);
      return false;
    }
    await patchPost(tx.db, post.id, { status: 'publishing', updated_at: now });
    await patchTarget(tx.db, target.id, { ...begin, started_at: now });
    return true;
  }

  return Object.freeze({
    tick,
    /** Counts a target that a request runs, so that stopping waits for it. */
    track: crew.track,
    /** When the next target becomes due; what was due at the last look waits for a place, not for a time. */
    nextAt: () => nextTargetAt(store.db, lookedAt),
    idle: crew.idle,
    onFree: crew.onFree,
  });
}

export type Worker = ReturnType<typeof makeWorker>;
