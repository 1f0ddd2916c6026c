import type { Store } from '../../../db/store.ts';
import type { Tx } from '../../../db/tx.ts';
import { findUserByEmail } from '../../../db/users.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import { isPassword, makePasswords, PASSWORD_LENGTH } from './passwords.ts';
import { makeWebSessions } from './sessions.ts';
import { makeSetup, type OwnerFields } from './setup.ts';
import { makeThrottle, type Patience, type Throttle } from './throttle.ts';

/** Many people may share an address, and one person mistypes a few times. */
const ADDRESS: Patience = { free: 20, longest: 15 * 60_000 };
const ACCOUNT: Patience = { free: 5, longest: 60_000 };

type Deps = Readonly<{
  store: Store;
  clock: Clock;
  addUser(tx: Tx, email: string, name: string): Promise<Readonly<{ userId: string }> | undefined>;
  /** Called after every sign-in, so that what was lying around for the first one goes. */
  onSignIn(): void;
}>;

export type Attempt = Readonly<{
  email: string;
  password: string;
  /** The network the attempt comes from. */
  address: string;
  /** A browser in which this very account was signed in before: strangers who guess do not slow it down. */
  device: string | undefined;
}>;

/** Signing in with a password, set-up of the owner, and the sessions both lead to. */
export function makeSignin({ store, clock, addUser, onSignIn }: Deps) {
  const passwords = makePasswords();
  const sessions = makeWebSessions({ store, clock });
  const setup = makeSetup({ store, clock, passwords, addUser, begin: sessions.begin });
  const addresses = makeThrottle(clock, ADDRESS);
  const accounts = makeThrottle(clock, ACCOUNT);

  /** A known browser has its own pause; all others share those of the account and of their network. */
  function doorsOf({ email, address, device }: Attempt): readonly (readonly [Throttle, string])[] {
    if (device !== undefined) return [[accounts, `device ${device}`]];
    return [
      [accounts, `email ${email}`],
      [addresses, address],
    ];
  }

  async function userIdOf({ email, password }: Attempt): Promise<string | undefined> {
    const user = await findUserByEmail(store.db, email);
    return (await passwords.matches(password, user?.password_hash ?? undefined)) ? user?.id : undefined;
  }

  return Object.freeze({
    passwordLength: PASSWORD_LENGTH,

    /** Signs in; answers the token of the session, or undefined when address or password is wrong: never which. */
    async signIn(attempt: Attempt): Promise<string | undefined> {
      const doors = doorsOf(attempt);
      const pause = Math.max(...doors.map(([throttle, name]) => throttle.pauseOf(name)));
      if (pause > 0) fail('http.429', { message: 'Too many attempts; wait a moment.', retryAfter: pause / 1000 });
      for (const [throttle, name] of doors) throttle.begin(name);
      let userId: string | undefined;
      try {
        userId = await userIdOf(attempt);
      } catch (error) {
        for (const [throttle, name] of doors) throttle.undo(name);
        throw error;
      }
      if (userId === undefined) return undefined;
      for (const [throttle, name] of doors) (throttle === accounts ? throttle.forget : throttle.undo)(name);
      const token = await store.write((tx) => sessions.begin(tx, userId));
      onSignIn();
      return token;
    },

    visitor: sessions.visitor,
    signOut: sessions.end,

    isSetupNeeded: setup.isNeeded,
    setupLink: setup.link,
    isSetupOpen: setup.isOpen,

    /** Finishes the first-run set-up; answers the token of the owner's session, undefined when the address is taken. */
    async setUp(token: string, fields: OwnerFields): Promise<string | undefined> {
      if (!isPassword(fields.password)) {
        const { min, max } = PASSWORD_LENGTH;
        fail('validation.field_invalid', {
          message: `The password must have ${min} to ${max} characters.`,
          meta: { field: 'password' },
        });
      }
      const session = await setup.finish(token, fields);
      if (session !== undefined) onSignIn();
      return session;
    },
  });
}

export type Signin = ReturnType<typeof makeSignin>;
