import { sleep } from '#kernel/clock.ts';
import type { ApiError } from '#kernel/errors.ts';
import { waitForPending } from '../../jobs/pending.ts';
import type { makeSendCall } from './call.ts';
import type { PartStates, SendFailure, SendRunDeps, Work } from './work.ts';

/** How often to prepare a part again if it could not be sent. */
const MOST_LOST = 3;

type PrepareDeps = Pick<SendRunDeps, 'clock' | 'crash'> &
  PartStates &
  Readonly<{ callFor: ReturnType<typeof makeSendCall> }>;

/** Prepares the parts of sends, and waits while the platform is processing them. */
export function makePrepare({ clock, crash, callFor, stateOf, change }: PrepareDeps) {
  /** Runs the preparations of a part. They have no visible effect, so they may be repeated. */
  async function prepare(work: Work, index: number): Promise<SendFailure | undefined> {
    const part = work.task.parts[index]!;
    if (part.prepare === undefined || (await stateOf(work, index)).prepared !== undefined) return undefined;
    let isRepeat = false;
    const keep = async (value: unknown) => void (await change(work, index, (state) => ({ ...state, kept: value })));
    for (;;) {
      const { kept, lost = 0 } = await stateOf(work, index);
      const answer = await callFor(work, (call) => part.prepare!({ ...call, kept, keep, lost }));
      if ('value' in answer) {
        const plan = answer.value ?? null;
        await change(work, index, (state) => ({ ...state, prepared: { plan } }));
        crash('send.prepared');
        return undefined;
      }
      if (answer.kind === 'pending' && (await outwait(work, index, answer.error))) continue;
      if (isRepeat || (answer.kind !== 'unknown' && answer.kind !== 'not_sent')) {
        return { status: 'refused', error: answer.error };
      }
      isRepeat = true;
    }
  }

  /** Waits before pending work is checked again; false if it has taken too long. */
  async function outwait(work: Work, index: number, { detail }: ApiError): Promise<boolean> {
    const now = clock.now();
    const { pending = { asked: 0, since: now } } = await stateOf(work, index);
    const { maxWaitMs } = work.task.parts[index]!;
    const waitMs = waitForPending({ ...pending, maxWaitMs }, { now, retryAfter: detail.retryAfter });
    if (waitMs === undefined) return false;
    const { asked, since } = pending;
    await change(work, index, (state) => ({ ...state, pending: { asked: asked + 1, since } }));
    await sleep(clock, waitMs);
    return true;
  }

  /** Prepares a part again, a few times, if the platform could not send what was prepared. */
  async function again(work: Work, index: number, error: ApiError): Promise<SendFailure | undefined> {
    const { lost = 0 } = await change(work, index, (state) => {
      const { prepared: _, sent_at: __, ...rest } = state;
      return { ...rest, lost: (state.lost ?? 0) + 1 };
    });
    return lost > MOST_LOST ? { status: 'refused', error } : prepare(work, index);
  }

  return Object.freeze({ prepare, again });
}
