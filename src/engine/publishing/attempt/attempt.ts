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
import { isUrl } from '#platforms/media.ts';
import type { ConvertedPicture } from '#kernel/pictures/picture.ts';
import { attachedTo, describedBy, outgoing, withMedia } from '../content/compose.ts';
import { contentOf, refsOf } from '../content/content.ts';
import {
  conversionKey,
  convertedPost,
  fitsAsItIs,
  picturesOf,
  specsOf,
  type PicturePlace,
} from '../content/pictures.ts';
import { SETTLE_AFTER_MS } from './retry-policy.ts';

/** A target with everything needed to publish it: its post, account and platform. */
export type Work = Readonly<{
  target: TargetRow;
  post: PostRow;
  account: AccountRow;
  platform: Platform;
  /** When the account was read, if that may be less than a second ago. */
  readAt?: number;
}>;

export type AttemptDeps = Readonly<{
  sessions: Sessions;
  media: MediaSource;
  pages: PageFinder;
  clock: Clock;
}>;

/** Wraps every HTTP request that a step makes. */
export type Through = (http: AccountCall['http']) => AccountCall['http'];

type Prepared = Readonly<{ post: OutgoingPost; converted: readonly ConvertedPicture[] | undefined }>;

export type StepInput = Readonly<{ post: OutgoingPost; done: Done; kept: unknown }>;

/** Describes, runs and looks up publishing steps, without storing anything. */
export function makeAttempt({ sessions, media, pages, clock }: AttemptDeps) {
  /** Composes the post with its original media, and describes the media named in platform options. */
  async function originals({ target, post, account, platform }: Work) {
    const content = contentOf(post);
    const { overrides } = target;
    const inside = attachedTo(platform, content, overrides);
    const refs = [...refsOf(content, [overrides]), ...inside];
    const described = describedBy(refs, await media.describe(post.workspace_id, refs));
    const page = platform.pages && (await pages.resolve(account, target.page_id ?? undefined));
    const own = { ...outgoing(content, { ...target, overrides }, described), page_id: page?.platform_page_id };
    return { post: own, attached: withMedia(inside, described) };
  }

  async function describe(work: Work): Promise<OutgoingPost> {
    const { post } = await originals(work);
    return convertedPost(work.platform, post, work.target.converted ?? []);
  }

  /** Converts the pictures that do not fit; `converted` is set if it differs from what is stored. */
  async function prepare(work: Work): Promise<Prepared> {
    const { target, platform } = work;
    const { post, attached } = await originals(work);
    const known = new Map((target.converted ?? []).map((one) => [one.key, one]));
    const converted = new Map<string, ConvertedPicture>();
    for (const place of picturesOf(platform, post, attached)) {
      const key = conversionKey(place);
      if (converted.has(key) || fitsAsItIs(place)) continue;
      const made = known.get(key) ?? (await convertOne(work, place));
      if (made) converted.set(key, { ...made, key, source: place.item.ref });
    }
    const isSame = converted.size === known.size && [...converted.keys()].every((key) => known.has(key));
    const all = [...converted.values()];
    return { post: convertedPost(platform, post, all), converted: isSame ? undefined : all };
  }

  /** A picture by URL that the platform fetches itself is converted only if the platform can reach this server. */
  async function convertOne({ target, post, account, platform }: Work, { item: { ref }, spec }: PicturePlace) {
    const theirs = isUrl(ref) && platform.posts!.rules.media.pulls === 'any_address';
    if (theirs && media.unreachable(account.network) !== undefined) return undefined;
    return media.fit(post.workspace_id, ref, spec, { target: target.id, theirs });
  }

  function act<T>(
    { target, post, account, platform, readAt }: Work,
    input: StepInput & Pick<PublishCall, 'keep'>,
    through: Through,
    work: (call: PublishCall) => Promise<T>,
  ): Promise<T> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const specs = specsOf(platform, input.post);
    const here = (ref: string) => ({ target: target.id, spec: specs.get(ref) });
    const open = (ref: string) => media.open(post.workspace_id, ref, { until: over, ...here(ref) });
    const link: PublishCall['link'] = (ref, request) =>
      media.link(post.workspace_id, ref, { ...request, network: account.network, ...here(ref) });
    const given = { ...input, open, link };
    const made = sessions.use(account, (call) => work({ ...call, ...given, http: through(call.http) }), readAt);
    return made.finally(end);
  }

  return Object.freeze({
    describe,
    prepare,

    /** Removes the files that were fetched for a completed target. */
    forget: ({ id }: Pick<TargetRow, 'id'>) => media.forget(id),

    /** Runs a step; the caller stores its result. */
    run: (work: Work, input: StepInput & Pick<PublishCall, 'keep'>, step: Step, through: Through) =>
      act(work, input, through, (call) => work.platform.posts!.publish.run(call, step.name)),

    /** Looks up a step that was sent. If the lookup fails, or finds nothing too soon, the result is `unknown`. */
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

/** Replaces `keep` during a lookup, which must not store progress. */
async function keepNothing(): Promise<never> {
  throw new Error('a lookup cannot store progress');
}
