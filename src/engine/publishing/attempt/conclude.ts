import { loadAccount } from '#db/access/accounts.ts';
import { insertInboxPost, patchInboxPost } from '#db/inbox/posts.ts';
import { listPages, pageNamed } from '#db/access/pages.ts';
import { holdPost, patchPost, type PostRow } from '#db/posts/posts.ts';
import { NEVER, type PostStatus } from '#db/schema/database.ts';
import { finishStep, listSteps, type FinishedStep } from '#db/posts/steps.ts';
import { listTargets, loadTarget, patchLeased, type TargetRow } from '#db/posts/targets.ts';
import type { Emitted, Tx } from '#db/store/tx.ts';
import { platformReason, type ErrorCode } from '#kernel/errors.ts';
import type { Published } from '#platforms/posts.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import { FIRST_MS } from '../metrics/schedule.ts';
import { presentTarget } from '../read/present-post.ts';
import { failureLine, logTarget, postEventFields } from '../state/activity.ts';
import { FINAL_EVENTS, statusOf } from '../state/machine.ts';
import { finalError, isUnsettled, type Failure } from './doubt.ts';

export type Conclusion = Ended | Failed;

/** `skipped`: the server gave up before it sent anything. */
type Failed = Failure & Readonly<{ skipped: boolean; durationMs: number }>;

type TargetPatch = Parameters<typeof patchLeased>[3];

/** A target that is now public; `followed`: optional steps such as a first comment are still to run. */
export type Ended = Readonly<{
  published: Published;
  /** The last required step, which is stored in the same transaction as the publication. */
  last: FinishedStep | undefined;
  followed: boolean;
  isThread: boolean;
  durationMs: number;
}> &
  Where;

type Where = Readonly<{
  pageId: string | undefined;
  /** The text that the inbox shows for the post; undefined on platforms without comments. */
  commentable: string | undefined;
}>;

/** Stores a target's final state and, if it was the last one, the post's; false if the lease was lost. */
export async function conclude(
  tx: Tx,
  target: TargetRow,
  token: string,
  conclusion: Conclusion,
  now: number,
): Promise<boolean> {
  const patch = (values: TargetPatch) => patchLeased(tx.db, target.id, token, values);
  const ending = { target, patch, now };
  return 'published' in conclusion ? succeed(tx, ending, conclusion, token) : fail(tx, ending, conclusion);
}

type Ending = Readonly<{
  target: TargetRow;
  /** False if the lease was lost. */
  patch(values: TargetPatch): Promise<boolean>;
  now: number;
}>;

/** The columns of a target whose lease ends. */
const RELEASED: TargetPatch = Object.freeze({ lease_token: null, lease_until: 0, due_at: NEVER });

/** Locks the post: if two targets end at the same time, the second sees what the first wrote. */
const hold = (tx: Tx, target: TargetRow) => holdPost(tx.db, target.post_id);

async function succeed(tx: Tx, ending: Ending, conclusion: Ended, token: string): Promise<boolean> {
  const { target, patch, now } = ending;
  const { published } = conclusion;
  const pageId = target.page_id ?? (await ownPageId(tx, target, conclusion.pageId));
  const known = conclusion.followed ? await hold(tx, target) : undefined;
  // Nobody would see follow-ups of a deleted post.
  const followed = known !== undefined && known.deleted_at === null;
  // Follow-ups keep the lease, so checking the lease does not reveal that this transaction is run a second time.
  if (followed && (await isPublishedBy(tx, target.id, token))) return true;
  // Sent together, and run in this order.
  const [post, held, targets] = await Promise.all([
    known ?? hold(tx, target),
    patch({
      ...(!followed && RELEASED),
      status: 'published',
      page_id: pageId,
      platform_post_id: published.platform_post_id,
      permalink: published.permalink ?? null,
      segments: conclusion.isThread ? (published.segments ?? []) : null,
      published_at: now,
      measure_at: now + FIRST_MS,
      error: null,
      repeats: 0,
      unsettled: 0,
      metadata: { ...target.metadata, ...published.metadata },
    }),
    listTargets(tx.db, [target.post_id]),
  ]);
  if (post === undefined || !held) return false;
  await Promise.all([recordPublished(tx, target, conclusion, followed, now), concludeWith(tx, post, targets, now)]);
  tx.meter.count('targets', [target.platform, 'published']);
  if (target.action === 'publish') {
    const due = target.scheduled_at ?? post.scheduled_at ?? target.started_at ?? now;
    tx.meter.time('lateness', [target.platform], Math.max(0, now - due) / 1000);
  }
  return true;
}

async function recordPublished(
  tx: Tx,
  target: TargetRow,
  conclusion: Ended,
  followed: boolean,
  now: number,
): Promise<void> {
  const { last, commentable, durationMs } = conclusion;
  await Promise.all([
    last && finishStep(tx.db, target.id, last, now),
    // The process that published continues by itself; this job takes over if it dies.
    followed && tx.enqueue({ kind: 'follow_up_post', key: target.id, runAt: now + LEASE_MS }),
    commentable !== undefined && showInInbox(tx, target, conclusion, commentable, now),
    logTarget(tx, target, now, { action: target.action, status: 'success', durationMs, statusCode: 200 }),
  ]);
}

async function fail(tx: Tx, { target, patch, now }: Ending, conclusion: Failed): Promise<boolean> {
  const { durationMs, skipped } = conclusion;
  const post = await hold(tx, target);
  if (!post) return false;
  const unsettled = isUnsettled(await listSteps(tx.db, target.id));
  const profile = unsettled ? await loadAccount(tx.db, target.account_id) : undefined;
  const { segments } = (await loadTarget(tx.db, target.id)) ?? target;
  const parts = { published: (segments ?? []).length, of: post.segments.length + 1 };
  const error = finalError(conclusion, { unsettled, profile, parts });
  if (!(await patch({ ...RELEASED, status: 'failed', error, unsettled: unsettled ? 1 : 0 }))) return false;
  const status = skipped ? 'skipped' : 'failed';
  await logTarget(tx, target, now, { action: target.action, status, durationMs, ...failureLine(error) });
  tx.meter.count('targets', [target.platform, status]);
  await concludePost(tx, post, now);
  return true;
}

async function isPublishedBy(tx: Tx, id: string, token: string): Promise<boolean> {
  const target = await loadTarget(tx.db, id);
  return target?.status === 'published' && target.lease_token === token;
}

/** The id of the page that was posted to, for a target that did not name one. */
async function ownPageId(tx: Tx, { account_id }: TargetRow, platformId: string | undefined): Promise<string | null> {
  if (platformId === undefined) return null;
  return pageNamed(await listPages(tx.db, account_id), platformId)?.id ?? null;
}

/** Lists the post in the inbox at once if it allows comments; some comments may already have arrived. */
async function showInInbox(
  tx: Tx,
  { account_id, workspace_id }: TargetRow,
  { published: { platform_post_id, permalink }, pageId }: Readonly<{ published: Published }> & Where,
  text: string,
  now: number,
): Promise<void> {
  const key = { account_id, workspace_id, platform_id: platform_post_id };
  const fields = { content: text, permalink: permalink ?? null, page_id: pageId ?? null, published_at: now };
  if (!(await insertInboxPost(tx.db, key, fields, now))) await patchInboxPost(tx.db, key, fields, now);
}

/** Ends a post once none of its targets is waiting or running; the caller holds its lock. */
export async function concludePost(tx: Tx, post: PostRow, now: number): Promise<void> {
  await concludeWith(tx, post, await listTargets(tx.db, [post.id]), now);
}

async function concludeWith(tx: Tx, post: PostRow, targets: readonly TargetRow[], now: number): Promise<void> {
  const status = statusOf(targets.map((target) => target.status));
  if (status === 'publishing') {
    // A target that was given up was not begun.
    if (post.status !== status) await patchPost(tx.db, post.id, { status, updated_at: now });
    return;
  }
  if (post.deleted_at !== null) {
    await tx.enqueue({ kind: 'take_down', key: post.id, runAt: now });
    return;
  }
  const times = targets.map(({ published_at }) => published_at).filter((at) => at !== null);
  const publishedAt = times.length > 0 ? Math.min(...times) : null;
  await refundUnspent(tx, post, targets);
  const { fields, about } = postEventFields(post, targets);
  const done = targets.filter((target) => target.status === 'published').length;
  const event: Emitted = {
    ...about,
    name: FINAL_EVENTS[status],
    data: {
      ...fields,
      status,
      ...summaryCode(status, targets),
      results: targets.map((target) => presentTarget(target, post.media)),
    },
    summary: `Post ${status}: ${done} of ${targets.length} targets`,
    failed: status !== 'published',
    ...whyOf(targets),
  };
  const sort_at = post.scheduled_at ?? publishedAt ?? post.created_at;
  await Promise.all([
    patchPost(tx.db, post.id, { status, published_at: publishedAt, sort_at, updated_at: now }),
    tx.emit(event),
  ]);
}

/** The reason for the log line of failed targets: the error of the first one. */
function whyOf(targets: readonly TargetRow[]) {
  const error = targets.map(errorOf).find((one) => one !== undefined);
  return error && { errorCategory: error.category, errorMessage: error.message };
}

const errorOf = ({ error, status }: TargetRow) => (error === null || status === 'published' ? undefined : error);

function summaryCode(status: PostStatus, targets: readonly TargetRow[]) {
  if (status !== 'failed') return {};
  const codes = new Set(targets.map((target) => errorOf(target)?.code));
  return { error_code: codes.size === 1 ? [...codes][0] : ('publishing.delivery.all_failed' as const) };
}

/** Failures that refund the credit: docs/contract/plans.md#giving-back. */
const UNSPENT: ReadonlySet<ErrorCode> = new Set([
  'publishing.delivery.too_late',
  'publishing.delivery.account_load_failed',
  'publishing.delivery.page_resolve_failed',
  'publishing.delivery.not_supported',
  'publishing.delivery.interrupted',
  'account.reconnection_required',
  'billing.past_due',
]);

function isUnspent(target: TargetRow): boolean {
  if (target.status === 'published' || target.platform_post_id !== null) return false;
  const error = errorOf(target);
  if (error === undefined) return target.attempts === 0;
  return platformReason(error.code) === 'rate_limit' || UNSPENT.has(error.code);
}

/** Refunds the credit of the current round if none of the targets that were tried used it. */
export async function refundUnspent(tx: Tx, post: PostRow, targets: readonly TargetRow[]): Promise<void> {
  if (post.charged === null) return;
  const round = targets.filter((target) => target.round === post.retry_count);
  if (!round.every(isUnspent)) return;
  await tx.refund('posts', post.workspace_id, post.charged, 1);
  await patchPost(tx.db, post.id, { charged: null });
}
