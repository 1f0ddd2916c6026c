import { loadAccount } from '../../../../db/access/accounts.ts';
import { loadInboxAccount } from '../../../../db/inbox/accounts.ts';
import type { Store } from '../../../../db/store/store.ts';
import type { Sessions } from '../../../call/ports.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { platformFor, type Platforms } from '../../../platforms/lookup.ts';
import { withJitter, makeRetryPolicy } from '../../../platforms/retry-policy.ts';
import { patchProgress, storeBatch } from './intake.ts';
import { makeSkipLog } from './skipped.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The wait between two batches of one poll. */
const AT_ONCE_MS = 50;

type PollingDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  subscriptions: Pick<Subscriptions, 'active' | 'caughtUp'>;
}>;

/**
 * Polls accounts for what is not pushed: the job `poll_inbox`, one per account. It ends with the account's session;
 * connecting the account again starts it again.
 */
export function makePolling({ store, sessions, platforms, clock, log, subscriptions }: PollingDeps) {
  const retryPolicy = makeRetryPolicy();
  const logSkipped = makeSkipLog(log);

  return async function poll(accountId: string): Promise<void | { again: number }> {
    const account = await loadAccount(store.db, accountId);
    const reader = account && platformFor(platforms, account)?.inbox?.poll;
    if (!account || !reader || account.status !== 'active') return retryPolicy.forget(accountId);
    const subscription = reader.when === 'unpushed' ? await subscriptions.active(account) : undefined;
    if (subscription?.caught_up === 1) return { again: withJitter(reader.everyMs) };
    const cursor = (await loadInboxAccount(store.db, accountId))?.poll_cursor ?? undefined;
    try {
      const reading = await sessions.use(account, (call) => reader.read(call, cursor));
      const now = clock.now();
      const last = {
        poll_cursor: reading.cursor ?? null,
        sync_state: 'idle',
        last_synced_at: now,
      } as const;
      const progress = { column: 'poll_cursor', from: cursor, last, baseline: reading.baseline } as const;
      const taken = await storeBatch(store, account, reading.events, { now, silent: false }, progress);
      retryPolicy.forget(accountId);
      logSkipped(account, reading.skipped);
      if (taken === 'gone') return undefined;
      if (taken === 'passed' || reading.more) return { again: AT_ONCE_MS };
      if (subscription !== undefined) await subscriptions.caughtUp(subscription);
      return { again: withJitter(reader.everyMs) };
    } catch (error) {
      const wait = retryPolicy.after(accountId, error, reader.everyMs);
      log.info({ account_id: accountId, platform: account.platform, error, wait_ms: wait }, 'inbox not polled');
      if (wait === 'over') return undefined;
      await patchProgress(store, accountId, { sync_state: 'failed' });
      return { again: withJitter(wait) };
    }
  };
}
