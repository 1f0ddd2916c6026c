import { join } from 'node:path';
import { makeFolder } from '../folders.ts';
import { makeWorld, type World, type WorldOptions } from '../world.ts';

/** A world whose simulators outlive it; `restart` ends it and answers one that goes on where it ended. */
export async function openLasting(store: NonNullable<WorldOptions['store']>) {
  const surroundings = { sandboxFile: join(makeFolder(), 'sandbox.db') };
  const first = await makeWorld({ store, surroundings });
  return {
    first,
    async restart(other: WorldOptions['surroundings'] = {}): Promise<World> {
      await first.end();
      return makeWorld({ store, surroundings: { ...surroundings, ...other }, after: first });
    },
  };
}
