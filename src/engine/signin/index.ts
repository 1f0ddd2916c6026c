import { holdPassword } from '#db/access/signin.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { findUserByEmail } from '#db/access/users.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { makePasswordChange } from './change.ts';
import { makeSignInThrottle, type Origin } from './throttle.ts';
import { makePasswords, PASSWORD_LENGTH, passwordRefusal } from './passwords.ts';
import { makeWebSessions } from './sessions.ts';
import { makeSetup, type OwnerFields } from './setup.ts';
import type { Standing } from '#kernel/limits/turns.ts';

type SigninDeps = Readonly<{
  store: Store;
  clock: Clock;
  addUser(tx: Tx, email: string, name: string): Promise<Readonly<{ userId: string }> | undefined>;
  /** Called after every sign-in, so that first-run data is removed. */
  onSignIn(): void;
  /** Called when apps ended, so that this process forgets what it remembers of them. */
  forget(): void;
}>;

export type Attempt = Origin & Readonly<{ password: string }>;

/** Password sign-in, password changes, the owner's set-up, and sessions. */
export function makeSignin({ store, clock, addUser, onSignIn, forget }: SigninDeps) {
  const passwords = makePasswords();
  const sessions = makeWebSessions({ store, clock });
  const setup = makeSetup({ store, clock, passwords, addUser, begin: sessions.begin });
  const throttles = makeSignInThrottle(clock);
  const change = makePasswordChange({ store, clock, passwords, throttle: throttles, forget });

  async function begin({ email, password }: Attempt, standing: Standing): Promise<string | undefined> {
    const user = await findUserByEmail(store.db, email);
    const checked = user?.password_hash ?? undefined;
    const matches = await passwords.matches(password, checked, standing);
    if (!matches || user === undefined || checked === undefined) return undefined;
    // A password change ends all sessions: none may start afterwards with the old one.
    return store.write(async (tx) =>
      (await holdPassword(tx, user.id, checked)) ? sessions.begin(tx, user.id) : undefined,
    );
  }

  return Object.freeze({
    passwordLength: PASSWORD_LENGTH,

    /** Returns a session token; undefined if address or password is wrong, never saying which. */
    async signIn(attempt: Attempt): Promise<string | undefined> {
      const passed = throttles.ofSignIn(attempt);
      const early = throttles.refusal(passed);
      if (early) throw early;
      const token = await throttles.pass(passed, (standing) => begin(attempt, standing));
      if (token !== undefined) onSignIn();
      return token;
    },

    hasPassword: change.hasPassword,
    changePassword: change.changePassword,
    confirmPassword: change.confirmPassword,

    visitor: sessions.visitor,
    signOut: sessions.end,

    isSetupNeeded: setup.isNeeded,
    setupLink: setup.link,
    isSetupOpen: setup.isOpen,

    /** Finishes set-up; returns the owner's session token, or which field is invalid. */
    async setUp(token: string, fields: OwnerFields): Promise<string | ApiError> {
      const early = passwordRefusal(fields.password);
      if (early) return early;
      const session = await setup.finish(token, fields);
      if (session === undefined) {
        const message = 'Another user of this server has this e-mail address.';
        return new ApiError('validation.field_invalid', { message, meta: { field: 'email' } });
      }
      onSignIn();
      return session;
    },
  });
}

export type Signin = ReturnType<typeof makeSignin>;
