import { dueTargets } from '#db/upkeep/gauges.ts';
import { doubtsTakeOver, originalAtWork, takeOver } from '#engine/pause/index.ts';
import { giveUpDue } from '#engine/publishing/change/give-up.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { withStore } from './with-store.ts';
import { counted } from '#kernel/people/counted.ts';

const NOTHING =
  'Nothing is paused: no server has found its store moved or copied. A server that was started with PAUSED=on or --paused goes on when it is started without.';

type Options = Readonly<{ 'publish-due'?: boolean | undefined; force?: boolean | undefined }>;

/** Ends the pause of a moved, copied or restored store. Posts that fell due are published only on request. */
export async function endPause({ 'publish-due': publishDue = false, force = false }: Options): Promise<void> {
  await withStore(async (store, { clock, config: { installation } }) => {
    const original = force ? undefined : await originalAtWork(store, installation);
    if (original !== undefined)
      throw new ConfigError(
        `the server that this store is a copy of still runs, on ${original}: both would publish and answer everything. Nothing was changed. Stop that server first, or delete this copy; --force takes over all the same`,
      );
    const doubt = force ? undefined : await doubtsTakeOver(store, installation);
    if (doubt !== undefined) {
      const { due } = await dueTargets(store.db, clock.now());
      const ends = publishDue ? '' : ` It would give up what is due or under way (due: ${counted(due, 'post')}).`;
      throw new ConfigError(
        `no server has found this store moved, so one may be at work on it. ${doubt}${ends} Nothing was changed. Run this as that server runs (DATA_DIR, INSTALLATION, in its container), or start the server here first; or add --force, if no server works on it`,
      );
    }
    const deps = { store, clock, installation, giveUpDue: () => giveUpDue({ store, clock }) };
    const givenUp = await takeOver(deps, { publishDue });
    const lines = givenUp === undefined ? [NOTHING] : ['Taken over: servers that use this store now run normally.'];
    if (givenUp !== undefined && givenUp > 0) lines.push(givenUpLine(givenUp));
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

function givenUpLine(count: number): string {
  const [posts, them] = count === 1 ? ['One post was', 'it'] : [`${count} posts were`, 'them'];
  return `${posts} due or under way, and may be public already: look on the platforms, and retry ${them} where missing.`;
}
