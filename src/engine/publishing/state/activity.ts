import type { PostRow } from '#db/posts/posts.ts';
import { insertPublishLog } from '#db/posts/logs.ts';
import type { TargetError } from '#db/schema/database.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import { newId } from '#kernel/ids.ts';
import type { Reported } from '#platforms/errors.ts';
import { reportedIn } from '#platforms/refusal.ts';

/** The fields of post events; brands and account come from the given targets. */
export function postEventFields(
  post: Pick<PostRow, 'id' | 'workspace_id'>,
  targets: readonly Pick<TargetRow, 'brand_id' | 'account_id' | 'platform' | 'metadata'>[],
) {
  const ids = [...new Set(targets.map(({ brand_id }) => brand_id))];
  const isSandbox = (row: Pick<TargetRow, 'metadata'>) => row.metadata['sandbox'] === true;
  const brandId = ids[0] ?? null;
  return {
    fields: {
      post_id: post.id,
      brand_id: brandId,
      brand_ids: ids,
      ...(targets.some(isSandbox) && { metadata: { sandbox: true } }),
    },
    about: {
      workspaceId: post.workspace_id,
      brandId,
      resourceId: post.id,
      accountId: targets[0]?.account_id,
      platform: targets[0]?.platform,
    },
  };
}

export type LogLine = Readonly<{
  action: 'publish' | 'retry' | 'cancel' | 'unpublish';
  status: 'success' | 'failed' | 'skipped';
  durationMs?: number;
  statusCode?: number;
  error?: string | undefined;
  /** The status and codes that the platform reported. */
  reported?: Reported | undefined;
}>;

export const failureLine = (error: TargetError) => ({
  statusCode: error.status,
  error: error.message,
  reported: reportedIn(error),
});

export async function logTarget(tx: Tx, target: TargetRow, now: number, line: LogLine): Promise<void> {
  await insertPublishLog(tx.db, {
    id: newId('plog', now),
    workspace_id: target.workspace_id,
    brand_id: target.brand_id,
    account_id: target.account_id,
    post_id: target.post_id,
    platform: target.platform,
    action: line.action,
    status: line.status,
    attempt: Math.max(1, target.attempts),
    duration_ms: line.durationMs ?? 0,
    status_code: line.statusCode ?? 0,
    error_message: line.error ?? null,
    reported: line.reported && Object.keys(line.reported).length > 0 ? line.reported : null,
    created_at: now,
  });
}
