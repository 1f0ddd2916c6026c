import { insertPosts, usePostMedia, type PostRow } from '../../../../db/posts/posts.ts';
import { NEVER, type NewRow } from '../../../../db/schema/database.ts';
import { findDuplicates, holdAccounts, insertTargets, type TargetRow } from '../../../../db/posts/targets.ts';
import type { Tx } from '../../../../db/store/tx.ts';
import { sandboxMark } from '../../../call/accounts.ts';
import { authorityOver, type Workspace } from '../../../kernel/authority.ts';
import { wireTime } from '../../../kernel/clock.ts';
import { ApiError, fail } from '../../../kernel/errors.ts';
import { newId, randomHex } from '../../../kernel/ids.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import type { AddressedTarget } from '../content/addressing.ts';
import { eventOf } from '../attempt/conclude.ts';
import {
  columnsOf,
  fingerprint,
  hasContent,
  mediaIdsOf,
  refsOf,
  type Content,
  type Overrides,
} from '../content/content.ts';

/** The same text and media for the same account is not published twice within this time. */
export const GUARD_MS = 86_400_000;
/** How far in the past a time to publish may lie before it is refused as a mistake. */
const PAST_GRACE_MS = 60_000;

export type Intent = 'draft' | 'schedule' | 'now';

/** What the caller wants to happen, out of publish_now and the times given. Targets may have times of their own. */
export function intentOf(
  times: Readonly<{ publishNow: boolean; scheduledAt: number | undefined; targets: readonly AddressedTarget[] }>,
  now: number,
): Intent {
  const own = times.targets.map(({ scheduled_at }) => scheduled_at);
  const given = [times.scheduledAt, ...own].filter((at) => at !== undefined);
  const nothingNow = times.scheduledAt !== undefined || (own.length > 0 && !own.includes(undefined));
  if (times.publishNow && nothingNow) {
    fail('validation.field_invalid', {
      message: 'publish_now and scheduled_at exclude each other.',
      next: 'Leave one of them out.',
      meta: { field: 'scheduled_at' },
    });
  }
  for (const at of given) refusePast(at, now);
  if (times.publishNow) return 'now';
  return given.length > 0 ? 'schedule' : 'draft';
}

/** Refuses a time that has passed. */
export function refusePast(at: number, now: number): void {
  if (at >= now - PAST_GRACE_MS) return;
  fail('validation.field_invalid', {
    message: `scheduled_at ${wireTime(at)} is in the past.`,
    next: 'Name a later time, or publish now with publish_now or publish_post.',
    meta: { field: 'scheduled_at' },
  });
}

/** What to do where a post has nowhere to go. */
export const NAME_TARGETS = 'Name accounts in targets or account_ids; list_accounts shows them.';

/** Refuses what cannot be published: no target, or nothing to say. */
export function refuseUnpublishable(content: Content, targets: readonly AddressedTarget[]): void {
  if (targets.length === 0) {
    const message = 'targets is required to publish or schedule.';
    fail('validation.field_required', { message, next: NAME_TARGETS, meta: { field: 'targets' } });
  }
  refuseEmpty(
    content,
    targets.map(({ overrides }) => overrides),
  );
}

/** Refuses a target with nothing to say. */
export function refuseEmpty(content: Content, overrides: readonly Overrides[]): void {
  if (overrides.some((own) => !hasContent(content, own))) {
    fail('validation.field_required', { message: 'text, media or segments is required.', meta: { field: 'text' } });
  }
}

/** Refuses to publish when every account is dead; a live one among them is reason enough to go on. */
export function refuseDead(targets: readonly AddressedTarget[]): void {
  const dead = targets.filter(({ account }) => account.status !== 'active');
  if (dead.length === targets.length) fail('account.reconnection_required', { meta: { id: dead[0]!.account.id } });
}

/** Refuses content that went to one of the accounts within a day; a repeated request finds its first post here. */
async function refuseDuplicates(
  tx: Tx,
  content: Content,
  targets: readonly AddressedTarget[],
  now: number,
): Promise<void> {
  const ids = targets.map(({ account }) => account.id);
  // Two equal requests meet here one after the other, so the second one sees what the first one made.
  await holdAccounts(tx.db, tx.dialect, ids);
  const prints = targets.map(({ account, page_id, overrides }) => {
    return fingerprint(content, account.id, page_id, overrides);
  });
  const known = await findDuplicates(tx.db, tx.dialect, ids, prints, now - GUARD_MS);
  for (const [index, { account }] of targets.entries()) {
    const found = known.find((row) => row.account_id === account.id && row.fingerprint === prints[index]);
    if (found) throw repeated(account, 'within 24 hours (skip_duplicate_check allows it)', found);
  }
}

/** The refusal of content that went to an account before, as the post of the id where there is one. */
export function repeated(
  { platform, username }: AddressedTarget['account'],
  before: string,
  found?: Pick<TargetRow, 'post_id' | 'status'>,
): ApiError {
  // Of a failed one nobody knows whether it is public: its retry finds out.
  const isDoubtful = found?.status === 'failed';
  const next = isDoubtful
    ? 'Call retry_post for that post: what is public already is not published again.'
    : 'Look at that post with get_post, or change the text.';
  return new ApiError('resource.conflict', {
    message: `The same content ${isDoubtful ? 'may have gone' : 'went'} to ${platform} @${username} ${before}.`,
    next,
    meta: { resource: 'post', ...(found && { id: found.post_id }) },
  });
}

/** The row of a target in the state its post begins in. */
export function targetRow(
  post: Pick<PostRow, 'id' | 'workspace_id' | 'scheduled_at'>,
  content: Content,
  addressed: AddressedTarget,
  begin: Readonly<{ intent: Intent; position: number; now: number; token: string | undefined }>,
): NewRow<'targets'> {
  const { account, page_id, overrides } = addressed;
  const { intent, now, token } = begin;
  const at = addressed.scheduled_at ?? post.scheduled_at ?? now;
  const waits = intent === 'schedule' || (intent === 'now' && addressed.scheduled_at !== undefined);
  const running = intent === 'now' && !waits;
  return {
    id: newId('tgt', now),
    post_id: post.id,
    workspace_id: post.workspace_id,
    account_id: account.id,
    brand_id: account.brand_id,
    platform: account.platform,
    position: begin.position,
    page_id: page_id ?? null,
    overrides: JSON.stringify(overrides),
    scheduled_at: addressed.scheduled_at ?? null,
    status: waits ? 'scheduled' : running ? 'publishing' : 'pending',
    due_at: waits ? at : running ? now + LEASE_MS : NEVER,
    round: 0,
    action: 'publish',
    attempts: running ? 1 : 0,
    repeats: 0,
    started_at: running ? now : null,
    lease_token: running ? token! : null,
    lease_until: running ? now + LEASE_MS : 0,
    unsettled: 0,
    metadata: JSON.stringify(sandboxMark(account)),
    fingerprint: fingerprint(content, account.id, page_id, overrides),
    created_at: now,
  };
}

export type NewPost = Readonly<{
  workspace: Workspace;
  content: Content;
  scheduledAt: number | undefined;
  targets: readonly AddressedTarget[];
  intent: Intent;
  skipDuplicateCheck: boolean;
}>;

/** The rows of a new post, and the lease of its running targets. */
export type PostRows = Readonly<{
  post: NewRow<'posts'>;
  targets: readonly NewRow<'targets'>[];
  /** The stored media items it uses, which must not be deleted while it exists. */
  mediaIds: readonly string[];
  token: string;
}>;

/** The rows of a post that is made now; `charged` is the period its credit was taken from. */
export function rowsOfPost(
  { workspace, content, targets, intent, ...given }: NewPost,
  { charged, source, now }: Readonly<{ charged: number | null; source: 'api' | 'import'; now: number }>,
): PostRows {
  const token = randomHex(16);
  const times = targets.map(({ scheduled_at }) => scheduled_at).filter((at) => at !== undefined);
  const scheduledAt = given.scheduledAt ?? (times.length > 0 ? Math.min(...times) : null);
  const row = { id: newId('post', now), workspace_id: workspace.id, scheduled_at: scheduledAt };
  const refs = refsOf(
    content,
    targets.map(({ overrides }) => overrides),
  );
  return {
    post: {
      ...row,
      status: intent === 'now' ? 'publishing' : intent === 'schedule' ? 'scheduled' : 'draft',
      ...columnsOf(content),
      sort_at: scheduledAt ?? now,
      hidden: 0,
      retry_count: 0,
      charged,
      version: 0,
      source,
      created_at: now,
      updated_at: now,
    },
    targets: targets.map((target, position) => targetRow(row, content, target, { intent, position, now, token })),
    mediaIds: mediaIdsOf(refs),
    token,
  };
}

/** Writes new posts with their targets, media uses and events. */
export async function writePosts(tx: Tx, made: readonly PostRows[]): Promise<void> {
  if (made.length === 0) return;
  await insertPosts(
    tx.db,
    made.map(({ post }) => post),
  );
  await insertTargets(
    tx.db,
    made.flatMap(({ targets }) => targets),
  );
  for (const { post, targets, mediaIds } of made) {
    if (mediaIds.length > 0) await usePostMedia(tx.db, tx.dialect, authorityOver(post.workspace_id), post.id, mediaIds);
    if (post.status !== 'scheduled') continue;
    const { facts, about } = eventOf(post, targets);
    const scheduled_at = wireTime(post.scheduled_at);
    await tx.emit({
      ...about,
      name: 'post.scheduled',
      data: {
        ...facts,
        status: 'scheduled',
        scheduled_at,
        targets: targets.map(({ account_id, platform }) => ({ account_id, platform })),
      },
      summary: `Post scheduled for ${scheduled_at}`,
    });
  }
  tx.signal('targets');
}

/** Writes a post with all that goes with it, its credit included; answers its id and the lease of running targets. */
export async function createPost(tx: Tx, post: NewPost, now: number): Promise<{ id: string; token: string }> {
  const { workspace, content, targets, intent } = post;
  if (intent !== 'draft' && !post.skipDuplicateCheck) await refuseDuplicates(tx, content, targets, now);
  const charged = intent === 'draft' ? null : await tx.charge('posts', workspace, 1);
  const made = rowsOfPost(post, { charged, source: 'api', now });
  await writePosts(tx, [made]);
  return { id: made.post.id, token: made.token };
}
