import { loadAccount, type AccountRow } from '#db/access/accounts.ts';
import type { Store } from '#db/store/store.ts';
import { listSteps, type StepRow } from '#db/posts/steps.ts';
import type { PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { Sessions } from '#call/ports.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import { PlatformError } from '#platforms/errors.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { conclusive, platformRefusal } from '#platforms/refusal.ts';
import type { Platform } from '#platforms/platform.ts';
import { optionsFor } from '../content/compose.ts';
import { contentOf } from '../content/content.ts';
import type { StepValues } from '../attempt/step-values.ts';
import { isUnsettled, mayBePublic } from '../attempt/doubt.ts';

/** The result of taking down what is public of a target. */
export type Takedown = Readonly<{
  target: TargetRow;
  /** `skipped`: nothing was public. */
  outcome: 'deleted' | 'skipped' | 'not_supported' | 'failed';
  message: string | null;
  error?: PlatformError | ApiError;
  /** How long the platform took to respond, and its status, if it was called. */
  request?: Readonly<{ durationMs: number; statusCode: number }>;
}>;

export type TakedownDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  values: Pick<StepValues, 'progressOf'>;
}>;

type Part = Readonly<{ platform_post_id: string; metadata: Readonly<Record<string, unknown>> }>;

const notSupported = (target: TargetRow, message: string): Takedown => ({ target, outcome: 'not_supported', message });

const unable = ({ platform }: TargetRow) => `${platform} posts cannot be removed through its API.`;

export function makeTakedown({ store, sessions, platforms, clock, log, values }: TakedownDeps) {
  const platformOf = (target: TargetRow, account: AccountRow | undefined) =>
    account ? platformFor(platforms, account) : platforms.get(target.platform);

  /** Takes down the whole post, or the parts that a failed attempt left public. */
  async function takeDown(target: TargetRow): Promise<Takedown> {
    const isWhole = target.platform_post_id !== null && target.status !== 'failed';
    const rows = isWhole ? [] : await listSteps(store.db, target.id);
    if (!isWhole && !mayBePublic(rows)) return skipped(target);
    const doubt = isUnsettled(rows) ? 'It may be public: ' : '';
    const failure = (message: string): Takedown => ({ target, outcome: 'failed', message: `${doubt}${message}` });
    const account = await loadAccount(store.db, target.account_id);
    const platform = platformOf(target, account);
    const { remove, irremovable } = platform?.posts ?? {};
    if (!platform || !remove) return notSupported(target, unable(target));
    if (!account) return failure('The account is no longer connected; remove the post on the platform.');
    const part = partOf(target, platform, account, rows);
    if (!part) return failure('The platform did not say whether it published; look there.');
    const why = irremovable?.(part.metadata);
    if (why !== undefined) return notSupported(target, why);
    return request(
      target,
      () => sessions.use(account, (call) => remove(call, part.platform_post_id, part.metadata)),
      failure,
    );
  }

  /** Requests the removal; a post that the platform no longer has counts as deleted. */
  async function request(
    target: TargetRow,
    remove: () => Promise<unknown>,
    failure: (message: string) => Takedown,
  ): Promise<Takedown> {
    const began = clock.now();
    const requestOf = (statusCode = 0) => ({ durationMs: clock.now() - began, statusCode });
    try {
      await remove();
      return { target, outcome: 'deleted', message: null, request: requestOf(200) };
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof ApiError)) throw error;
      const about = { request: requestOf(error.status) };
      if (error instanceof PlatformError && error.reason === 'not_found') {
        return { target, outcome: 'deleted', message: null, ...about };
      }
      log.info({ target_id: target.id, platform: target.platform, error }, 'a post could not be taken down');
      return { ...failure(error.message), error, ...about };
    }
  }

  /** Predicts the outcome for a deleted post's target that is still being published. */
  async function foretell(target: TargetRow, post: PostRow | undefined): Promise<Takedown> {
    const platform = platformOf(target, await loadAccount(store.db, target.account_id));
    const { remove, irremovable } = platform?.posts ?? {};
    const why = post && irremovable?.(optionsFor(target.platform, contentOf(post), target.overrides));
    if (why !== undefined) return notSupported(target, `It is being published and will stay public: ${why}`);
    return remove
      ? { target, outcome: 'deleted', message: 'Removed as soon as the running attempt has ended.' }
      : notSupported(target, `It is being published and will stay public: ${unable(target)}`);
  }

  /** The public part of a target; undefined if no answer of the platform revealed its id. */
  function partOf(
    target: TargetRow,
    platform: Platform,
    account: AccountRow,
    rows: readonly StepRow[],
  ): Part | undefined {
    const metadata = target.metadata;
    if (rows.length === 0) return { platform_post_id: target.platform_post_id!, metadata };
    try {
      const made = platform.posts!.publish.finish(
        values.progressOf(rows).done,
        sessions.hosts(platform, account.network),
      );
      const { platform_post_id: id } = made as Partial<typeof made>;
      return id ? { platform_post_id: id, metadata: { ...metadata, ...made.metadata } } : undefined;
    } catch (error) {
      log.info({ target_id: target.id, platform: target.platform, error }, 'unfinished post cannot be addressed');
      return undefined;
    }
  }

  return Object.freeze({ takeDown, foretell });
}

export const skipped = (target: TargetRow): Takedown => ({
  target,
  outcome: 'skipped',
  message: 'It was never public.',
});

/** Whether nothing of a target is public any more. */
export const isDown = ({ outcome }: Takedown): boolean => outcome === 'deleted' || outcome === 'skipped';

/** Whether a later attempt may succeed. */
export function mayPass({ error }: Takedown): boolean {
  return error instanceof PlatformError && conclusive(error).kind !== 'refused';
}

/** Throws the platform's refusal if nothing could be taken down. */
export function refuseAllFailed(takedowns: readonly Takedown[]): void {
  if (takedowns.some(isDown)) return;
  if (takedowns.every(({ outcome }) => outcome === 'not_supported')) {
    const platform = takedowns[0]!.target.platform;
    fail('resource.not_supported', { message: takedowns[0]!.message!, meta: { resource: 'posts.remove', platform } });
  }
  const failed = takedowns.find(({ outcome }) => outcome === 'failed')!;
  if (failed.error instanceof ApiError) throw failed.error;
  if (failed.error === undefined) {
    fail('account.not_found', {
      message: failed.message!,
      next: 'Remove the post on the platform itself, then call delete_post.',
      meta: { resource: 'account', id: failed.target.account_id },
    });
  }
  throw platformRefusal(failed.target.platform, failed.error);
}

export function presentTakedown({ target, outcome, message }: Takedown) {
  return { platform: target.platform, account_id: target.account_id, outcome, message };
}

/** The posts that are or may still be public, and their links. */
export function remainingOf(takedowns: readonly Takedown[]) {
  return takedowns
    .filter((takedown) => !isDown(takedown))
    .map(({ target: { platform, account_id, permalink } }) => ({ platform, account_id, permalink }));
}
