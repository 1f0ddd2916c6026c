import { z } from 'zod';
import { DAY, isoTime } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import { isTimezone, localToUtc } from '#kernel/text/local-time.ts';
import { answer } from '../kit/api/routes.ts';
import { makeReader } from '../kit/api/shapes.ts';
import { showAccountRef } from './accounts.ts';
import type { Call, Calls } from './calls.ts';
import type { Post, Target } from './docs.ts';
import { conflict, forbidden, invalid, missing, required } from './errors.ts';
import { saidOn, stateOf, type Publishing } from './publishing.ts';
import type { World } from './world.ts';

/** Platforms where a published post cannot be deleted. */
const FOR_GOOD = Object.freeze(['instagram', 'tiktok', 'snapchat']);

const Text = z.string({ error: 'must be a string' }).max(100_000, 'is too long');
const Media = z.array(z.looseObject({ url: Text.nullish() }), { error: 'must be a list of media' }).max(100);
const Own = z.looseObject({ customContent: Text.optional(), customMedia: Media.optional() });
const Targets = z
  .array(Own.extend({ platform: Text, accountId: Text }), { error: 'must be a list of platforms' })
  .max(100)
  .optional();
const Flag = z.boolean({ error: 'must be a boolean' }).optional();
const Body = z.looseObject({
  content: Text.optional(),
  mediaItems: Media.optional(),
  platforms: Targets,
  scheduledFor: Text.optional(),
  timezone: Text.optional(),
  publishNow: Flag,
  isDraft: Flag,
  queuedFromProfile: Text.optional(),
  dryRun: Flag,
});
type Given = NonNullable<z.output<typeof Targets>>[number];

const read = makeReader(({ place, isMissing, words }) => {
  const param = place.replace(/^\./, '');
  return isMissing ? required(param) : invalid(`${param} ${words}`, param);
});

function instantOf(given: string | undefined, timezone = 'UTC'): number | undefined {
  if (given === undefined) return undefined;
  if (!isTimezone(timezone)) throw invalid('Unknown timezone', 'timezone');
  const at = Date.parse(localToUtc(given, timezone));
  if (Number.isNaN(at)) throw invalid('scheduledFor is not a date', 'scheduledFor');
  return at;
}

export const makeShow =
  ({ docs }: World) =>
  (post: Post) => {
    const { id, page_id, fields, scheduled_at, at, updated_at } = post;
    const sent = post.targets.flatMap(({ published }) => published?.at ?? []);
    const platforms = post.targets.map(({ platform, account, own, status, published, failure }) => {
      const found = docs.get('account', account);
      const accountId = found === undefined ? account : showAccountRef(found);
      const there = published && {
        platformPostId: published.id,
        platformPostUrl: published.url,
        publishedAt: isoTime(published.at),
      };
      return { ...own, platform, accountId, status, ...there, ...failure };
    });
    return {
      mediaItems: [],
      timezone: 'UTC',
      ...fields,
      _id: id,
      userId: page_id,
      status: stateOf(post),
      platforms,
      ...(scheduled_at !== undefined && { scheduledFor: isoTime(scheduled_at) }),
      ...(sent.length > 0 && { publishedAt: isoTime(Math.min(...sent)) }),
      createdAt: isoTime(at),
      updatedAt: isoTime(updated_at),
    };
  };

/** Whether a key can see a post: through one of its accounts, or because it is for all profiles. */
export const makeSight =
  ({ docs }: World, { mayUse }: Calls) =>
  ({ key, team }: Call, { page_id, targets }: Post): boolean =>
    page_id === team &&
    (key.profiles === undefined ||
      targets.some(({ account }) => mayUse(key, docs.get('account', account)?.parent_id ?? '')));

function makeRules({ docs, newId, options: { clock } }: World, { mayUse }: Calls) {
  function targetOf({ key, team }: Call, { platform, accountId, ...own }: Given): Target {
    const account = docs.get('account', accountId);
    const subject = `Account ${accountId} (${platform})`;
    if (account === undefined || account.page_id !== team || !mayUse(key, account.parent_id))
      throw forbidden(`${subject} does not belong to you`);
    if (account.platform !== platform) throw invalid(`${subject} is one of ${account.platform}`, 'platforms');
    if (account.state === 'not enabled')
      throw forbidden(`${subject} cannot be posted to.`, 'ACCOUNT_NOT_ENABLED_FOR_POSTING');
    if (account.state !== 'connected')
      throw forbidden(`${subject} is disconnected and cannot be posted to.`, 'ACCOUNT_DISCONNECTED');
    return { platform, account: accountId, own, status: 'pending' };
  }

  /** Throws for the same text and media on an account within a day. */
  function checkNew(post: Post): void {
    const printOf = (one: Post, target: Target) => JSON.stringify([target.account, saidOn(one, target)]);
    const mine = new Set(post.targets.map((target) => printOf(post, target)));
    for (const other of docs.list('post', { page: post.page_id })) {
      if (other.id === post.id || other.is_draft || other.at <= clock.now() - DAY) continue;
      const twin = other.targets.find((one) => one.status !== 'failed' && mine.has(printOf(other, one)));
      if (twin === undefined) continue;
      const details = { accountId: twin.account, platform: twin.platform, existingPostId: other.id };
      const error = 'This exact content is already scheduled or was posted to this account within the last 24 hours.';
      throw conflict('duplicate_content', error, details);
    }
  }

  const isOut = ({ status }: Target) => status === 'published';
  /** What an older post has already published is kept. */
  const keptOf = ({ accountId }: Given, old?: Post) =>
    old?.targets.find((one) => isOut(one) && one.account === accountId);
  /** The targets of an older post. If the time is new, those that are not published are sent again. */
  const again = (wanted: number | undefined, old?: Post): readonly Target[] =>
    (old?.targets ?? []).map((one) =>
      wanted === undefined || isOut(one) ? one : { ...one, status: 'pending', failure: undefined },
    );

  /** Makes a post from the body of a call, changing an older post if there is one. */
  return function written(call: Call, old?: Post): Post {
    const { platforms, scheduledFor, publishNow, isDraft, ...content } = read(Body, call.params.values, '');
    if (content.queuedFromProfile !== undefined) throw invalid('The profile has no queue', 'queuedFromProfile');
    if (content.dryRun === true) throw invalid('Nothing is tried out here', 'dryRun');
    const now = clock.now();
    const fields = { ...old?.fields, ...content };
    const wanted = publishNow === true ? now : instantOf(scheduledFor, content.timezone);
    const post: Post = {
      ...(old ?? { id: newId(), at: now, page_id: call.team }),
      fields,
      targets:
        platforms === undefined ? again(wanted, old) : platforms.map((one) => keptOf(one, old) ?? targetOf(call, one)),
      is_draft: isDraft ?? old?.is_draft ?? wanted === undefined,
      scheduled_at: wanted ?? old?.scheduled_at,
      updated_at: now,
    };
    if (post.is_draft) return post;
    if (post.scheduled_at === undefined) throw required('scheduledFor');
    if (post.targets.length === 0) throw required('platforms');
    const isEmpty = (target: Target) => saidOn(post, target).content === '' && saidOn(post, target).media.length === 0;
    if (post.targets.some(isEmpty)) throw required('content');
    checkNew(post);
    return post;
  };
}

export function postRoutes(world: World, calls: Calls, publishing: Publishing) {
  const { docs, options } = world;
  const { row, once } = calls;
  const written = makeRules(world, calls);
  const [show, isSeen] = [makeShow(world), makeSight(world, calls)];
  const on = (verb: string, path: string, run: (call: Call) => unknown) => row(verb, path, 'publishing', run);

  function postIn(call: Call): Post {
    const found = docs.get('post', call.path['postId'] ?? '');
    if (found === undefined || !isSeen(call, found)) throw missing('Post');
    return found;
  }
  /** The response for a created or changed post; status 207 if it was not published everywhere. */
  function answerOf(post: Post, done: string, status = 200) {
    const state = stateOf(post);
    if (state !== 'failed' && state !== 'partial') return answer({ message: done, post: show(post) }, status);
    const platformResults = post.targets.map(({ platform, status: became, failure }) => {
      return { platform, status: became, error: failure?.errorMessage ?? null };
    });
    const error = state === 'failed' ? { error: 'All platforms failed' } : {};
    return answer({ message: 'Publishing did not fully succeed', ...error, post: show(post), platformResults }, 207);
  }
  const DONE: ReadonlyMap<string, string> = tableOf({
    draft: 'Draft saved successfully',
    scheduled: 'Post scheduled successfully',
    published: 'Post published successfully',
  });

  return [
    on('POST', 'posts', (call) => {
      const made = once(call, () => ({ id: publishing.settle(written(call)).id }));
      const post = docs.get('post', (made.body as Post).id);
      if (post === undefined) throw missing('Post');
      if (made.isRepeated) return { message: 'Post already exists (idempotent retry)', post: show(post) };
      return answerOf(post, DONE.get(stateOf(post)) ?? '', 201);
    }),
    on('GET', 'posts/{postId}', (call) => ({ post: show(postIn(call)) })),
    on('PUT', 'posts/{postId}', (call) => {
      const old = postIn(call);
      if (stateOf(old) === 'published') throw invalid('Published posts cannot be edited', undefined, 'invalid_state');
      return answerOf(publishing.settle(written(call, old)), 'Post updated successfully');
    }),
    on('DELETE', 'posts/{postId}', (call) => {
      const post = postIn(call);
      if (stateOf(post) === 'published') throw invalid('Cannot delete published posts', undefined, 'invalid_state');
      publishing.remove(post.id);
      return { message: 'Post deleted successfully' };
    }),
    on('POST', 'posts/{postId}/retry', (call) => {
      const { id, targets } = postIn(call);
      if (!targets.some(({ status }) => status === 'failed'))
        throw invalid('Only failed posts can be retried', undefined, 'invalid_state');
      const again = targets.map((one) => (one.status === 'failed' ? { ...one, status: 'pending' as const } : one));
      docs.change('post', id, { targets: again });
      return answerOf(publishing.publish(id), 'Post published successfully');
    }),
    on('POST', 'posts/{postId}/unpublish', (call) => {
      const { id, targets } = postIn(call);
      const platform = call.params.text('platform');
      if (platform === undefined) throw required('platform');
      const isThere = (one: Target) => one.platform === platform && one.status === 'published';
      if (FOR_GOOD.includes(platform) || !targets.some(isThere))
        throw invalid(`Nothing can be deleted from ${platform}`, 'platform', 'invalid_state');
      const left = targets.map((one) => (isThere(one) ? { ...one, status: 'cancelled' as const } : one));
      docs.change('post', id, { targets: left, updated_at: options.clock.now() });
      return { success: true, message: `Post deleted from ${platform} successfully` };
    }),
  ];
}
