import { dayOf } from '#kernel/clock.ts';
import { PLANS } from '#kernel/plans.ts';
import { keptSince } from '../delivery/sweep.ts';
import { sweepSubscriptions } from '../inbox/subscriptions.ts';
import { sweepApps } from '../access/apps.ts';
import { sweepQuotas } from '../access/quotas.ts';
import type { Db } from '../store/tx.ts';

const DAY = 86_400_000;
const PUBLISH_LOG_DAYS = 8;
/** Connections that ended or expired are removed after an hour; until then expired ones are answered as expired. */
const CONNECT_MS = 3_600_000;

/**
 * One step of retention: events and log entries older than their plan keeps them, the publishing log, old
 * connections and choices, subscriptions of accounts that are gone. Answers how many rows went; 0 when nothing is left to remove.
 */
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
  deleted += await sweepApps(db, now - CONNECT_MS);
  deleted += await sweepQuotas(db, now);
  deleted += await sweepSubscriptions(db, now, limit);
  return deleted + [log, connects, choices].reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}

/** Events go with the deliveries that send them, never before. */
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
