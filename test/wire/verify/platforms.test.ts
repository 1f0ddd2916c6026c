import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProcesses, type Processes, type Seat } from '../../harness/processes.ts';
import { nameOf, SUBJECTS } from '../../platforms/conformance/subjects.ts';
import { askPinterestForBoard, connectFirst, verifyBeside } from './verify.ts';

let world: Processes;
let seat: Seat;
beforeAll(async () => {
  world = await openProcesses();
  [seat] = await world.servers(1);
});
afterAll(() => world?.close());

/** Platforms of which something stays: nothing there removes it. */
const LEAVING: ReadonlySet<string> = new Set(['tiktok', 'tiktok:business']);
/** Platforms without anything to publish that reaches nobody. */
const SILENT: ReadonlySet<string> = new Set(['whatsapp']);

const CASES = SUBJECTS.map((subject) => [nameOf(subject), subject] as const);

describe('rostra verify', () => {
  it.each(CASES)(
    'finds no difference between the connector and the twin of %s, and leaves nothing public',
    async (name, subject) => {
      const account = await connectFirst(world, seat, subject);
      if (name === 'pinterest') await askPinterestForBoard(world);
      const { slug } = subject.platform;
      const { code, stdout, stderr } = await verifyBeside(seat, world.twins, [slug, '--account', account]);
      expect({ code, stdout, stderr }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`# rostra verify ${slug}: no differences`),
      });
      expect(stderr.includes('LEFT BEHIND')).toBe(LEAVING.has(name));
      expect(stdout.includes('## publish: as expected')).toBe(!SILENT.has(name));
    },
  );
});
