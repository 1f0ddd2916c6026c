import {
  countPasswordLinks,
  findByPasswordLink,
  holdPasswordOwner,
  insertPasswordLink,
  takePasswordLink,
} from '#db/access/signin.ts';
import { findUserByEmail, type UserRow } from '#db/access/users.ts';
import type { QueueMail } from '#db/outbox/mails.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { HOUR, type Clock } from '#kernel/clock.ts';
import { fail, type ApiError } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';
import { writePassword } from './change.ts';
import { passwordChanged, passwordLink } from './mails.ts';
import { passwordRefusal, type Passwords } from './passwords.ts';
import type { Origin, SignInThrottle } from './throttle.ts';

const LINK_MS = HOUR;
/** Anyone can ask for mails to an address. Older links stay valid, or they could also spoil the person's own. */
const MOST_LINKS = 3;

type ForgotDeps = Readonly<{
  store: Store;
  clock: Clock;
  passwords: Passwords;
  rootUrl: string;
  queueMail: QueueMail;
  throttle: SignInThrottle;
  begin(tx: Tx, userId: string, agent?: string): Promise<string>;
  onSignIn(): void;
  /** Called when apps were disconnected, so that this process clears its cache of them. */
  forget(): void;
}>;

/** `agent` is the browser's User-Agent. */
export type NewPasswordFields = Readonly<{ password: string; endApps: boolean; agent?: string }>;

/** Links by mail with which people who forgot their password choose another one. */
export function makeForgot(deps: ForgotDeps) {
  const { store, clock, passwords, rootUrl, queueMail, throttle, begin, onSignIn, forget } = deps;
  const toOf = ({ id, workspace_id, email }: UserRow) => ({ workspaceId: workspace_id, userId: id, email, rootUrl });
  const find = (token: string) => findByPasswordLink(store.db, sha256(token), clock.now());

  return Object.freeze({
    /** Counts a request for a link; throws if the visitor has to wait, whoever has the address. */
    async admit(origin: Origin): Promise<void> {
      await throttle.pass(throttle.ofLinkRequest(origin), async () => undefined);
    },

    /**
     * Mails a link to the person with the address, if they can sign in with a password and have few such links. The
     * result must not be revealed to the visitor.
     */
    async mail(email: string) {
      const known = await findUserByEmail(store.db, email);
      if (known === undefined) return { person: undefined, isMailed: false };
      const isMailed = await store.write(async (tx) => {
        const user = await holdPasswordOwner(tx, known.id);
        const now = clock.now();
        if (user === undefined || (await countPasswordLinks(tx.db, user.id, now)) >= MOST_LINKS) return false;
        const token = randomHex(32);
        const row = { token_hash: sha256(token), user_id: user.id, created_at: now, expires_at: now + LINK_MS };
        await insertPasswordLink(tx.db, row);
        const link = `${rootUrl}/new-password?token=${token}`;
        await queueMail(tx, passwordLink(toOf(user), link, row.expires_at));
        return true;
      });
      return { person: { userId: known.id, workspaceId: known.workspace_id, name: known.name }, isMailed };
    },

    /** The address of the person whom a link is for, as long as it works. */
    async addressOf(token: string): Promise<string | undefined> {
      return (await find(token))?.email;
    },

    /** Sets the password of the person with the link and ends their sessions; returns a new one, or what is wrong. */
    async use(token: string, { password, endApps, agent = '' }: NewPasswordFields): Promise<string | ApiError> {
      const early = passwordRefusal(password);
      if (early) return early;
      // Checked before hashing, so that invalid links cause no work.
      const { id } = (await find(token)) ?? spent();
      const password_hash = await passwords.hash(password);
      const session = await store.write(async (tx) => {
        // The person before the link, as whatever ends links.
        const user = (await holdPasswordOwner(tx, id)) ?? spent();
        const now = clock.now();
        if (!(await takePasswordLink(tx.db, sha256(token), now))) spent();
        await writePassword(tx, id, { password_hash, endApps, now });
        await queueMail(tx, passwordChanged(toOf(user), now));
        return begin(tx, id, agent);
      });
      if (endApps) forget();
      onSignIn();
      return session;
    },
  });
}

function spent(): never {
  fail('auth.state_mismatch', {
    message: 'This link for a new password is used or expired.',
    next: 'Ask for a new link on the sign-in page.',
  });
}
