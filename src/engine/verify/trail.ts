import { ApiError } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import { QuotaSpent } from '#platforms/app/quotas.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { Mask } from './mask.ts';
import { flawsIn, nameOf, type Exchange, type Recorder } from './recorder.ts';
import type { Flaw } from './shape.ts';

/** The result of a check: what was found, how it differs, and a value that later checks need. */
export type Verdict<T> = Readonly<{
  seen: string;
  differs?: readonly string[];
  value?: T;
  untried?: true;
  isFailure?: true;
  /** The check failed because of an error in this program. */
  isBroken?: true;
}>;

/** A request that was made during a check. */
type Looked = Readonly<{ exchange: Exchange; flaws: readonly Flaw[] }>;

/** A check, with what was expected and found; if it was not tried or broke off, `seen` says why. */
export type Check = Readonly<{
  name: string;
  expected: string;
  state: 'as expected' | 'differs' | 'not tried' | 'broken off';
  seen: string;
  differs: readonly string[];
  requests: readonly Looked[];
}>;

export type Trail = ReturnType<typeof makeTrail>;

type Findings = Readonly<{ isBroken?: unknown; isDifferent: boolean; untried?: unknown }>;

function stateOf({ isBroken, isDifferent, untried }: Findings): Check['state'] {
  if (isBroken) return 'broken off';
  if (isDifferent) return 'differs';
  return untried ? 'not tried' : 'as expected';
}

/** Runs checks one after another and collects their results. */
export function makeTrail(recorder: Recorder, mask: () => Mask, say: (check: Check) => void) {
  const checks: Check[] = [];
  const broken: unknown[] = [];

  function add(check: Check): void {
    checks.push(check);
    say(check);
  }

  /** Records an error of this program, which ends only the current check. */
  function brokenOff(error: unknown): Verdict<never> {
    broken.push(error);
    return { seen: mask().words(String(error)), isBroken: true };
  }

  /** Turns an error into a result. */
  const failure = (error: unknown): Verdict<never> => refusalVerdict(error, mask()) ?? brokenOff(error);

  const trail = Object.freeze({
    checks,
    /** Errors of this program, as opposed to the platform's. */
    broken,
    failure,

    skip: (name: string, why: string) =>
      add({ name, expected: '', state: 'not tried', seen: why, differs: [], requests: [] }),

    /** Runs a check. A failure counts as a difference, and then no value is returned. */
    async check<T>(name: string, expected: string, act: () => Promise<Verdict<T>>): Promise<T | undefined> {
      recorder.take();
      const verdict: Verdict<T> = await act().catch(failure);
      const { seen, value, untried, isFailure, isBroken } = verdict;
      const requests = recorder.take().map((exchange) => ({ exchange, flaws: flawsIn(exchange) }));
      const isFlawed = requests.some(({ flaws }) => flaws.length > 0);
      // If a response differs, the failure is a consequence and not counted again.
      const differs = isFailure && isFlawed ? [] : (verdict.differs ?? []);
      const isDifferent = differs.length > 0 || isFlawed;
      const state = stateOf({ isBroken, isDifferent, untried });
      add({ name, expected, state, seen, differs, requests });
      return value;
    },

    /** Runs several checks; an error between two of them ends only this group. */
    async part(name: string, act: () => Promise<void>): Promise<void> {
      try {
        await act();
      } catch (error) {
        await trail.check(name, 'it is done to its end', async () => brokenOff(error));
      }
    },
  });
  return trail;
}

/**
 * A refusal of the platform is a difference. After our own refusal, or with a used-up quota, the check counts as not
 * tried. Undefined for errors of this program.
 */
function refusalVerdict(error: unknown, mask: Mask): Verdict<never> | undefined {
  if (error instanceof QuotaSpent) return { seen: `quota used up: ${error.message}`, untried: true };
  if (error instanceof PlatformError) {
    const { message = error.message } = error.details;
    const seen = `${nameOf(error)}, which means ${error.kind} (${error.reason}): ${mask.words(message)}`;
    return { seen, differs: [seen], isFailure: true };
  }
  if (error instanceof OutboundError) return { seen: error.because, differs: [error.because], isFailure: true };
  if (error instanceof ApiError) return { seen: mask.words(error.message), untried: true };
  return undefined;
}
