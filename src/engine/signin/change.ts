import { createHmac, generateKeySync } from 'node:crypto';
import type { Caller } from '#call/caller.ts';
import { deleteSessionsOf, endPasswordLinksOf, replacePassword, spendSetupLinks } from '#db/access/signin.ts';
import { endAppsOf } from '#db/leash/connections.ts';
import type { QueueMail } from '#db/outbox/mails.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { findOwner, findUser, findUserByEmail, updateUser } from '#db/access/users.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError } from '#kernel/errors.ts';
import { safeEqual } from '#kernel/sign.ts';
import { passwordChanged } from './mails.ts';
import type { SignInThrottle } from './throttle.ts';
import { passwordRefusal, type Passwords } from './passwords.ts';
import type { Visitor } from './sessions.ts';
import type { Standing } from '#kernel/limits/turns.ts';

/** An identical form within this time counts as sent twice, for example by a double click. */
const REPEAT_MS = 60_000;
const REPEATS = 1000;
const SET_ONE = 'Ask whoever runs this server to set one with rostra user password.';

type PasswordChangeDeps = Readonly<{
  store: Store;
  clock: Clock;
  passwords: Passwords;
  throttle: SignInThrottle;
  rootUrl: string;
  /** Undefined if no mail is configured. */
  queueMail: QueueMail | undefined;
  /** Called when apps were disconnected, so that this process clears its cache of them. */
  forget(): void;
}>;

export type PasswordChange = Readonly<{
  current: string;
  password: string;
  /** Whether to disconnect apps too: somebody who knew the old password may have connected them. */
  endApps: boolean;
}>;

export function makePasswordChange(deps: PasswordChangeDeps) {
  const { store, clock, passwords, throttle: throttles, rootUrl, queueMail, forget } = deps;
  const key = generateKeySync('hmac', { length: 256 });
  const changes = boundedMap<string, Readonly<{ print: string; at: number }>>(REPEATS);

  /** Whether this session has just made the same change; after any other change it would have ended. */
  function isRepeat(sessionId: string, print: string): boolean {
    const made = changes.get(sessionId);
    return made !== undefined && made.at + REPEAT_MS > clock.now() && safeEqual(print, made.print);
  }

  const hashOf = async ({ userId }: Pick<Caller, 'userId'>) =>
    (await findUser(store.db, userId))?.password_hash ?? undefined;

  async function replace(visitor: Visitor, change: PasswordChange, standing: Standing): Promise<boolean> {
    const { sessionId, caller } = visitor;
    const { current, password, endApps } = change;
    const checked = await hashOf(caller);
    if (!(await passwords.matches(current, checked, standing)) || checked === undefined) return false;
    const hash = await passwords.hash(password);
    const replaced = await store.write(async (tx) => {
      if (!(await replacePassword(tx.db, caller.userId, checked, hash))) return false;
      await deleteSessionsOf(tx.db, caller.userId, sessionId);
      await endPasswordLinksOf(tx.db, caller.userId);
      if (endApps) await endAppsOf(tx.db, caller.userId, clock.now());
      const to = { workspaceId: caller.workspace.id, userId: caller.userId, email: visitor.email, rootUrl };
      await queueMail?.(tx, passwordChanged(to, clock.now()));
      return true;
    });
    if (endApps) forget();
    return replaced;
  }

  return Object.freeze({
    hasPassword: async ({ caller }: Visitor): Promise<boolean> => (await hashOf(caller)) !== undefined,

    /** Checks the password of a person who is signed in; returns why it was refused, with what it is needed for. */
    async confirmPassword(
      caller: Pick<Caller, 'userId'>,
      password: string,
      purpose = 'to allow more than before',
    ): Promise<ApiError | undefined> {
      const refused = (message: string) =>
        new ApiError('validation.field_invalid', { message, meta: { field: 'password' } });
      const checked = await hashOf(caller);
      if (checked === undefined) {
        return refused(`A password is needed ${purpose}, and you have none. ${SET_ONE}`);
      }
      // Throttled by user, not by session, because a session can create any number of tokens.
      const own = throttles.ofUser(caller.userId);
      const early = throttles.refusal(own);
      if (early) return early;
      const matches = await throttles.pass(
        own,
        async (standing) => (await passwords.matches(password, checked, standing)) || undefined,
      );
      if (matches) return undefined;
      return refused(`Your password is wrong. It is needed ${purpose}.`);
    },

    /** Changes a password and ends all other sessions; returns why it was refused. */
    async changePassword(visitor: Visitor, change: PasswordChange): Promise<ApiError | undefined> {
      const own = throttles.ofSession(visitor.sessionId);
      const early = passwordRefusal(change.password) ?? throttles.refusal(own);
      if (early) return early;
      const print = createHmac('sha256', key)
        .update(JSON.stringify([change.current, change.password, change.endApps]))
        .digest('hex');
      const done = await throttles.pass(own, async (standing) => {
        if (await replace(visitor, change, standing)) changes.set(visitor.sessionId, { print, at: clock.now() });
        // The browser shows only the second form's result, and that form contains the old password.
        return isRepeat(visitor.sessionId, print) || undefined;
      });
      if (done) return undefined;
      const message = 'The current password is wrong.';
      return new ApiError('validation.field_invalid', { message, meta: { field: 'current' } });
    },
  });
}

export type PasswordReset = Readonly<Omit<PasswordChange, 'current'> & { email: string }>;

/** Sets a password without a check and ends all sessions, for the operator only; false for an unknown address. */
export async function resetPassword(
  { store, clock, passwords }: Pick<PasswordChangeDeps, 'store' | 'clock' | 'passwords'>,
  { email, password, endApps }: PasswordReset,
): Promise<boolean> {
  if ((await findUserByEmail(store.db, email)) === undefined) return false;
  const password_hash = await passwords.hash(password);
  return store.write(async (tx) => {
    const user = await findUserByEmail(tx.db, email);
    if (user === undefined) return false;
    await writePassword(tx, user.id, { password_hash, endApps, now: clock.now() });
    return true;
  });
}

type NewPassword = Readonly<{ password_hash: string; endApps: boolean; now: number }>;

/** Sets a password within a transaction and ends all sessions and links of the person. */
export async function writePassword(tx: Tx, id: string, { password_hash, endApps, now }: NewPassword): Promise<void> {
  // Set-up ends once the owner has a password, no matter how it was set.
  if ((await findOwner(tx.db))?.id === id) await spendSetupLinks(tx.db, '', now);
  await updateUser(tx.db, id, { password_hash });
  await deleteSessionsOf(tx.db, id);
  await endPasswordLinksOf(tx.db, id);
  if (endApps) await endAppsOf(tx.db, id, now);
}
