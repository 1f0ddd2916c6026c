import type { AccountRow } from '#db/access/accounts.ts';
import type { PostRow } from '#db/posts/posts.ts';
import type { StepRow } from '#db/posts/steps.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { MediaSource, PageFinder, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { AccountCall } from '#platforms/call.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Done, OutgoingPost, PublishCall, Settled, Step } from '#platforms/posts.ts';
import { describedBy, outgoing } from '../content/compose.ts';
import { contentOf, refsOf } from '../content/content.ts';
import { SETTLE_AFTER_MS } from './retry-policy.ts';

/** A target with everything needed to publish it. */
export type Work = Readonly<{ target: TargetRow; post: PostRow; account: AccountRow; platform: Platform }>;

export type AttemptDeps = Readonly<{
  sessions: Sessions;
  media: MediaSource;
  pages: PageFinder;
  clock: Clock;
}>;

/** A wrapper of every request of a step. */
export type Through = (http: AccountCall['http']) => AccountCall['http'];

export type StepInput = Readonly<{ post: OutgoingPost; done: Done; kept: unknown }>;

/** Describes, runs and looks up publishing steps, without storing anything. */
export function makeAttempt({ sessions, media, pages, clock }: AttemptDeps) {
  async function describe({ target, post, account, platform }: Work): Promise<OutgoingPost> {
    const content = contentOf(post);
    const overrides = target.overrides;
    const refs = refsOf(content, [overrides]);
    const described = describedBy(refs, await media.describe(post.workspace_id, refs));
    const page = platform.pages && (await pages.resolve(account, target.page_id ?? undefined));
    return { ...outgoing(content, { ...target, overrides }, described), page_id: page?.platform_page_id };
  }

  function act<T>(
    { target, post, account }: Work,
    input: StepInput & Pick<PublishCall, 'keep'>,
    through: Through,
    work: (call: PublishCall) => Promise<T>,
  ): Promise<T> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const open = (ref: string) => media.open(post.workspace_id, ref, { until: over, target: target.id });
    const link: PublishCall['link'] = (ref, request) =>
      media.link(post.workspace_id, ref, { ...request, network: account.network, target: target.id });
    const given = { ...input, open, link };
    return sessions.use(account, (call) => work({ ...call, ...given, http: through(call.http) })).finally(end);
  }

  return Object.freeze({
    describe,

    /** Removes what was fetched for a completed target. */
    forget: ({ id }: Pick<TargetRow, 'id'>) => media.forget(id),

    /** Runs a step; the caller stores its result. */
    run: (work: Work, input: StepInput & Pick<PublishCall, 'keep'>, step: Step, through: Through) =>
      act(work, input, through, (call) => work.platform.posts!.publish.run(call, step.name)),

    /** Looks up a sent step; a failed lookup says nothing, and an early one cannot say that nothing was made. */
    async settle(
      work: Work,
      input: StepInput,
      sent: Pick<StepRow, 'name' | 'sent_at'>,
      through: Through = (http) => http,
    ): Promise<Settled> {
      const { settle } = work.platform.posts!.publish;
      if (!settle) return 'unknown';
      try {
        const settled = await act(work, { ...input, keep: keepNothing }, through, (call) =>
          settle({ ...call, sentAt: sent.sent_at }, sent.name),
        );
        return settled === 'absent' && clock.now() - sent.sent_at < SETTLE_AFTER_MS ? 'unknown' : settled;
      } catch (error) {
        if (error instanceof PlatformError) return 'unknown';
        throw error;
      }
    },
  });
}

export type Attempt = ReturnType<typeof makeAttempt>;

/** A lookup changes nothing. */
async function keepNothing(): Promise<never> {
  throw new Error('a lookup cannot store progress');
}
