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

/** A target with everything that publishing it needs. */
export type Work = Readonly<{ target: TargetRow; post: PostRow; account: AccountRow; platform: Platform }>;

export type AttemptDeps = Readonly<{
  sessions: Sessions;
  media: MediaSource;
  pages: PageFinder;
  clock: Clock;
}>;

/** What every request of a step passes through. */
export type Through = (http: AccountCall['http']) => AccountCall['http'];

/** What a step is run or looked up with. */
export type StepInput = Readonly<{ post: OutgoingPost; done: Done; kept: unknown }>;

/** Describes, does and looks up steps of a publish, for whoever keeps the books. */
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

    /** Removes what was fetched for a target that is over. */
    forget: ({ id }: Pick<TargetRow, 'id'>) => media.forget(id),

    /** Does a step; its answer is for the caller to write down. */
    run: (work: Work, input: StepInput & Pick<PublishCall, 'keep'>, step: Step, through: Through) =>
      act(work, input, through, (call) => work.platform.posts!.publish.run(call, step.name)),

    /**
     * Looks whether a visible step that was sent took effect. A look-up that fails says nothing, and one that comes
     * too soon cannot say that nothing was made: platforms show what is new with a delay.
     */
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

/** A look-up leaves everything as it is. */
async function keepNothing(): Promise<never> {
  throw new Error('a look-up keeps nothing');
}
