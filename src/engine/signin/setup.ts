import { insertSetupLink, isSetupLink, setFirstPassword, spendSetupLinks, sweepSetupLinks } from '#db/access/signin.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import { findOwner, findUserByEmail } from '#db/access/users.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Passwords } from './passwords.ts';

const LINK_MS = 3_600_000;

type SetupDeps = Readonly<{
  store: Store;
  clock: Clock;
  passwords: Passwords;
  /** Creates a user with a workspace; undefined if the address is taken. */
  addUser(tx: Tx, email: string, name: string): Promise<Readonly<{ userId: string }> | undefined>;
  begin(tx: Tx, userId: string, agent?: string): Promise<string>;
}>;

/** `agent` is the browser's User-Agent. */
export type OwnerFields = Readonly<{ email: string; name: string; password: string; agent?: string }>;

/** First-run set-up: anyone with a link can become the owner, as long as the owner has no password. */
export function makeSetup({ store, clock, passwords, addUser, begin }: SetupDeps) {
  const spent = (): never =>
    fail('auth.state_mismatch', {
      message: 'This set-up link is used, expired or incomplete.',
      next: 'Restart the server to get a new one.',
    });

  async function isOpen(token: string): Promise<boolean> {
    return isSetupLink(store.db, sha256(token), clock.now());
  }

  return Object.freeze({
    /** Whether nobody can sign in as the owner yet. */
    async isNeeded(): Promise<boolean> {
      const owner = await findOwner(store.db);
      return owner?.password_hash === undefined || owner.password_hash === null;
    },

    /** The token of a new link; undefined once the owner has a password. */
    link: () =>
      store.write(async (tx) => {
        const owner = await findOwner(tx.db);
        if (owner && owner.password_hash !== null) return undefined;
        const now = clock.now();
        const token = randomHex(32);
        await sweepSetupLinks(tx.db, now);
        await insertSetupLink(tx.db, sha256(token), now + LINK_MS);
        return token;
      }),

    isOpen,

    /** Makes the person with the link the owner and signs them in; undefined if the address is taken. */
    async finish(token: string, { email, name, password, agent = '' }: OwnerFields): Promise<string | undefined> {
      // Checked before hashing, so that invalid links cause no work.
      if (!(await isOpen(token))) spent();
      const password_hash = await passwords.hash(password);
      return store.write(async (tx) => {
        const owner = await findOwner(tx.db);
        const namesake = await findUserByEmail(tx.db, email);
        if (namesake && namesake.id !== owner?.id) return undefined;
        if (!(await spendSetupLinks(tx.db, sha256(token), clock.now()))) spent();
        const userId = owner?.id ?? (await addUser(tx, email, name))?.userId ?? spent();
        if (!(await setFirstPassword(tx.db, userId, { email, name, password_hash }))) spent();
        return begin(tx, userId, agent);
      });
    },
  });
}
