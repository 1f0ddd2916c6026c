import { findBilling, patchBilling, type BillingRow } from '#db/access/billing.ts';
import { findWorkspace, patchWorkspace, type WorkspaceRow } from '#db/access/users.ts';
import { releaseHeld } from '#db/posts/target-queue.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import { PLANS, type PlanTier } from '#kernel/plans.ts';
import type { PaymentProvider, Subscribed } from './provider.ts';

/** The longest time that due posts of a blocked workspace wait for the next check. */
const REST_MS = 60_000;
/** How long a state that was read stays valid if nothing changes. */
const FRESH_MS = 3_600_000;
/** How often the subscription is read again because of concurrent writes. */
const MOST_READS = 8;

type StateDeps = Readonly<{
  store: Store;
  clock: Pick<Clock, 'now'>;
  log: Log;
  planWithout: PlanTier;
  forget(): void;
  crash: CrashPoint;
}>;

/** `stale`: a newer state was stored while this one was being read. */
type Applied = 'stale' | 'same' | 'changed';

type Decided = Pick<WorkspaceRow, 'plan' | 'plan_since' | 'cycle_anchor' | 'blocked_at'>;

/** What a subscription means for a workspace. Only its current state counts, so the order of events does not matter. */
function decide(
  workspace: WorkspaceRow,
  before: Pick<BillingRow, 'subscription_id'>,
  subscribed: Subscribed | undefined,
  { now, planWithout }: Readonly<{ now: number; planWithout: PlanTier }>,
): Decided {
  const { plan: old, plan_since, cycle_anchor, blocked_at } = workspace;
  if (subscribed === undefined) {
    // A workspace that never subscribed keeps its assigned plan.
    if (before.subscription_id === null) return { plan: old, plan_since, cycle_anchor, blocked_at };
    return { plan: planWithout, plan_since: now, cycle_anchor: null, blocked_at: null };
  }
  const plan = subscribed.offer?.tier ?? old;
  const isNew = before.subscription_id !== subscribed.id;
  const since = plan === old ? plan_since : now;
  const changed = isNew ? subscribed.begunAt : since;
  return {
    plan,
    plan_since: changed,
    cycle_anchor: subscribed.anchor,
    blocked_at: subscribed.status === 'blocked' ? (blocked_at ?? now) : null,
  };
}

function readingOf(subscribed: Subscribed | undefined) {
  return {
    status: subscribed?.status ?? 'none',
    subscription_id: subscribed?.id ?? null,
    tier: subscribed?.offer?.tier ?? null,
    interval: subscribed?.offer?.interval ?? null,
    cycle_end: subscribed?.cycleEnd ?? null,
    ends_at: subscribed?.endsAt ?? null,
  } as const;
}

export function makeState({ store, clock, log, planWithout, forget, crash }: StateDeps) {
  async function apply(tx: Tx, row: BillingRow, subscribed: Subscribed | undefined): Promise<Applied> {
    const now = clock.now();
    const read = readingOf(subscribed);
    // An unchanged state that was stored within the last hour is not written, so that nobody waits for the write.
    const isKnown = (Object.keys(read) as (keyof typeof read)[]).every((name) => row[name] === read[name]);
    if (isKnown && now - row.read_at < FRESH_MS) return 'same';
    if (!(await patchBilling(tx.db, row, { ...read, read_at: now }))) return 'stale';
    const workspace = await findWorkspace(tx.db, row.workspace_id);
    if (workspace === undefined) return 'same';
    const next = decide(workspace, row, subscribed, { now, planWithout });
    const names = ['plan', 'plan_since', 'cycle_anchor', 'blocked_at'] as const;
    if (names.every((name) => workspace[name] === next[name])) return 'same';
    await patchWorkspace(tx.db, workspace.id, next);
    await record(tx, workspace, next);
    if (workspace.blocked_at !== null && next.blocked_at === null) {
      await releaseHeld(tx.db, workspace.id, now, REST_MS);
      tx.signal('targets');
    }
    return 'changed';
  }

  async function record(tx: Tx, before: WorkspaceRow, { plan, blocked_at }: Decided): Promise<void> {
    const entry = { workspaceId: before.id, category: 'api', status: 'success' } as const;
    if (before.plan !== plan) {
      const summary = `The plan changed from ${PLANS[before.plan].name} to ${PLANS[plan].name}`;
      await tx.log({ ...entry, action: 'plan_changed', summary });
    }
    if ((before.blocked_at === null) === (blocked_at === null)) return;
    await tx.log(
      blocked_at === null
        ? { ...entry, action: 'billing_restored', summary: 'The subscription is paid: everything works again' }
        : { ...entry, action: 'billing_blocked', status: 'failed', summary: 'The payment failed twice' },
    );
  }

  return Object.freeze({
    async sync(provider: PaymentProvider, workspaceId: string): Promise<Subscribed | undefined> {
      for (let reads = 0; reads < MOST_READS; reads += 1) {
        const row = await findBilling(store.db, workspaceId);
        if (row === undefined || row.customer_id === null || row.network !== provider.network) return undefined;
        const subscribed = await provider.subscriptionOf(row.customer_id);
        crash('billing.read');
        if (subscribed === 'unknown') {
          log.warn({ workspace: workspaceId }, 'the payment provider does not know the customer of a workspace');
          await store.write((tx) => patchBilling(tx.db, row, { read_at: clock.now() }));
          return undefined;
        }
        if (subscribed !== undefined && subscribed.offer === undefined) {
          log.warn({ subscription: subscribed.id }, 'a subscription has a price that no setting names');
        }
        // A state that was read before another change must not be written after it.
        const applied = await store.write((tx) => apply(tx, row, subscribed));
        if (applied === 'changed') forget();
        if (applied !== 'stale') return subscribed;
      }
      throw new Error('the billing of the workspace keeps changing');
    },
  });
}

export type BillingState = ReturnType<typeof makeState>;
