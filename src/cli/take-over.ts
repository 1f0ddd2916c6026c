import { takeOver } from '#engine/pause/index.ts';
import { giveUpDue } from '#engine/publishing/change/give-up.ts';
import { withStore } from './with-store.ts';

const NOTHING =
  'Nothing is paused: no server has found its store moved or copied. A server that was started with PAUSED=on or --paused goes on when it is started without.';

/** Ends the pause of a moved, copied or restored store; what fell due is published only if asked for. */
export async function endPause(publishDue: boolean): Promise<void> {
  await withStore(async (store, { clock, config: { installation } }) => {
    const deps = { store, clock, installation, giveUpDue: () => giveUpDue({ store, clock }) };
    const givenUp = await takeOver(deps, { publishDue });
    const lines = givenUp === undefined ? [NOTHING] : ['Taken over: a server on this store works from now on.'];
    if (givenUp !== undefined && givenUp > 0) lines.push(givenUpLine(givenUp));
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

function givenUpLine(count: number): string {
  const [posts, them] = count === 1 ? ['One post was', 'it'] : [`${count} posts were`, 'them'];
  return `${posts} due or under way, and may be public already: look on the platforms, and retry ${them} where missing.`;
}
