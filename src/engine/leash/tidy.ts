import { actionsWithFiles, forgetFiles, type ActionRow } from '#db/leash/actions.ts';
import type { Store } from '#db/store/store.ts';

const SWEEP_STEP = 100;

/** Removes media fetched for actions that were not carried out; returns how many actions are settled. */
export type Tidy = (rows: readonly Pick<ActionRow, 'id' | 'workspace_id' | 'file_ids'>[]) => Promise<number>;

type TidyDeps = Readonly<{
  store: Store;
  /** Removes media that are no longer needed; false if some of them may still exist. */
  dropFiles(workspaceId: string, ids: readonly string[]): Promise<boolean>;
}>;

/** Cleans up after actions: removes media that were fetched for them and that no post uses. */
export function makeTidy({ store, dropFiles }: TidyDeps) {
  const tidy: Tidy = async (rows) => {
    const some = rows.filter(({ file_ids }) => file_ids !== null);
    const settled: string[] = [];
    for (const { id, workspace_id, file_ids } of some) {
      if (await dropFiles(workspace_id, file_ids!)) settled.push(id);
    }
    if (settled.length > 0) await store.write((tx) => forgetFiles(tx.db, settled));
    return settled.length;
  };

  return Object.freeze({
    tidy,
    /** Does the same for actions that ended otherwise, for example with their connection or in a crash. */
    sweep: async (): Promise<number> => tidy(await actionsWithFiles(store.db, SWEEP_STEP)),
  });
}
