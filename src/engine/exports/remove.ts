import { deleteExport, hasEnded, holdExport } from '#db/exports/exports.ts';
import type { Authority } from '#kernel/authority.ts';
import { noSuch } from '#kernel/errors.ts';
import { exportEntry } from './create.ts';
import type { ExportDeps } from './deps.ts';

/** Deletes an export; a job removes its posts later. If it is unfinished, its credit is refunded. */
export async function removeExport(
  { store, clock }: Pick<ExportDeps, 'store' | 'clock'>,
  authority: Authority,
  id: string,
) {
  await store.write(async (tx) => {
    const now = clock.now();
    const row = (await holdExport(tx.db, tx.dialect, authority, id)) ?? noSuch('export', id);
    await deleteExport(tx.db, row, now);
    if (!hasEnded(row)) await tx.refund('exports', row.workspace_id, row.charged, 1);
    await tx.log(exportEntry(row, 'deleted'));
    await tx.enqueue({ kind: 'run_export', key: id, runAt: now });
  });
  return { success: true, ok: true, id };
}
