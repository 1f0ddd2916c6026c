import type { AccountRow } from '../../../../db/access/accounts.ts';
import type { Log } from '../../../kernel/log.ts';
import type { SkippedPage } from '../../../platforms/inbound.ts';

/** Makes the function that logs pages which refused to be read: once each, until they are read again. */
export function makeSkipLog(log: Log) {
  const skippedBefore = new Map<string, ReadonlySet<string>>();

  return function logSkipped(account: AccountRow, skipped: readonly SkippedPage[] = []): void {
    const { id, platform } = account;
    const before = skippedBefore.get(id);
    for (const { page, error } of skipped) {
      if (!before?.has(page)) log.info({ account_id: id, platform, page, error }, 'page skipped');
    }
    if (skipped.length === 0) skippedBefore.delete(id);
    else skippedBefore.set(id, new Set(skipped.map(({ page }) => page)));
  };
}
