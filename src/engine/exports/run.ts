import { loadAccount } from '#db/access/accounts.ts';
import { hasEnded, loadExport, patchExport, removeDeleted, type ExportRow } from '#db/exports/exports.ts';
import { DAY, HOUR, isoTime } from '#kernel/clock.ts';
import { ApiError, StoreUnavailable } from '#kernel/errors.ts';
import { sparingly } from '#kernel/limits/heap.ts';
import { PLANS } from '#kernel/plans.ts';
import { PlatformError } from '#platforms/errors.ts';
import { isOver } from '#platforms/retry-policy.ts';
import { exportEntry } from './create.ts';
import type { ExportDeps } from './deps.ts';
import { makeInsights } from './insight/insights.ts';
import { makeExportReader, StepTaken } from './export-reader.ts';

/** The most consecutive attempts at one step. */
const MOST_FAILURES = 6;
const FIRST_WAIT_MS = 5_000;
/** How many posts of a deleted export one transaction removes. */
const REMOVE_STEP = 500;
/** How long an export may wait for a platform in total, for example for a daily quota. */
const LONGEST_WAIT_MS = 30 * HOUR;

/** Runs exports step by step. Each step is committed before the next, so an interrupted export continues. */
export function makeRun(deps: ExportDeps) {
  const { store, clock, log } = deps;
  const { readMore, leaveOut } = makeExportReader(deps);
  const findOut = makeInsights(deps);

  async function complete(row: ExportRow): Promise<void> {
    const now = clock.now();
    const expires_at = now + PLANS[row.plan].exports.report_days * DAY;
    const patch = { status: 'completed', completed_at: now, expires_at, processed: row.posts } as const;
    await store.write(async (tx) => {
      if (await patchExport(tx.db, row, patch)) await tx.log(exportEntry(row, 'completed'));
    });
  }

  /** Ends an export without a result and refunds its credit. */
  async function abandon({ id }: ExportRow, failure: string): Promise<void> {
    const now = clock.now();
    await store.write(async (tx) => {
      const row = await loadExport(tx.db, id);
      if (!row || !(await patchExport(tx.db, row, { status: 'failed', failure, completed_at: now, expires_at: now })))
        return;
      await tx.refund('exports', row.workspace_id, row.charged, 1);
      await tx.log(exportEntry(row, 'failed', failure));
    });
  }

  async function step(row: ExportRow): Promise<boolean> {
    const account = await loadAccount(store.db, row.account_id);
    if (!account) {
      await abandon(row, 'The account was removed.');
      return false;
    }
    if (row.reading === null) {
      await complete(row);
      return false;
    }
    if (row.reading.pages) await readMore(row, account, row.reading);
    else await findOut(row, account, row.reading.insight);
    return true;
  }

  /** Skips an unreadable page if that makes sense; false if the export has failed. */
  async function goOnWithout(row: ExportRow, error: unknown): Promise<boolean> {
    if (!(error instanceof PlatformError) || isOver(error) || !row.reading?.pages) return false;
    const account = await loadAccount(store.db, row.account_id);
    return account !== undefined && leaveOut(row, account, row.reading, error);
  }

  /** When to retry after a failure; undefined if a retry cannot help. */
  function waitAfter(row: ExportRow, error: unknown): number | undefined {
    const now = clock.now();
    if (isOver(error)) return undefined;
    if (error instanceof PlatformError && error.kind === 'throttled') {
      const waitMs = Math.max(FIRST_WAIT_MS, (error.retryAfter ?? 60) * 1000);
      return now + waitMs > row.created_at + LONGEST_WAIT_MS ? undefined : waitMs;
    }
    const isFinal = error instanceof ApiError || (error instanceof PlatformError && error.kind === 'refused');
    return isFinal || row.failures + 1 >= MOST_FAILURES ? undefined : FIRST_WAIT_MS * 4 ** row.failures;
  }

  /** Runs one step; if it fails, waits, skips the page, or ends the export. */
  async function advance(row: ExportRow): Promise<void | { again: number }> {
    try {
      return (await sparingly(() => step(row))) ? { again: 0 } : undefined;
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof StepTaken) throw error;
      const waitMs = waitAfter(row, error);
      const known = error instanceof PlatformError || error instanceof ApiError;
      const line = { export_id: row.id, account_id: row.account_id, error };
      if (!known) log.error(line, 'export failed');
      else log.info({ ...line, again_at: waitMs && isoTime(clock.now() + waitMs) }, 'step of an export failed');
      if (waitMs === undefined) {
        if (await goOnWithout(row, error)) return { again: 0 };
        await abandon(row, known ? error.message : 'The export failed on this server; its log says why.');
        return undefined;
      }
      const isThrottled = error instanceof PlatformError && error.kind === 'throttled';
      if (!isThrottled) await store.write((tx) => patchExport(tx.db, row, { failures: row.failures + 1 }));
      return { again: waitMs };
    }
  }

  /** The job `run_export`: runs all steps of an export, or removes the posts of a deleted one. */
  return async function run(id: string): Promise<void | { again: number }> {
    const row = await loadExport(store.db, id);
    if (!row) {
      const removed = await store.write((tx) => removeDeleted(tx.db, id, REMOVE_STEP));
      return removed > 0 ? { again: 0 } : undefined;
    }
    if (hasEnded(row)) return undefined;
    try {
      return await advance(row);
    } catch (error) {
      if (error instanceof StepTaken) return { again: 0 };
      throw error;
    }
  };
}
