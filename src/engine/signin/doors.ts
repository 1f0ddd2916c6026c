import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { makeThrottle, type Patience, type Throttle } from './throttle.ts';

/** Many people may share an address, and one person mistypes a few times. */
const ADDRESS: Patience = { free: 20, longest: 15 * 60_000 };
const ACCOUNT: Patience = { free: 5, longest: 60_000 };

/** Where an attempt comes from. */
export type Origin = Readonly<{
  email: string;
  /** The network the attempt comes from. */
  address: string;
  /** A browser in which this very account was signed in before: strangers who guess do not slow it down. */
  device: string | undefined;
}>;

/** The names under which one attempt is counted. */
export type Doors = readonly (readonly [Throttle, string])[];

/** What whoever guesses a password has to pass, at the sign-in page and behind it. */
export function makeDoors(clock: Clock) {
  const addresses = makeThrottle(clock, ADDRESS);
  const accounts = makeThrottle(clock, ACCOUNT);

  return Object.freeze({
    /** A known browser has its own pause; all others share those of the account and of their network. */
    ofSignIn({ email, address, device }: Origin): Doors {
      if (device !== undefined) return [[accounts, `device ${device}`]];
      return [
        [accounts, `email ${email}`],
        [addresses, address],
      ];
    },

    /** Someone who is signed in has a pause of their own as well: nobody else can make them wait. */
    ofSession: (sessionId: string): Doors => [[accounts, `session ${sessionId}`]],

    /** Why an attempt may not be made yet. */
    refusal(doors: Doors): ApiError | undefined {
      const pause = Math.max(...doors.map(([throttle, name]) => throttle.pauseOf(name)));
      if (pause <= 0) return undefined;
      return new ApiError('http.429', { message: 'Too many attempts; wait a moment.', retryAfter: pause / 1000 });
    },

    /** Makes an attempt, which answers undefined when the password is wrong; one that breaks off was none. */
    async pass<T>(doors: Doors, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
      for (const [throttle, name] of doors) throttle.begin(name);
      let answer: T | undefined;
      try {
        answer = await attempt();
      } catch (error) {
        for (const [throttle, name] of doors) throttle.undo(name);
        throw error;
      }
      if (answer === undefined) return undefined;
      for (const [throttle, name] of doors) (throttle === accounts ? throttle.forget : throttle.undo)(name);
      return answer;
    },
  });
}

export type DoorKeeper = ReturnType<typeof makeDoors>;
