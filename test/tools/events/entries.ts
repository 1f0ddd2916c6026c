import type { LogEntry } from '#db/store/tx.ts';
import type { World } from '../../harness/world.ts';

/** An entry of the owner's log that says nothing in particular. */
export const anEntry = ({ workspaceId }: World, more: Partial<LogEntry> = {}): LogEntry => ({
  workspaceId,
  category: 'api',
  action: 'test',
  status: 'success',
  summary: '',
  ...more,
});

/** Logs entries in one transaction. */
export const log = (world: World, ...entries: readonly Partial<LogEntry>[]): Promise<void> =>
  world.product.store.write(async (tx) => {
    for (const one of entries) await tx.log(anEntry(world, one));
  });
