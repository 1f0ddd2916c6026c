import { updateAccount, type AccountRow } from '#db/access/accounts.ts';
import { loadPolledAccount, touchInboxAccount, type PolledAccount } from '#db/inbox/accounts.ts';
import { isSameJson } from '#db/store/json.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import type { QuotaCounter, Sessions } from '#call/ports.ts';
import { HOUR, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import { PlatformError } from '#platforms/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { QuotaSpent } from '#platforms/app/quotas.ts';
import { withJitter, makeRetryPolicy, makeSkipLog } from '#platforms/retry-policy.ts';
import type { AttachmentAddresses } from '../read/attachment-addresses.ts';
import { patchProgress, storeBatch } from './intake.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The wait between batches of one poll. */
const AT_ONCE_MS = 50;
/** Shorter pauses are not shown to the user. */
const SHORT_MS = 10 * 60_000;

type Reader = NonNullable<NonNullable<Platform['inbox']>['poll']>;
/** When to poll again, and what to store with that. */
type Polled = Readonly<{ again: number; write?(db: Db): Promise<void> }>;

export type PollingDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  subscriptions: Pick<Subscriptions, 'active' | 'caughtUp'>;
  quotas: Pick<QuotaCounter, 'pace'>;
  addresses: AttachmentAddresses;
}>;

/** The job `poll_inbox`: polls an account for what webhooks do not report, until its session ends. */
export function makePolling(deps: PollingDeps) {
  const { store, sessions, platforms, clock, log, subscriptions, addresses, quotas } = deps;
  const retryPolicy = makeRetryPolicy();
  const logSkipped = makeSkipLog(log);

  async function setNotice(account: AccountRow, notice: string | null): Promise<void> {
    if (account.notice !== notice) await store.write((tx) => updateAccount(tx.db, account.id, { notice }));
  }

  /** Waits until an exhausted quota is renewed, but checks hourly in case the limit is raised. */
  async function pause(account: AccountRow, until: number): Promise<{ again: number }> {
    const waitMs = until - clock.now();
    const at = new Date(until).toISOString();
    if (waitMs > SHORT_MS) await setNotice(account, `Polling is paused until ${at}: its quota is used up.`);
    return { again: withJitter(Math.min(Math.max(waitMs, AT_ONCE_MS), HOUR)) };
  }

  async function readBatch(account: PolledAccount, reader: Reader, isPushed: boolean, readAt: number) {
    const cursor = account.poll_cursor ?? undefined;
    const reading = await sessions.use(account, (call) => reader.read(call, cursor, { isPushed }), readAt);
    const now = clock.now();
    const { events, baseline = [] } = reading;
    const isQuiet = cursor !== undefined && events.length + baseline.length === 0 && isSameJson(reading.cursor, cursor);
    const last = { poll_cursor: reading.cursor ?? null, sync_state: 'idle', last_synced_at: now } as const;
    const progress = { column: 'poll_cursor', from: cursor, last, baseline } as const;
    const how = { now, silent: false, way: 'poll', addresses } as const;
    const taken = isQuiet ? 'quiet' : await storeBatch(store, account, events, how, progress);
    retryPolicy.forget(account.id);
    logSkipped(account, reading.skipped);
    // A cursor that stays as it was leads to the same batch again.
    const more = reading.more && (cursor === undefined || !isSameJson(reading.cursor, cursor));
    return { taken, more, now };
  }

  async function afterFailure(account: AccountRow, reader: Reader, error: unknown) {
    if (error instanceof QuotaSpent) return pause(account, error.until);
    const wait = retryPolicy.after(account.id, error, reader.everyMs);
    const level = error instanceof PlatformError && error.kind === 'throttled' ? 'warn' : 'info';
    log[level]({ account_id: account.id, platform: account.platform, error, wait_ms: wait }, 'inbox not polled');
    if (wait === 'over') return undefined;
    await patchProgress(store, account.id, { sync_state: 'failed' });
    return { again: withJitter(wait) };
  }

  return async function poll(accountId: string): Promise<void | Polled> {
    const readAt = clock.now();
    const account = await loadPolledAccount(store.db, accountId);
    const platform = account && platformFor(platforms, account);
    const reader = platform?.inbox?.poll;
    if (!platform || !reader || account.status !== 'active') return retryPolicy.forget(accountId);
    const subscription = await subscriptions.active(account);
    const isForGaps = reader.when === 'unpushed';
    if (isForGaps && subscription?.caught_up === 1) return { again: withJitter(reader.everyMs) };
    const user = { platform, network: account.network, account };
    const pace = await quotas.pace(user, reader.cost);
    if ('until' in pace) return pause(account, pace.until);
    try {
      const { taken, more, now } = await readBatch(account, reader, subscription !== undefined, readAt);
      if (taken === 'gone') return undefined;
      if (taken === 'passed' || more) return { again: AT_ONCE_MS };
      if (isForGaps && subscription !== undefined) await subscriptions.caughtUp(subscription);
      await setNotice(account, null);
      const again = withJitter(Math.max(reader.everyMs, pace.leastMs));
      return { again, ...(taken === 'quiet' && { write: (db: Db) => touchInboxAccount(db, account.id, now) }) };
    } catch (error) {
      return afterFailure(account, reader, error);
    }
  };
}
