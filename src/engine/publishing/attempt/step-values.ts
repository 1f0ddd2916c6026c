import { isLost, openJson, sealJson } from '#db/schema/sealed.ts';
import type { FinishedStep, StepRow } from '#db/posts/steps.ts';
import { fail } from '#kernel/errors.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Done, Step } from '#platforms/posts.ts';

/** A target's steps: results of the completed ones, and those that were sent without an answer or kept progress. */
export type Progress = Readonly<{
  done: Done;
  sent: ReadonlyMap<string, StepRow>;
  kept: ReadonlyMap<string, unknown>;
}>;

type FinishingStep = Pick<Step, 'name' | 'kind' | 'secret'>;

/** The error of a target that cannot continue because a step's result was lost with the master key. */
export const LOST = Object.freeze({
  message: 'What an earlier try had prepared was lost with the master key of the server.',
  next: 'Look at the account on its platform; what is not there can be published as a new post.',
});

/** Reads and writes stored step values; kept state and secret results are encrypted. */
export function makeStepValues(sealer: Sealer) {
  const seal = (name: 'steps' | 'step_results', targetId: string, value: unknown) =>
    sealJson(sealer, value ?? null, name, targetId);
  const open = (name: 'steps' | 'step_results', targetId: string, sealed: string) =>
    openJson(sealer, sealed, name, targetId);

  function resultOf({ target_id, result, sealed_result: sealed }: StepRow): unknown {
    const value = sealed === null ? result : open('step_results', target_id, sealed);
    return isLost(value) ? fail('publishing.delivery.interrupted', LOST) : value;
  }

  return Object.freeze({
    /** Whether the result of a completed step was lost, so that publishing cannot continue. */
    isLost: (rows: readonly StepRow[]): boolean =>
      rows.some(({ state, target_id, sealed_result }) => {
        return state === 'done' && sealed_result !== null && isLost(open('step_results', target_id, sealed_result));
      }),

    progressOf(rows: readonly StepRow[]): Progress {
      const done = rows.filter(({ state }) => state === 'done');
      const kept = rows.filter(({ progress }) => progress !== null);
      return {
        done: Object.fromEntries(done.map((row) => [row.name, resultOf(row)])),
        sent: new Map(rows.filter(({ state }) => state === 'sent').map((row) => [row.name, row])),
        kept: new Map(kept.map(({ target_id, name, progress }) => [name, open('steps', target_id, progress!)])),
      };
    },

    finished(targetId: string, { name, kind, secret }: FinishingStep, result: unknown): FinishedStep {
      if (!secret) return { name, kind, result: result ?? null, sealed_result: null };
      return { name, kind, result: null, sealed_result: seal('step_results', targetId, result) };
    },

    sealed: (targetId: string, value: unknown) => seal('steps', targetId, value),
  });
}

export type StepValues = ReturnType<typeof makeStepValues>;
