import type * as z from 'zod';
import type { Hosts } from '../call.ts';
import type { Done, LookupCall, OutgoingPost, Publish, PublishCall, Published, Step } from '../posts.ts';

type Declaration<Result extends z.ZodType> = Omit<Step, 'redo'> &
  Readonly<{
    redo?: readonly Readonly<{ name: string }>[];
    /** The schema of the stored result; it must also parse results stored by earlier releases. */
    result: Result;
    run(call: PublishCall): Promise<z.output<Result>>;
    /** Looks up the outcome of a visible step; if absent, the outcome stays unknown. */
    settle?(call: LookupCall): Promise<Readonly<{ made: z.output<Result> }> | 'absent' | 'unknown'>;
  }>;

/** A step with its function, and typed access to its result. */
export type DefinedStep<Result = unknown> = Readonly<{
  name: string;
  step: Step;
  run(call: PublishCall): Promise<Result>;
  settle?: ((call: LookupCall) => Promise<Readonly<{ made: Result }> | 'absent' | 'unknown'>) | undefined;
  /** The result of a completed step; throws otherwise. */
  resultIn(done: Done): Result;
  findIn(done: Done): Result | undefined;
}>;

/** Declares a publishing step; other steps read its result through it. */
export function defineStep<Result extends z.ZodType>({
  result,
  run,
  settle,
  redo,
  ...rest
}: Declaration<Result>): DefinedStep<z.output<Result>> {
  const { name } = rest;
  const findIn = (done: Done) => (Object.hasOwn(done, name) ? result.parse(done[name]) : undefined);
  return Object.freeze({
    name,
    step: Object.freeze({ ...rest, ...(redo && { redo: redo.map((step) => step.name) }) }),
    run,
    settle,
    findIn,
    resultIn(done: Done) {
      if (!Object.hasOwn(done, name)) throw new Error(`the step ${name} is not done`);
      return result.parse(done[name]);
    },
  });
}

type Steps = Readonly<{
  /** Checks the post before its first step, because callers may skip validation. */
  assertFits?(post: OutgoingPost): void;
  steps(post: OutgoingPost, done: Done): readonly DefinedStep[];
  finish(done: Done, hosts: Hosts): Published;
  /** False if the outcome of no visible step can be looked up. */
  settles?: boolean;
}>;

export function defineSteps({ assertFits, steps, finish, settles = true }: Steps): Publish {
  function stepNamed(post: OutgoingPost, name: string): DefinedStep {
    const found = steps(post, {}).find((one) => one.name === name);
    if (found === undefined) throw new Error(`a post like this has no step ${name}`);
    return found;
  }

  return Object.freeze<Publish>({
    steps: (post, done = {}) => steps(post, done).map(({ step }) => step),

    async run(call, name) {
      if (Object.keys(call.done).length === 0) assertFits?.(call.post);
      return stepNamed(call.post, name).run(call);
    },

    ...(settles && {
      settle: async (call: LookupCall, name: string) =>
        (await stepNamed(call.post, name).settle?.(call)) ?? ('unknown' as const),
    }),

    finish,
  });
}
