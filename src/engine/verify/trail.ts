import { ApiError } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/net/outbound.ts';
import { PlatformError } from '../../platforms/errors.ts';
import type { Mask } from './mask.ts';
import { flawsIn, nameOf, type Exchange, type Recorder } from './recorder.ts';
import type { Flaw } from './shape.ts';

/** What a check came to: what was seen, in what that differs, and what later checks need of it. */
export type Verdict<T> = Readonly<{
  seen: string;
  differs?: readonly string[];
  value?: T;
  untried?: true;
  /** It is what was thrown. */
  isFailure?: true;
}>;

/** A request of a check. */
export type Looked = Readonly<{ exchange: Exchange; flaws: readonly Flaw[] }>;

/** A check: what was expected, and what was seen; one that was not tried says why. */
export type Check = Readonly<{
  name: string;
  expected: string;
  state: 'as expected' | 'differs' | 'not tried';
  seen: string;
  differs: readonly string[];
  requests: readonly Looked[];
}>;

export type Trail = ReturnType<typeof makeTrail>;

/** Does one check after another, and keeps what was seen. */
export function makeTrail(recorder: Recorder, mask: () => Mask, say: (check: Check) => void) {
  const checks: Check[] = [];

  function add(check: Check): void {
    checks.push(check);
    say(check);
  }

  return Object.freeze({
    checks,

    /** Something that cannot be tried, or is not to be. */
    skip: (name: string, why: string) =>
      add({ name, expected: '', state: 'not tried', seen: why, differs: [], requests: [] }),

    /** What a failure comes to. */
    failure: (error: unknown): Verdict<never> => failed(error, mask()),

    /** Tries something; what fails differs from what was expected, and what follows from it is not there. */
    async check<T>(name: string, expected: string, act: () => Promise<Verdict<T>>): Promise<T | undefined> {
      recorder.take();
      const verdict: Verdict<T> = await act().catch((error: unknown) => failed<T>(error, mask()));
      const { seen, value, untried, isFailure } = verdict;
      const requests = recorder.take().map((exchange) => ({ exchange, flaws: flawsIn(exchange) }));
      const isFlawed = requests.some(({ flaws }) => flaws.length > 0);
      // A failure follows from the answer that differs, and is no further difference.
      const differs = isFailure && isFlawed ? [] : (verdict.differs ?? []);
      const state = differs.length > 0 || isFlawed ? 'differs' : untried ? 'not tried' : 'as expected';
      add({ name, expected, state, seen, differs, requests });
      return value;
    },
  });
}

/** A refusal of the platform is a difference; one of our own is why something was not tried. */
function failed<T>(error: unknown, mask: Mask): Verdict<T> {
  if (error instanceof PlatformError) {
    const { message = error.message } = error.said;
    const seen = `${nameOf(error)}, which means ${error.kind} (${error.reason}): ${mask.words(message)}`;
    return { seen, differs: [seen], isFailure: true };
  }
  if (error instanceof OutboundError) return { seen: error.because, differs: [error.because], isFailure: true };
  if (error instanceof ApiError) return { seen: mask.words(error.message), untried: true };
  throw error;
}
