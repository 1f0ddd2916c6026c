import type { AccountRow } from '#db/access/accounts.ts';
import { NEVER, type TargetError } from '#db/schema/database.ts';
import { findWorkspaces } from '#db/access/users.ts';
import { beginPosts, loadPosts, type PostRow } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import {
  accountsOf,
  claimTargets,
  findDueTargets,
  nextTargetAt,
  soonestTarget,
  storeClaimed,
  type ClaimedTarget,
} from '#db/posts/target-queue.ts';
import { listSteps, stepsAmong, type StepRow } from '#db/posts/steps.ts';
import type { TargetRow } from '#db/posts/targets.ts';
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
/** When all places are taken, new targets are claimed together once this share is free, or after this time. */
const TOGETHER = 1 / 8;
const TOGETHER_MS = 50;
/** How long a due post of an unpaid workspace waits before the next check. */
const BLOCKED_REST_MS = 30_000;

export type WorkerDeps = Readonly<{
  store: Store;
  clock: Clock;
  runTarget(id: string, token: string, claimed: Claimed): Promise<void>;
  maxLatenessMs: number;
  slots?: WorkerSlots | undefined;
}>;

/** A target as its attempt begins, so that it need not be read again. */
export type Claimed = Readonly<{
  target: TargetRow;
  post: PostRow;
  account: AccountRow | undefined;
  steps: readonly StepRow[];
  readAt: number;
}>;

/** What to do with a claimed target: publish it now, let it wait, or fail it as too late. */
type Admission = 'run' | 'rest' | Readonly<{ late: TargetError }>;
type Admitted = Claimed & Readonly<{ admission: Admission }>;

/** Claims due targets under a lease and publishes them; if the process dies, another continues. */
export function makeWorker({ store, clock, runTarget, maxLatenessMs, slots = SLOTS }: WorkerDeps) {
  const pool = makeWorkerPool(slots.all);
  const requests = makeWorkerPool(Infinity);
  const byPlatform = new Map<PlatformSlug, number>();
  const soonest = store.prepared(soonestTarget);
  let lookedAt = clock.now();
  /** When the next target is due, as of the last look; undefined if that look found due ones. */
  let next: number | undefined;
  /** Whether due targets may wait for a place, as of the last look, and how many have become free since. */
  let isCrowded = false;
  let freed = 0;
  let stopGathering = () => {};

  /** Claims and starts due targets; returns how many it claimed. */
  async function look(): Promise<number> {
    const free = pool.free();
    const full = [...byPlatform].flatMap(([slug, count]) => (count >= slots.platform ? [slug] : []));
    const now = clock.now();
    lookedAt = now;
    next = undefined;
    isCrowded = free === 0 || full.length > 0;
    freed = 0;
    stopGathering();
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
      full,
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
      const targets = await claimTargets(tx, due, { now, lease });
      return { count: targets.length, admitted: await admit(tx, targets, { now, maxLatenessMs }) };
    }, UNFLUSHED);
    for (const { admission, ...rows } of claimed.admitted) if (admission === 'run') run(rows, token);
    for (const { target, admission } of claimed.admitted) {
      if (typeof admission === 'object') await giveUp(target, token, admission.late, now);
    }
    return claimed.count;
  }

  function run(claimed: Claimed, token: string): void {
    const { id, platform } = claimed.target;
    byPlatform.set(platform, (byPlatform.get(platform) ?? 0) + 1);
    const leave = () => void byPlatform.set(platform, byPlatform.get(platform)! - 1);
    pool.track(runTarget(id, token, claimed).finally(leave));
  }

  /** Waits for several places when all were taken, because a claim costs about half as much as a post. */
  function gather(look: () => void): void {
    freed += 1;
    if (!isCrowded || freed >= slots.platform * TOGETHER) look();
    else if (freed === 1) stopGathering = clock.after(TOGETHER_MS, look);
  }

  async function giveUp(target: TargetRow, token: string, failed: TargetError, now: number): Promise<void> {
    await store.write((tx) => conclude(tx, target, token, { failed, skipped: true, durationMs: 0 }, now));
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
      const stops = [pool.onFree(() => gather(listener)), requests.onFree(listener)];
      return () => {
        stopGathering();
        for (const stop of stops) stop();
      };
    },
    isFreeAwaited: () => next === undefined,
  });
}

type Limits = Readonly<{ now: number; maxLatenessMs: number }>;

/** Moves claimed targets to publishing, or postpones them. */
async function admit(tx: Tx, targets: readonly ClaimedTarget[], limits: Limits): Promise<readonly Admitted[]> {
  if (targets.length === 0) return [];
  const { now } = limits;
  const [posts, accounts, workspaces, allSteps] = await Promise.all([
    loadPosts(tx.db, idsIn(targets, 'post_id')).then(byId),
    accountsOf(tx, targets).then(byId),
    findWorkspaces(tx.db, idsIn(targets, 'workspace_id')).then(byId),
    // The targets are locked, and only who has their lease writes their steps.
    stepsAmong(
      tx,
      targets.map(({ id }) => id),
    ),
  ]);
  const admitted: Admitted[] = [];
  const fresh = new Set<string>();
  for (const target of targets) {
    const post = posts.get(target.post_id);
    const workspace = workspaces.get(target.workspace_id);
    if (post === undefined || workspace === undefined) continue;
    const admission = await admissionOf(tx, target, { ...limits, post, isBlocked: workspace.blocked_at !== null });
    const account = accounts.get(target.account_id);
    const steps = allSteps.filter((step) => step.target_id === target.id);
    admitted.push({ target: moved(target, admission, now), post, account, steps, readAt: now, admission });
    if (admission === 'run' && target.status !== 'publishing') fresh.add(post.id);
  }
  const stored = byId(admitted.map(({ target }) => target));
  const [begun] = await Promise.all([
    beginPosts(tx.db, [...fresh], now),
    storeClaimed(
      tx,
      targets.map((target) => stored.get(target.id) ?? target),
    ),
  ]);
  const begunPosts = byId(begun);
  return admitted.map((one) => ({ ...one, post: begunPosts.get(one.post.id) ?? one.post }));
}

const byId = <R extends Readonly<{ id: string }>>(rows: readonly R[]) => new Map(rows.map((row) => [row.id, row]));

const idsIn = (targets: readonly TargetRow[], column: 'post_id' | 'workspace_id') => [
  ...new Set(targets.map((target) => target[column])),
];

function moved(target: TargetRow, admission: Admission, now: number): TargetRow {
  if (admission === 'rest') return { ...target, due_at: now + BLOCKED_REST_MS, lease_token: null, lease_until: 0 };
  if (admission !== 'run') return target;
  // A target that waits for its platform goes on with the same attempt.
  const attempts = target.attempts + (target.error?.pending ? 0 : 1);
  const started_at = target.status === 'publishing' ? target.started_at : now;
  return { ...target, status: 'publishing', attempts, started_at };
}

async function admissionOf(
  tx: Tx,
  target: ClaimedTarget,
  { now, maxLatenessMs, post, isBlocked }: Limits & Readonly<{ post: PostRow; isBlocked: boolean }>,
): Promise<Admission> {
  const underWay = target.status === 'publishing';
  const time = underWay ? target.was_due : (target.scheduled_at ?? post.scheduled_at ?? now);
  const late = now - time > maxLatenessMs;
  // If part of a target may be public, publishing is completed no matter how late it is.
  if (underWay && !(late && !mayBePublic(await listSteps(tx.db, target.id)))) return 'run';
  if (late) return { late: ownFailure(isBlocked ? 'billing.past_due' : 'publishing.delivery.too_late') };
  return isBlocked ? 'rest' : 'run';
}

export type Worker = ReturnType<typeof makeWorker>;
