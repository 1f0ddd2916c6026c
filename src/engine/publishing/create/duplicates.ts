import { holdAccounts, type TargetRow } from '#db/posts/targets.ts';
import { findDuplicates } from '#db/posts/duplicates.ts';
import type { Tx } from '#db/store/tx.ts';
import { ApiError } from '#kernel/errors.ts';
import type { AddressedTarget } from '../content/addressing.ts';
import { fingerprint, type Content } from '../content/content.ts';

/** Within this time, an account does not publish the same text and media twice. */
export const GUARD_MS = 86_400_000;

/** Refuses content that one of the accounts published within a day. A repeated request finds its first post here. */
export async function refuseDuplicates(
  tx: Tx,
  content: Content,
  targets: readonly AddressedTarget[],
  now: number,
): Promise<void> {
  const ids = targets.map(({ account }) => account.id);
  // Locks the accounts, so that of two equal requests the second sees the first.
  await holdAccounts(tx.db, tx.dialect, ids);
  const prints = targets.map(({ account, page_id, overrides }) => {
    return fingerprint(content, account.id, page_id, overrides);
  });
  const known = await findDuplicates(tx.db, tx.dialect, ids, prints, now - GUARD_MS);
  for (const [index, { account }] of targets.entries()) {
    const found = known.find((row) => row.account_id === account.id && row.fingerprint === prints[index]);
    if (found) throw repeated(account, 'less than 24 hours ago (skip_duplicate_check allows it)', found);
  }
}

const HAPPENED: Readonly<Partial<Record<TargetRow['status'], string>>> = Object.freeze({
  pending: 'was saved as a draft for',
  scheduled: 'was scheduled for',
  publishing: 'started publishing to',
  published: 'went to',
  // A failed post may be public, which its retry finds out.
  failed: 'may have gone to',
});

/** The error for repeated content; it names the earlier post if there is one. */
export function repeated(
  { platform, username }: AddressedTarget['account'],
  before: string,
  found?: Pick<TargetRow, 'post_id' | 'status'>,
): ApiError {
  const happened = (found && HAPPENED[found.status]) ?? 'goes to';
  const next =
    found?.status === 'failed'
      ? 'Call retry_post for that post: what is public already is not published again.'
      : 'Look at that post with get_post, or change the text.';
  return new ApiError('resource.conflict', {
    message: `The same content ${happened} ${platform} @${username} ${before}.`,
    next,
    meta: { resource: 'post', ...(found && { id: found.post_id }) },
  });
}
