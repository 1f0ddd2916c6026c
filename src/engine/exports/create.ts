import { holdAccount, noAccount, accountNamed, type AccountRow } from '#db/access/accounts.ts';
import { insertExport, lastExport, type ExportRow } from '#db/exports/exports.ts';
import type { LogEntry, Tx } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { PLANS } from '#kernel/plans.ts';
import { capabilityOf } from '#platforms/lookup.ts';
import type { ExportDeps } from './deps.ts';
import type { Provider } from './insight/provider.ts';
import { presentExport } from './present-export.ts';

/** What an export includes besides metrics. */
export type Wanted = Readonly<{ transcripts: boolean; vision: boolean }>;

export function exportEntry(
  row: ExportRow,
  done: 'started' | 'completed' | 'failed' | 'deleted',
  why?: string,
): LogEntry {
  return {
    workspaceId: row.workspace_id,
    category: 'account',
    action: `export_${done}`,
    status: done === 'failed' ? 'failed' : 'success',
    platform: row.platform,
    accountId: row.account_id,
    resourceId: row.id,
    summary: `Export of ${row.account_name} (${row.platform}) ${done}`,
    errorMessage: why,
  };
}

/** Which parts of the export are possible, and why the others are not. */
function possible(wanted: Wanted, plan: keyof typeof PLANS, provider: Provider) {
  const { exports, name } = PLANS[plan];
  const warnings: string[] = [];
  const has = (asked: boolean, planned: boolean, configured: boolean, what: string, setting: string): boolean => {
    if (!asked) return false;
    if (!planned) warnings.push(`${what} are not part of the ${name} plan, so there are none.`);
    else if (!configured) warnings.push(`${what} need ${setting} on this server, so there are none.`);
    return planned && configured;
  };
  const transcripts = has(
    wanted.transcripts,
    exports.transcripts !== 0,
    provider.transcribe !== undefined,
    'Transcripts',
    'AI_URL and AI_TRANSCRIPT_MODEL',
  );
  const vision = has(
    wanted.vision,
    exports.vision,
    provider.describe !== undefined,
    'Descriptions of pictures',
    'AI_URL and AI_VISION_MODEL',
  );
  return { transcripts, vision, warnings };
}

/** Starts exports: one at a time for each account, and as many as the plan allows. */
export function makeCreate({ store, clock, platforms, provider }: ExportDeps) {
  async function refuseTooEarly(tx: Tx, account: AccountRow, plan: keyof typeof PLANS): Promise<void> {
    const last = await lastExport(tx.db, account.id);
    if (!last) return;
    if (last.status !== 'completed') fail('billing.export_concurrent', { meta: { id: last.id } });
    const { exports, name } = PLANS[plan];
    const waitMs = last.created_at + exports.cooldown_seconds * 1000 - clock.now();
    if (waitMs <= 0) return;
    fail('billing.export_cooldown', {
      message: `The ${name} plan allows an export of an account every ${exports.cooldown_seconds} seconds.`,
      meta: { plan, id: last.id },
      retryAfter: waitMs / 1000,
    });
  }

  return async function create(
    { authority, workspace }: Pick<Caller, 'authority' | 'workspace'>,
    accountId: string,
    wanted: Wanted,
  ) {
    const account = await accountNamed(store.db, authority, accountId);
    capabilityOf(
      platforms,
      account,
      'exports',
      ({ posts }) => posts?.list,
      `The posts of ${account.platform} cannot be listed.`,
    );
    return store.write(async (tx) => {
      const now = clock.now();
      const held = (await holdAccount(tx.db, tx.dialect, account.id)) ?? noAccount(account.id);
      if (held.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
      await refuseTooEarly(tx, held, workspace.plan);
      const charged = await tx.charge('exports', workspace, 1);
      const { transcripts, vision, warnings } = possible(wanted, workspace.plan, provider);
      const row = await insertExport(tx.db, {
        id: newId('exp', now),
        workspace_id: workspace.id,
        brand_id: held.brand_id,
        account_id: held.id,
        account_name: held.name ?? held.username,
        platform: held.platform,
        plan: workspace.plan,
        transcripts: transcripts ? 1 : 0,
        vision: vision ? 1 : 0,
        reading: { pages: [] },
        warnings,
        extra_names: [],
        charged,
        created_at: now,
      });
      await tx.log(exportEntry(row, 'started'));
      await tx.enqueue({ kind: 'run_export', key: row.id, runAt: now });
      const accepted = presentExport(row, null);
      await tx.key?.record(accepted);
      return accepted;
    });
  };
}
