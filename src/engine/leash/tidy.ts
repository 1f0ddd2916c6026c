import { actionsWithFiles, forgetFiles, type ActionRow } from '#db/leash/actions.ts';
import type { Store } from '#db/store/store.ts';

const SWEEP_STEP = 100;

/** Removes the media that were fetched for actions which came to nothing. */
export type Tidy = (rows: readonly Pick<ActionRow, 'id' | 'workspace_id' | 'file_ids'>[]) => Promise<void>;

type TidyDeps = Readonly<{
  store: Store;
  /** Removes media that nobody needs any more; best effort. */
  dropFiles(workspaceId: string, ids: readonly string[]): Promise<void>;
}>;

/** Removes what is left of actions: media that were fetched for them, and that no post uses. */
export function makeTidy({ store, dropFiles }: TidyDeps) {
  const tidy: Tidy = async (rows) => {
    const some = rows.filter(({ file_ids }) => file_ids !== null);
    if (some.length === 0) return;
    for (const { workspace_id, file_ids } of some) await dropFiles(workspace_id, file_ids!);
    const ids = some.map(({ id }) => id);
    await store.write((tx) => forgetFiles(tx.db, ids));
  };

  return Object.freeze({
    tidy,
    /** The same for what ended with its connection, or while its process died; returns how many. */
    async sweep(): Promise<number> {
      const rows = await actionsWithFiles(store.db, SWEEP_STEP);
      await tidy(rows);
      return rows.length;
    },
  });
}
