import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProcesses, type Processes, type Seat } from '../../harness/processes.ts';
import { nameOf, SUBJECTS } from '../../platforms/conformance/subjects.ts';
import { connectFirst, verifyBeside } from './verify.ts';

let world: Processes;
let seat: Seat;
beforeAll(async () => {
  world = await openProcesses();
  [seat] = await world.servers(1);
});
afterAll(() => world?.close());

const CASES = SUBJECTS.map((subject) => [nameOf(subject), subject] as const);

describe('rostra verify', () => {
  it.each(CASES)(
    'finds no difference between the connector and the twin of %s, and leaves nothing public',
    async (_, subject) => {
      const account = await connectFirst(world, seat, subject);
      const { slug } = subject.platform;
      const { code, stdout, stderr } = await verifyBeside(seat, world.twins, [slug, '--account', account]);
      expect({ code, stdout, stderr }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`# rostra verify ${slug}: no differences`),
      });
    },
  );
});
