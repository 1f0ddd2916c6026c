import type { PartState } from '#db/schema/database.ts';
import { loadSend, patchSend } from '#db/inbox/sends.ts';
import type { Store } from '#db/store/store.ts';
import type { CrashPoint } from '#call/ports.ts';
import type { SendTask } from '#call/sends.ts';
import type { Clock } from '#kernel/clock.ts';
import type { ApiError } from '#kernel/errors.ts';
import { LeaseLost, type Lease } from '../../jobs/lease.ts';
import { isMade } from '../record/send-state.ts';
import type { SendCallDeps } from './call.ts';

export type SendRunDeps = SendCallDeps & Readonly<{ store: Store; clock: Clock; crash: CrashPoint }>;

/** A send that this process is running, and its lease. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is made is stored as JSON and never looked into here
export type Work = Readonly<{ task: SendTask<any>; id: string; lease: Lease }>;
/** Why a send stopped before its end. */
export type SendFailure = Readonly<{ status: 'refused' | 'unknown'; error: ApiError }>;

export function makePartStates({ store, clock }: Pick<SendRunDeps, 'store' | 'clock'>) {
  async function stateOf({ id }: Work, index: number): Promise<PartState> {
    const row = await loadSend(store.db, id);
    if (row === undefined) throw new LeaseLost();
    return row.parts[index] ?? {};
  }

  /** Changes the stored state of a part, unless the part has been completed since. */
  async function change(work: Work, index: number, to: (part: PartState) => PartState): Promise<PartState> {
    let changed: PartState = {};
    await work.lease.held(async (db) => {
      const row = await loadSend(db, work.id);
      const parts = [...row!.parts];
      const known = parts[index] ?? {};
      changed = isMade(known) ? known : to(known);
      parts[index] = changed;
      await patchSend(db, work.id, { parts, updated_at: clock.now() });
    });
    return changed;
  }

  return Object.freeze({ stateOf, change });
}

export type PartStates = ReturnType<typeof makePartStates>;
