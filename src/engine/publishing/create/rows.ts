import type { PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import { NEVER, type MediaRef } from '#db/schema/database.ts';
import { sandboxMark } from '#call/accounts.ts';
import type { Workspace } from '#kernel/authority.ts';
import { newId } from '#kernel/ids.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import type { AddressedTarget } from '../content/addressing.ts';
import { columnsOf, fingerprint, mediaIdsOf, refsOf, type Content } from '../content/content.ts';
import type { Intent } from '../content/timing.ts';

/** A target's row in the initial state of its post. */
export function targetRow(
  post: Pick<PostRow, 'id' | 'workspace_id' | 'scheduled_at'>,
  content: Content,
  addressed: AddressedTarget,
  begin: Readonly<{ intent: Intent; position: number; now: number; token: string | undefined }>,
): TargetRow {
  const { account, page_id, overrides } = addressed;
  const { intent, now, token } = begin;
  const at = addressed.scheduled_at ?? post.scheduled_at ?? now;
  const waits = intent === 'schedule' || (intent === 'now' && addressed.scheduled_at !== undefined);
  const running = intent === 'now' && !waits;
  const state = running
    ? ({ status: 'publishing', due_at: now + LEASE_MS } as const)
    : ({ status: 'pending', due_at: NEVER } as const);
  return {
    id: newId('tgt', now),
    post_id: post.id,
    workspace_id: post.workspace_id,
    account_id: account.id,
    brand_id: account.brand_id,
    platform: account.platform,
    position: begin.position,
    page_id: page_id ?? null,
    overrides,
    scheduled_at: addressed.scheduled_at ?? null,
    ...(waits ? ({ status: 'scheduled', due_at: at } as const) : state),
    round: 0,
    action: 'publish',
    attempts: running ? 1 : 0,
    repeats: 0,
    started_at: running ? now : null,
    lease_token: running ? token! : null,
    lease_until: running ? now + LEASE_MS : 0,
    platform_post_id: null,
    permalink: null,
    published_at: null,
    segments: null,
    converted: null,
    platform_media: null,
    error: null,
    unsettled: 0,
    metrics: null,
    metrics_synced_at: null,
    measure_at: null,
    metadata: sandboxMark(account),
    fingerprint: fingerprint(content, account.id, page_id, overrides),
    created_at: now,
  };
}

export type NewPost = Readonly<{
  workspace: Workspace;
  content: Content;
  /** The media named in platform options. */
  attached: readonly MediaRef[];
  scheduledAt: number | undefined;
  targets: readonly AddressedTarget[];
  intent: Intent;
  skipDuplicateCheck: boolean;
}>;

/** The rows of a new post. */
export type PostRows = Readonly<{
  post: PostRow;
  targets: readonly TargetRow[];
  /** The stored media that it uses; they cannot be deleted while it exists. */
  mediaIds: readonly string[];
}>;

const STATUS_BY_INTENT = Object.freeze({ now: 'publishing', schedule: 'scheduled', draft: 'draft' } as const);

/** Makes the rows of a new post. `charged` is the billing period of its credit, `token` leases what is published now. */
export function rowsOfPost(
  { workspace, content, attached, targets, intent, ...given }: NewPost,
  begin: Readonly<{ charged: number | null; source: 'api' | 'import'; now: number; token?: string | undefined }>,
): PostRows {
  const { charged, source, now, token } = begin;
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
      status: STATUS_BY_INTENT[intent],
      ...columnsOf(content),
      published_at: null,
      sort_at: scheduledAt ?? now,
      hidden: 0,
      retry_count: 0,
      charged,
      version: 0,
      source,
      deleted_at: null,
      created_at: now,
      updated_at: now,
    },
    targets: targets.map((target, position) => targetRow(row, content, target, { intent, position, now, token })),
    mediaIds: mediaIdsOf([...refs, ...attached]),
  };
}
