import { DAY, dayOf } from '#kernel/clock.ts';
import { PLANS, type PlanTier } from '#kernel/plans.ts';
import { moveCounts } from './deliveries.ts';
import type { Db } from '../store/tx.ts';
import type { Authority } from '#kernel/authority.ts';

/** The endpoint's row is kept this long, because transactions under way may still add deliveries. */
const REMOVED_ROW_MS = 60_000;
export const SWEEP_STEP = 500;

/** When the history that a plan keeps begins, in whole UTC days. */
export function keptSince(plan: PlanTier, now: number): number {
  return dayOf(now) - PLANS[plan].limits.event_retention_days * DAY;
}

export async function historyStart(db: Db, authority: Authority, now: number): Promise<number> {
  const { plan } = await db
    .selectFrom('workspaces')
    .select('plan')
    .where('id', '=', authority.workspace)
    .executeTakeFirstOrThrow();
  return keptSince(plan, now);
}

/** Deletes some expired deliveries and removed endpoints; returns how many, 0 when nothing is left. */
export async function sweepDeliveries(db: Db, now: number): Promise<number> {
  const expired = await expiredEndpoint(db, now);
  return expired ? removeExpired(db, expired.id, expired.since) : sweepRemoved(db, now);
}

async function expiredEndpoint(db: Db, now: number): Promise<{ id: string; since: number } | undefined> {
  const tiers = Map.groupBy(Object.keys(PLANS) as PlanTier[], (tier) => keptSince(tier, now));
  for (const [since, plans] of tiers) {
    const row = await db
      .selectFrom('endpoints')
      .innerJoin('workspaces', 'workspaces.id', 'endpoints.workspace_id')
      .select('endpoints.id')
      .where('workspaces.plan', 'in', plans)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('delivery_counts')
            .select('delivery_counts.day')
            .whereRef('delivery_counts.endpoint_id', '=', 'endpoints.id')
            .where('delivery_counts.day', '<', since)
            .where('delivery_counts.status', '!=', 'made')
            .where('delivery_counts.n', '>', 0),
        ),
      )
      .limit(1)
      .executeTakeFirst();
    if (row) return { id: row.id, since };
  }
  return undefined;
}

async function removeExpired(db: Db, endpointId: string, since: number): Promise<number> {
  const removed = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('id')
        .where('endpoint_id', '=', endpointId)
        .where('status', 'in', ['delivered', 'failed'])
        .where('created_at', '<', since)
        .limit(SWEEP_STEP),
    )
    .returning(['event_type', 'created_at', 'status'])
    .execute();
  await moveCounts(
    db,
    removed.flatMap(({ status, ...row }) => {
      const move = { ...row, endpoint_id: endpointId, n: -1 };
      return status === 'pending'
        ? []
        : [
            { ...move, status },
            { ...move, status: 'made' as const },
          ];
    }),
  );
  const emptied = await db
    .deleteFrom('delivery_counts')
    .where('endpoint_id', '=', endpointId)
    .where('day', '<', since)
    .where('n', '<=', 0)
    .executeTakeFirst();
  return removed.length + Number(emptied.numDeletedRows);
}

async function sweepRemoved(db: Db, now: number): Promise<number> {
  const endpoint = await db
    .selectFrom('endpoints')
    .select(['id', 'removed_at'])
    .where('removed_at', 'is not', null)
    .orderBy('removed_at')
    .limit(1)
    .executeTakeFirst();
  if (!endpoint) return 0;
  const removed = await removeHistory(db, endpoint.id, SWEEP_STEP);
  if (removed === SWEEP_STEP || endpoint.removed_at! > now - REMOVED_ROW_MS) return removed;
  await db.deleteFrom('endpoints').where('id', '=', endpoint.id).execute();
  return removed + 1;
}

export async function removeHistory(db: Db, endpointId: string, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (eb) =>
      eb.selectFrom('deliveries').select('id').where('endpoint_id', '=', endpointId).limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
