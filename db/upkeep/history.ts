import { DAY, dayOf } from '#kernel/clock.ts';
import { PLANS } from '#kernel/plans.ts';
import { keptSince } from '../delivery/sweep.ts';
import { sweepActions } from '../leash/actions.ts';
import { sweepClaims } from '../leash/answered.ts';
import { sweepCounts } from '../leash/connections.ts';
import { sweepAudit } from '../leash/audit.ts';
import { sweepSubscriptions } from '../inbox/subscriptions.ts';
import { sweepApps } from '../access/apps.ts';
import { sweepQuotas } from '../access/quotas.ts';
import { sweepPasswordLinks } from '../access/signin.ts';
import type { Db } from '../store/tx.ts';

const PUBLISH_LOG_DAYS = 8;
const ACTION_DAYS = 90;
const AUDIT_DAYS = 400;
/** How long connections that ended or expired are kept, in order to report them as expired. */
const CONNECT_MS = 3_600_000;

/** Deletes some expired history of every kind; returns how many rows, 0 when nothing is left. */
export async function sweepHistory(db: Db, now: number, limit: number): Promise<number> {
  let deleted = 0;
  for (const { tier } of Object.values(PLANS)) {
    const before = keptSince(tier, now);
    deleted += await sweepEvents(db, tier, before, limit);
    deleted += await sweepLog(db, tier, before, limit);
  }
  const log = await db
    .deleteFrom('publish_log')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('publish_log')
        .select('id')
        .where('created_at', '<', dayOf(now) - PUBLISH_LOG_DAYS * DAY)
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirst();
  const connects = await db
    .deleteFrom('connects')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('connects')
        .select('id')
        .where('expires_at', '<', now - CONNECT_MS)
        .orderBy('expires_at')
        .limit(limit),
    )
    .executeTakeFirst();
  const choices = await db.deleteFrom('choices').where('expires_at', '<', now).executeTakeFirst();
  deleted += await sweepActions(db, now - ACTION_DAYS * DAY, limit);
  deleted += await sweepClaims(db, now - ACTION_DAYS * DAY);
  // Keep the counts of yesterday, because for another process it may still be that day.
  deleted += await sweepCounts(db, dayOf(now) - DAY);
  deleted += await sweepAudit(db, now - AUDIT_DAYS * DAY, limit);
  deleted += await sweepApps(db, now - CONNECT_MS);
  deleted += await sweepQuotas(db, now);
  deleted += await sweepPasswordLinks(db, now);
  deleted += await sweepSubscriptions(db, now, limit);
  return deleted + [log, connects, choices].reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}

/** An event is never deleted before its deliveries. */
async function sweepEvents(db: Db, tier: keyof typeof PLANS, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('events')
        .innerJoin('workspaces', 'workspaces.id', 'events.workspace_id')
        .select('events.id')
        .where('workspaces.plan', '=', tier)
        .where('events.created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(selectFrom('deliveries').select('deliveries.id').whereRef('deliveries.event_id', '=', 'events.id')),
          ),
        )
        .orderBy('events.created_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

async function sweepLog(db: Db, tier: keyof typeof PLANS, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('log')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('log')
        .innerJoin('workspaces', 'workspaces.id', 'log.workspace_id')
        .select('log.id')
        .where('workspaces.plan', '=', tier)
        .where('log.created_at', '<', before)
        .orderBy('log.created_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
