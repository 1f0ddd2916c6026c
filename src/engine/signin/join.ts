import { findInvitation, takeInvitation } from '#db/access/signin.ts';
import { findUserByEmail, findWorkspaceOwner, insertUser, userNames } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import type { Role } from '#kernel/people/roles.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Passwords } from './passwords.ts';

type JoinDeps = Readonly<{
  store: Store;
  clock: Clock;
  passwords: Passwords;
  begin(tx: Tx, userId: string, agent?: string): Promise<string>;
}>;

/** What a person who follows the link of an invitation is told. */
export type Invitation = Readonly<{ email: string; role: Role; invitedBy: string; owner: string }>;

/** `agent` is the browser's User-Agent. */
export type JoinFields = Readonly<{ name: string; password: string; agent?: string }>;

/** Joining a workspace with the link of an invitation. */
export function makeJoin({ store, clock, passwords, begin }: JoinDeps) {
  return Object.freeze({
    /** The open invitation of a link. */
    async invitation(token: string): Promise<Invitation | undefined> {
      const row = await findInvitation(store.db, sha256(token), clock.now());
      if (row === undefined) return undefined;
      const [names, owner] = await Promise.all([
        userNames(store.db, [row.invited_by]),
        findWorkspaceOwner(store.db, row.workspace_id),
      ]);
      const name = owner?.name ?? '';
      return { email: row.email, role: row.role, invitedBy: names.get(row.invited_by) ?? name, owner: name };
    },

    /** Makes the invited person a user of the workspace and signs them in; undefined if their address is taken. */
    async finish(token: string, { name, password, agent = '' }: JoinFields): Promise<string | undefined> {
      // Checked before hashing, so that invalid links cause no work.
      if ((await findInvitation(store.db, sha256(token), clock.now())) === undefined) spent();
      const password_hash = await passwords.hash(password);
      return store.write(async (tx) => {
        const now = clock.now();
        const found = (await findInvitation(tx.db, sha256(token), now)) ?? spent();
        const { workspace_id, email, role } = found;
        // Before the invitation is taken, as it stays open then.
        if (await findUserByEmail(tx.db, email)) return undefined;
        if ((await takeInvitation(tx.db, found)) === undefined) spent();
        const id = newId('usr', now);
        const user = { id, workspace_id, email, name, password_hash, role, created_at: now } as const;
        if (!(await insertUser(tx.db, { ...user, onboarding: 0, lock_accounts_to_brand: 0 }))) return undefined;
        await tx.log({
          workspaceId: workspace_id,
          category: 'api',
          action: 'person_joined',
          status: 'success',
          resourceId: id,
          summary: `${email} joined as ${role}`,
        });
        return begin(tx, id, agent);
      });
    },
  });
}

function spent(): never {
  fail('auth.state_mismatch', {
    message: 'This invitation is used, revoked or expired.',
    next: 'Ask the person who invited you for a new link.',
  });
}
