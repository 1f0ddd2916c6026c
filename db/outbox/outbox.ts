import { isoTime, MINUTE, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { categoryOf, type EventCategory, type EventName } from '#kernel/events.ts';
import { newId } from '#kernel/ids.ts';
import { scrub, type Log } from '#kernel/log.ts';
import type { Meter } from '#kernel/metrics/meter.ts';
import { notificationOf } from '#kernel/people/notifications.ts';
import { allowanceOf, type Counter } from '#kernel/plans.ts';
import { endRehearsal, isRehearsal } from '#kernel/effects/rehearsal.ts';
import { logTopic } from '../delivery/activity.ts';
import { fanOut, moveCounts, type CountMove } from '../delivery/deliveries.ts';
import { subscribedEndpoints } from '../delivery/endpoints.ts';
import { insertJob } from '../store/jobs.ts';
import { insertEvent, insertLog } from '../posts/logs.ts';
import { insertNotification } from './notifications.ts';
import { extendTx, type Store as BareStore, type Tx as BareTx } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { currentKey, type RequestKey } from '../access/request-key.ts';
import type { LogCategory } from '../schema/database.ts';
import type { Emitted, LogEntry, NewJob, Tx } from '../store/tx.ts';
import type { Workspace } from '#kernel/authority.ts';
import { giveCredits, takeCredits } from '../access/usage.ts';

const CATEGORIES: Readonly<Record<EventCategory, LogCategory>> = Object.freeze({
  inbox: 'inbox',
  posts: 'post',
  accounts: 'account',
  actions: 'api',
});

const EXHAUSTED = Object.freeze({
  posts: 'validation.post_limit_exhausted',
  interactions: 'validation.interaction_limit_exhausted',
  exports: 'billing.export_limit',
} as const);

/** Failures that the operator should know of, with their text in the server's log. */
const WARNINGS: Readonly<Partial<Record<EventName, string>>> = Object.freeze({
  'post.failed': 'a post failed',
  'post.partial': 'a post failed on some of its accounts',
  'account.disconnected': 'an account must be connected again',
  'action.failed': 'an approved action was refused',
});

/** Receives metrics and warnings after each commit; if undefined, nothing does. */
type Observer = Readonly<{ meter: Meter; log: Pick<Log, 'warn'> }>;

type Outbox = Readonly<{
  made: CountMove[];
  /** Runs after the commit. */
  afterwards: ((observer: Observer) => void)[];
}>;

/** How long notifications wait for others, to be mailed together. */
const NOTIFICATION_MS = MINUTE;

/** A rehearsal records nothing. */
const UNKEPT: RequestKey = { record: async () => {} };

/**
 * The product's store, whose transactions can record events, jobs, log entries and credits. With `hasMail`, people are
 * told of some events by mail.
 */
export function productStore(store: BareStore, clock: Clock, observer?: Observer, hasMail = false): Store {
  const extended = extendTx(store, (tx) => {
    const outbox: Outbox = { made: [], afterwards: [] };
    return {
      more: outboxOf(tx, clock, outbox, hasMail),
      // Counters change last and in a fixed order, so that transactions cannot deadlock.
      async end() {
        await moveCounts(tx.db, outbox.made);
        // A rehearsal ends here with an error, which rolls the transaction back.
        endRehearsal();
      },
      committed: () => observer && outbox.afterwards.forEach((tell) => tell(observer)),
    };
  });
  return observer === undefined ? extended : timed(extended, observer.meter);
}

function timed(store: Store, meter: Meter): Store {
  return Object.freeze<Store>({
    ...store,
    async write(fn, options) {
      const started = performance.now();
      try {
        return await store.write(fn, options);
      } finally {
        meter.time('storeTime', [], (performance.now() - started) / 1000);
      }
    },
  });
}

function warningOf(id: string, event: Emitted): ((observer: Observer) => void) | undefined {
  const message = event.failed === true ? WARNINGS[event.name] : undefined;
  if (message === undefined) return undefined;
  const { workspaceId, resourceId, accountId, platform, errorCategory, errorMessage } = event;
  const fields = {
    event_id: id,
    event: event.name,
    workspace_id: workspaceId,
    id: resourceId,
    account_id: accountId,
    platform,
    error_category: errorCategory,
    ...(errorMessage !== undefined && { why: scrub(errorMessage) }),
  };
  return ({ log }) => log.warn(fields, message);
}

/** The entry of an event in the activity log. */
function entryOf(id: string, event: Emitted): LogEntry {
  const { name, workspaceId, platform, accountId, resourceId, summary, errorCategory, errorMessage } = event;
  const dot = name.indexOf('.');
  return {
    workspaceId,
    category: CATEGORIES[categoryOf(name)],
    action: name.slice(dot + 1),
    status: event.failed ? 'failed' : 'success',
    platform,
    accountId,
    resourceId,
    kind: name.slice(0, dot),
    summary,
    errorCategory,
    errorMessage,
    metadata: { event_id: id, event: name },
  };
}

function outboxOf(
  { db, dialect, signal }: BareTx,
  clock: Clock,
  { made, afterwards }: Outbox,
  hasMail: boolean,
): Omit<Tx, keyof BareTx> {
  const log = async (entry: LogEntry) => {
    const now = clock.now();
    await insertLog(db, dialect, {
      id: newId('log', now),
      workspace_id: entry.workspaceId,
      category: entry.category,
      action: entry.action,
      status: entry.status,
      platform: entry.platform ?? null,
      account_id: entry.accountId ?? null,
      resource_id: entry.resourceId ?? null,
      summary: entry.summary,
      duration_ms: entry.durationMs ?? null,
      status_code: entry.statusCode ?? null,
      error_category: entry.errorCategory ?? null,
      error_message: entry.errorMessage ?? null,
      metadata: entry.metadata ?? {},
      created_at: now,
      kind: entry.kind ?? null,
    });
    signal(logTopic(entry.workspaceId));
  };

  async function enqueue(job: NewJob): Promise<void> {
    const now = clock.now();
    await insertJob(db, newId('job', now), job, now);
    signal(`job ${job.kind}`);
  }

  const key = isRehearsal() ? UNKEPT : currentKey();
  return {
    log,
    key: key && { record: (state) => key.record(db, state) },
    async emit(event: Emitted) {
      const now = clock.now();
      const id = newId('evt', now);
      const fields = { id, workspace_id: event.workspaceId, name: event.name, created_at: now };
      const body = JSON.stringify({ event: event.name, data: event.data });
      // While the workspace is unpaid, events are logged but not delivered: docs/contract/events.md#unpaid.
      const logging = log(entryOf(id, event));
      const [recorded, endpoints] = await Promise.all([
        insertEvent(db, { ...fields, brand_id: event.brandId, body }),
        subscribedEndpoints(db, event.workspaceId, event.name),
        logging,
      ]);
      const moves = recorded ? await fanOut(db, fields, endpoints, () => newId('dlv', now)) : [];
      made.push(...moves);
      if (moves.length > 0) signal('deliveries');
      const warning = warningOf(id, event);
      if (warning !== undefined) afterwards.push(warning);
      const notification = hasMail && recorded ? notificationOf(event) : undefined;
      if (notification !== undefined) {
        const { workspaceId: workspace_id, resourceId: resource_id = '' } = event;
        await insertNotification(db, { event_id: id, workspace_id, resource_id, created_at: now, ...notification });
        await enqueue({ kind: 'send_notifications', key: workspace_id, runAt: now + NOTIFICATION_MS });
      }
      return id;
    },
    enqueue,
    async charge(counter: Counter, workspace: Workspace, amount: number) {
      const now = clock.now();
      const { plan, name, max, period } = allowanceOf(workspace, counter, now);
      const taken = await takeCredits(db, {
        workspaceId: workspace.id,
        period: period.start,
        counter,
        amount,
        max,
      });
      if (!taken) {
        fail(EXHAUSTED[counter], {
          message: `The ${name} plan allows ${max} ${counter} until ${isoTime(period.end)}.`,
          meta: { plan, max },
          retryAfter: (period.end - now) / 1000,
        });
      }
      return period.start;
    },
    refund: (counter: Counter, workspaceId: string, period: number, amount: number) =>
      giveCredits(db, { workspaceId, period, counter, amount }),
    meter: {
      count: (...counted) => void afterwards.push(({ meter }) => meter.count(...counted)),
      time: (...taken) => void afterwards.push(({ meter }) => meter.time(...taken)),
    },
  };
}
