import { loadAccount, type AccountRow } from '#db/access/accounts.ts';
import {
  accountsToMeasure,
  planMeasurements,
  postponeMeasurements,
  targetsToMeasure,
  type Measurement,
} from '#db/posts/daily-metrics.ts';
import { countDueJobs } from '#db/store/jobs.ts';
import type { Store } from '#db/store/store.ts';
import { holdAccounts } from '#db/posts/targets.ts';
import type { QuotaCounter, Sessions } from '#call/ports.ts';
import { SECOND, MINUTE, DAY, type Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import { QuotaSpent } from '#platforms/app/quotas.ts';
import { PlatformError } from '#platforms/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { makeRetryPolicy } from '#platforms/retry-policy.ts';
import { platformPages } from './read.ts';
import { recordMetrics } from './record.ts';
import { nextMeasurement } from './schedule.ts';

const LOOK_MS = 10 * MINUTE;
/** The wait while more accounts are due than may wait in the queue, which they share with inbox reads. */
const LOOK_SOON_MS = 5 * SECOND;
const MOST_WAITING = 200;
/** Posts per call: platforms return fifty at once, or a few at a time. */
const PER_CALL = 50;
const AT_ONCE_MS = 50;
/** The least wait after a failure. */
const AGAIN_MS = 30 * MINUTE;

export type MeasuringDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  platforms: Platforms;
  quotas: Pick<QuotaCounter, 'pace'>;
  clock: Clock;
  log: Log;
}>;

/** Reads metrics of published posts regularly, recent ones more often, so that every day has numbers. */
export function makeMeasuring({ store, sessions, platforms, quotas, clock, log }: MeasuringDeps) {
  const retryPolicy = makeRetryPolicy();

  const postpone = (accountId: string, until: number | null) =>
    store.write((tx) => postponeMeasurements(tx.db, accountId, clock.now(), until));

  async function readSome(account: AccountRow, platform: Platform, leastMs: number): Promise<boolean> {
    const now = clock.now();
    const due = await targetsToMeasure(store.db, account.id, now, PER_CALL);
    const isPublic = (target: (typeof due)[number]) =>
      target.status === 'published' && target.platform_post_id !== null;
    const targets = due.filter(isPublic);
    const pages = await platformPages(
      store.db,
      targets.map(({ page_id }) => ({ page_id, account_id: account.id })),
    );
    const posts = targets.map(({ platform_post_id, page_id, metadata }) => ({
      id: platform_post_id!,
      page_id: pages.get(page_id ?? ''),
      metadata,
    }));
    const found =
      posts.length === 0 ? undefined : await sessions.use(account, (call) => platform.posts!.metrics!(call, posts));
    const measured = targets.flatMap(({ id, platform_post_id }): Measurement[] => {
      const metrics = found?.get(platform_post_id!);
      return metrics === undefined || metrics instanceof PlatformError ? [] : [{ id, metrics }];
    });
    const planned = due.map((target) => {
      const at = isPublic(target) ? nextMeasurement(target.published_at, now, leastMs) : null;
      return { id: target.id, measure_at: at };
    });
    await store.write(async (tx) => {
      await holdAccounts(tx.db, tx.dialect, [account.id]);
      await recordMetrics(tx, measured, clock.now());
      await planMeasurements(tx.db, tx.dialect, planned);
    });
    return due.length === PER_CALL;
  }

  return Object.freeze({
    /** The job `measure_posts`: enqueues a job for each account with posts due for measuring. */
    async plan(): Promise<{ again: number }> {
      const now = clock.now();
      const room = MOST_WAITING - (await countDueJobs(store.db, 'measure_account', now));
      const accounts = await accountsToMeasure(store.db, now, Math.max(0, room));
      if (accounts.length > 0) {
        await store.write(async (tx) => {
          for (const key of accounts) await tx.enqueue({ kind: 'measure_account', key, runAt: now });
        });
      }
      return { again: accounts.length < room ? LOOK_MS : LOOK_SOON_MS };
    },

    /** The job `measure_account`: measures the due posts of an account. */
    async measure(accountId: string): Promise<void | { again: number }> {
      const account = await loadAccount(store.db, accountId);
      const platform = account && platformFor(platforms, account);
      if (!account || platform?.posts?.metrics === undefined) return postpone(accountId, null);
      if (account.status !== 'active') return postpone(accountId, clock.now() + DAY);
      const user = { platform, network: account.network, account };
      const pace = await quotas.pace(user, platform.posts?.metricsCost);
      if ('until' in pace) return postpone(accountId, pace.until);
      try {
        const more = await readSome(account, platform, pace.leastMs);
        retryPolicy.forget(accountId);
        return more ? { again: Math.max(AT_ONCE_MS, pace.leastMs) } : undefined;
      } catch (error) {
        if (error instanceof QuotaSpent) return postpone(accountId, error.until);
        const wait = retryPolicy.after(accountId, error, AGAIN_MS);
        log.info({ account_id: accountId, platform: account.platform, error, wait_ms: wait }, 'posts not measured');
        return postpone(accountId, clock.now() + (wait === 'over' ? DAY : wait));
      }
    },
  });
}
