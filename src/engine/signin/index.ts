import { holdPassword } from '#db/access/signin.ts';
import type { QueueMail } from '#db/outbox/mails.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { findUserByEmail, type UserRow } from '#db/access/users.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { makePasswordChange } from './change.ts';
import { makeForgot } from './forgot.ts';
import { makeJoin, type JoinFields } from './join.ts';
import { makeDevices } from './devices.ts';
import { makeSignInThrottle, type Origin } from './throttle.ts';
import { makePasswords, PASSWORD_LENGTH, passwordRefusal } from './passwords.ts';
import { makeWebSessions } from './sessions.ts';
import { makeSetup, type OwnerFields } from './setup.ts';
import type { Standing } from '#kernel/limits/turns.ts';

type SigninDeps = Readonly<{
  store: Store;
  clock: Clock;
  rootUrl: string;
  /** Undefined if no mail is configured. */
  queueMail?: QueueMail | undefined;
  addUser(tx: Tx, email: string, name: string): Promise<Readonly<{ userId: string }> | undefined>;
  /** Called after every sign-in, so that first-run data is removed. */
  onSignIn(): void;
  /** Set if an identity provider signs people in by email. */
  ownAddressOnly?: boolean;
  /** Called when apps were disconnected, so that this process clears its cache of them. */
  forget(): void;
}>;

/** `agent` is the browser's User-Agent. */
export type Attempt = Origin & Readonly<{ password: string; agent?: string }>;

/** A person who has a user on this server. */
export type Person = Readonly<{ userId: string; workspaceId: string; name: string }>;

/** The person with the address, if there is one, and a session token if the attempt was successful. */
export type Attempted = Readonly<{ person?: Person | undefined; token?: string | undefined }>;

/** Password sign-in, password changes, the owner's set-up, and sessions. */
export function makeSignin(deps: SigninDeps) {
  const { store, clock, rootUrl, queueMail, addUser, onSignIn, ownAddressOnly = false, forget } = deps;
  const passwords = makePasswords();
  const sessions = makeWebSessions({ store, clock });
  const setup = makeSetup({ store, clock, passwords, addUser, begin: sessions.begin });
  const joining = makeJoin({ store, clock, passwords, ownAddressOnly, begin: sessions.begin });
  const throttles = makeSignInThrottle(clock);
  const change = makePasswordChange({ store, clock, passwords, throttle: throttles, rootUrl, queueMail, forget });

  async function begin(
    user: UserRow | undefined,
    { password, agent }: Pick<Attempt, 'password' | 'agent'>,
    standing: Standing,
  ): Promise<string | undefined> {
    const checked = user?.password_hash ?? undefined;
    const matches = await passwords.matches(password, checked, standing);
    if (!matches || user === undefined || checked === undefined) return undefined;
    // A password change ends all sessions, so none may start afterwards with the old password.
    return store.write(async (tx) =>
      (await holdPassword(tx, user.id, checked)) ? sessions.begin(tx, user.id, agent) : undefined,
    );
  }

  return Object.freeze({
    passwordLength: PASSWORD_LENGTH,

    /** Begins a session if address and password are right; `person` must not be revealed to the visitor. */
    async signIn({ password, agent, ...origin }: Attempt): Promise<Attempted> {
      const passed = throttles.ofSignIn(origin);
      // Before anything is read; asked again by `pass`, as many may read at once.
      const early = throttles.refusal(passed);
      if (early) throw early;
      const user = await findUserByEmail(store.db, origin.email);
      const token = await throttles.pass(passed, (standing) =>
        begin(user, { password, ...(agent !== undefined && { agent }) }, standing),
      );
      if (token !== undefined) onSignIn();
      return { token, person: user && { userId: user.id, workspaceId: user.workspace_id, name: user.name } };
    },

    hasPassword: change.hasPassword,
    changePassword: change.changePassword,
    confirmPassword: change.confirmPassword,

    ...makeDevices({ store, clock }),
    visitor: sessions.visitor,
    signOut: sessions.end,

    isSetupNeeded: setup.isNeeded,
    setupLink: setup.link,
    isSetupOpen: setup.isOpen,

    /** Finishes set-up; returns the owner's session token, or the name of the invalid field. */
    async setUp(token: string, fields: OwnerFields): Promise<string | ApiError> {
      const early = passwordRefusal(fields.password);
      if (early) return early;
      const session = await setup.finish(token, fields);
      if (session === undefined) return addressTaken();
      onSignIn();
      return session;
    },

    /** Undefined if no mail is configured. */
    passwordLinks:
      queueMail && makeForgot({ ...deps, passwords, throttle: throttles, queueMail, begin: sessions.begin }),

    invitation: joining.invitation,

    /** Joins a workspace; returns the person's session token, or what is wrong. */
    async join(token: string, fields: JoinFields): Promise<string | ApiError> {
      const early = passwordRefusal(fields.password);
      if (early) return early;
      const session = await joining.finish(token, fields);
      if (session === undefined) return addressTaken();
      onSignIn();
      return session;
    },
  });
}

const addressTaken = () =>
  new ApiError('validation.field_invalid', {
    message: 'Another user of this server has this e-mail address.',
    meta: { field: 'email' },
  });

export type Signin = ReturnType<typeof makeSignin>;
