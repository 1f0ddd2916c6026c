import { join } from 'node:path';
import type { Processes, Seat } from '../../harness/processes.ts';
import { OWNERS } from '../../platforms/conformance/consent.ts';
import { doorOf } from '../../platforms/conformance/process.ts';
import type { Subject } from '../../platforms/conformance/subject.ts';
import { runCommand } from '../clients/product.ts';

/** Runs `rostra verify` beside the server of a seat, on its data folder. */
export function verifyBeside(seat: Seat, twins: string, args: readonly string[], env: Record<string, string> = {}) {
  return runCommand(['verify', ...args], {
    DATA_DIR: seat.folder,
    CLOCK_FILE: join(seat.folder, 'clock'),
    SANDBOX_URL: twins,
    ROOT_URL: seat.root(),
    LOG_LEVEL: 'error',
    ...env,
  });
}

/** Connects the first person of a platform's simulator; answers the account's id. */
export async function connectFirst(world: Pick<Processes, 'control'>, seat: Seat, subject: Subject): Promise<string> {
  const door = doorOf(world, seat);
  await subject.prepare?.(door);
  const { account } = await subject.connect(door, 0);
  return account;
}

/** Makes the secret board that a pin is tried on. */
export const askPinterestForBoard = ({ control }: Pick<Processes, 'control'>) =>
  control('pinterest/board', { account: OWNERS[0]!, name: 'Nobody sees it', privacy: 'SECRET' });
