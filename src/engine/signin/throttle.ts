import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { makeBackoff, type BackoffPolicy, type Backoff } from '#kernel/limits/backoff.ts';
import type { Standing } from '#kernel/limits/turns.ts';

/** Many people may share a network, and one person mistypes a few times. */
const NETWORK: BackoffPolicy = { free: 20, longest: 15 * 60_000 };
const ACCOUNT: BackoffPolicy = { free: 5, longest: 60_000 };

/** Where an attempt comes from. */
export type Origin = Readonly<{
  email: string;
  /** The network as `networkOf` returns it. */
  network: string;
  /** A browser that was signed in to this account before; guesses made elsewhere do not slow it down. */
  device: string | undefined;
}>;

/** The keys under which an attempt is counted, the most general one last. */
export type Throttles = readonly (readonly [Backoff, string])[];

/** Throttles password guesses, at the sign-in page and behind it. */
export function makeSignInThrottle(clock: Clock) {
  const networks = makeBackoff(clock, NETWORK);
  const accounts = makeBackoff(clock, ACCOUNT);

  /** Unknown callers wait according to their network's failures; known browsers and sessions go first. */
  function standingOf(throttles: Throttles): Standing {
    const [backoff, from] = throttles.at(-1)!;
    return { from, failures: backoff === networks ? networks.failuresOf(from) : 0 };
  }

  function refusal(throttles: Throttles): ApiError | undefined {
    const pause = Math.max(...throttles.map(([backoff, name]) => backoff.pauseOf(name)));
    if (pause <= 0) return undefined;
    return new ApiError('http.429', { message: 'Too many attempts; wait a moment.', retryAfter: pause / 1000 });
  }

  /** A known browser is throttled by itself, others by their network, so guesses elsewhere lock nobody out. */
  function ofSignIn({ email, network, device }: Origin): Throttles {
    if (device !== undefined) return [[accounts, `device ${device}`]];
    return [
      [accounts, `email ${email} ${network}`],
      [networks, network],
    ];
  }

  return Object.freeze({
    ofSignIn,

    /** Counted apart, so that nobody who asks for mails to an address makes its person wait at sign-in. */
    ofLinkRequest: (origin: Origin): Throttles =>
      ofSignIn(origin).map(([backoff, name]) => [backoff, `link ${name}`] as const),

    /** Sessions are throttled by themselves, so that nobody else can make the person wait. */
    ofSession: (sessionId: string): Throttles => [[accounts, `session ${sessionId}`]],

    /** Throttles a person across all of their sessions and tokens. */
    ofUser: (userId: string): Throttles => [[accounts, `user ${userId}`]],

    /** The error if an attempt must not be made yet. */
    refusal,

    /**
     * Makes an attempt and counts it as failed if it returns undefined; one that throws does not count. Throws if it must
     * not be made yet: others may have begun since the caller asked.
     */
    async pass<T>(
      throttles: Throttles,
      attempt: (standing: Standing) => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const early = refusal(throttles);
      if (early) throw early;
      for (const [backoff, name] of throttles) backoff.begin(name);
      let answer: T | undefined;
      try {
        answer = await attempt(standingOf(throttles));
      } catch (error) {
        for (const [backoff, name] of throttles) backoff.undo(name);
        throw error;
      }
      if (answer === undefined) return undefined;
      for (const [backoff, name] of throttles) (backoff === accounts ? backoff.forget : backoff.undo)(name);
      return answer;
    },
  });
}

export type SignInThrottle = ReturnType<typeof makeSignInThrottle>;
