import { actionsWithFiles, forgetFiles, type ActionRow } from '#db/leash/actions.ts';
import type { Store } from '#db/store/store.ts';

const SWEEP_STEP = 100;

/** Removes the media that were fetched for actions which came to nothing; returns for how many that is settled. */
export type Tidy = (rows: readonly Pick<ActionRow, 'id' | 'workspace_id' | 'file_ids'>[]) => Promise<number>;

type TidyDeps = Readonly<{
  store: Store;
  /** Removes media that nobody needs any more; false where something of it may still be there. */
  dropFiles(workspaceId: string, ids: readonly string[]): Promise<boolean>;
}>;

/** Removes what is left of actions: media that were fetched for them, and that no post uses. */
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
    /** The same for what ended with its connection, or while its process died, or could not be removed before; returns for how many. */
    sweep: async (): Promise<number> => tidy(await actionsWithFiles(store.db, SWEEP_STEP)),
  });
}
