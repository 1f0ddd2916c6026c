import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { residentMb } from '../wire/crash/videos.ts';
import { median, range, within, type Finding } from './finding.ts';
import { builtProgram, makeDataDir, SOURCE, startRostra, withFolder, withServers } from './server.ts';

export type StartEffort = Readonly<{ starts: number; idleSeconds: number }>;

const ANSWER_MS = { built: 600, source: 1200 };
const IDLE_MB = { built: 130, source: 150 };

/** Start to first answer, and memory at rest, of the program as the package ships it. */
export function benchStart({ starts, idleSeconds }: StartEffort): Promise<readonly Finding[]> {
  const program = builtProgram();
  return withFolder(async (folder) => {
    const used = join(folder, 'used');
    await makeDataDir(used);
    const timed = async (dataDir: (turn: number) => string, program: string) => {
      const times: number[] = [];
      for (let turn = 0; turn < starts; turn += 1) {
        const server = await startRostra(dataDir(turn), { program, sandbox: 'on' });
        times.push(server.firstAnswerMs);
        await server.stop();
      }
      return times;
    };
    const fresh = await timed((turn) => join(folder, `fresh-${turn}`), program);
    const again = await timed(() => used, program);
    const source = await timed(() => used, SOURCE);
    const timing = (what: string, aimMs: number, times: readonly number[]): Finding => ({
      what: `start to first answer, ${what}`,
      ...within(aimMs, median(times), ' ms'),
      note: `${times.length} starts, ${range(times, 0)} ms`,
    });
    const memoryOf = (program: string) =>
      withServers([startRostra(used, { program, sandbox: 'on' })], async ([server]) => {
        await wait(idleSeconds * 1000);
        return residentMb(server!.pid);
      });
    const idle = async (what: string, aimMb: number, program: string): Promise<Finding> => ({
      what: `memory ${idleSeconds} s after the start, ${what}`,
      ...within(aimMb, await memoryOf(program), ' MB'),
    });
    return [
      timing('built, empty database', ANSWER_MS.built, again),
      timing('built, very first start', ANSWER_MS.built, fresh),
      timing('from the sources', ANSWER_MS.source, source),
      await idle('built', IDLE_MB.built, program),
      await idle('from the sources', IDLE_MB.source, SOURCE),
    ];
  });
}
