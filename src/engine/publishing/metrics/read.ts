import type { TargetError } from '#db/schema/database.ts';
import { noAccount } from '#db/access/accounts.ts';
import { pagesOf } from '#db/access/pages.ts';
import type { PostRow } from '#db/posts/posts.ts';
import type { Store } from '#db/store/store.ts';
import { holdAccounts, visibleTargets, type TargetRow } from '#db/posts/targets.ts';
import type { Db } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Sessions } from '#call/ports.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { PlatformError } from '#platforms/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { platformRefusal } from '#platforms/refusal.ts';
import type { PostMetrics } from '#platforms/posts.ts';
import { accountsOf } from '../content/addressing.ts';
import { ownFailure, platformFailure } from '../state/target-error.ts';
import { presentError, presentTarget } from '../read/present-post.ts';
import { recordMetrics } from './record.ts';

/** Metrics newer than this are returned from the store. */
const FRESH_MS = 300_000;

type MetricsDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  platforms: Platforms;
  clock: Clock;
}>;

type Measured = Readonly<{
  target: TargetRow;
  metrics: PostMetrics | undefined;
  syncedAt: number | undefined;
  error?: ApiError;
}>;

function asApiError(platform: PlatformSlug, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof PlatformError)) throw error;
  return platformRefusal(platform, error) as ApiError;
}

/** Why a target could not be read, in the form of a publishing error. */
function failureOf(platform: PlatformSlug, { code, message, status, cause, detail }: ApiError): TargetError {
  if (cause instanceof PlatformError) return platformFailure(platform, cause);
  return ownFailure(code, { message, next: detail.next, status });
}

export async function platformPages(
  db: Db,
  targets: readonly Pick<TargetRow, 'page_id' | 'account_id'>[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = new Set(targets.flatMap(({ page_id, account_id }) => (page_id === null ? [] : [account_id])));
  const pages = await pagesOf(db, [...accounts]);
  return new Map(pages.map(({ id, platform_page_id }) => [id, platform_page_id]));
}

/** Reads the metrics of the published targets that the caller may see; fails only if none can be read. */
export function makeMetrics({ store, sessions, platforms, clock }: MetricsDeps) {
  return async function metricsOf(authority: Authority, post: PostRow) {
    const targets = (await visibleTargets(store.db, authority, [post.id])).filter(
      ({ status }) => status === 'published',
    );
    const accounts = await accountsOf(store.db, authority, targets);
    const now = clock.now();
    const isFresh = ({ metrics, metrics_synced_at: at }: TargetRow) =>
      metrics !== null && at !== null && now - at < FRESH_MS;
    const pages = await platformPages(
      store.db,
      targets.filter((target) => !isFresh(target)),
    );

    const measure = async (target: TargetRow): Promise<Measured> => {
      const stored = target.metrics === null ? undefined : target.metrics;
      const at = target.metrics_synced_at ?? undefined;
      if (isFresh(target)) return { target, metrics: stored, syncedAt: at };
      const account = accounts.get(target.account_id);
      try {
        if (!account) noAccount(target.account_id);
        const read = platformFor(platforms, account)?.posts?.metrics;
        if (!read) fail('resource.not_supported', { meta: { resource: 'posts.metrics', platform: target.platform } });
        const id = target.platform_post_id!;
        const post = { id, page_id: pages.get(target.page_id ?? ''), metadata: target.metadata };
        const metrics = (await sessions.use(account, (call) => read(call, [post]))).get(id);
        if (metrics instanceof PlatformError) throw metrics;
        if (!metrics)
          fail(`platform.${target.platform}.not_found`, {
            message: 'The post no longer exists on the platform.',
            next: 'Remove it here too with delete_post.',
          });
        return { target, metrics, syncedAt: now };
      } catch (error) {
        return { target, metrics: stored, syncedAt: at, error: asApiError(target.platform, error) };
      }
    };

    const measured = await Promise.all(targets.map(measure));
    const failed = measured.filter(({ metrics }) => !metrics);
    if (failed.length > 0 && failed.length === measured.length) throw failed[0]!.error!;
    const fresh = measured.filter(({ syncedAt, metrics }) => metrics && syncedAt === now);
    if (fresh.length > 0) {
      await store.write(async (tx) => {
        await holdAccounts(tx.db, tx.dialect, [...new Set(fresh.map(({ target }) => target.account_id))]);
        await recordMetrics(
          tx,
          fresh.map(({ target: { id }, metrics }) => ({ id, metrics: metrics! })),
          now,
        );
      });
    }
    const media = post.media;
    const results = measured.map(({ target, metrics, syncedAt, error }) => ({
      ...presentTarget(target, media),
      metrics: metrics ?? null,
      metrics_synced_at: isoTime(syncedAt),
      error_code: error?.code ?? null,
      error: error ? presentError(failureOf(target.platform, error)) : null,
    }));
    return { post_id: post.id, targets: results, results };
  };
}
