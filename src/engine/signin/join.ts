import { findInvitation, takeInvitation } from '#db/access/signin.ts';
import { findWorkspaceOwner, holdWorkspace, insertPerson } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import type { Db, Tx } from '#db/store/tx.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { wordsOf, type Role } from '#kernel/people/roles.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Passwords } from './passwords.ts';

type JoinDeps = Readonly<{
  store: Store;
  clock: Clock;
  passwords: Passwords;
  /** Set if an identity provider signs people in by email: an address then belongs to whoever it names. */
  ownAddressOnly: boolean;
  begin(tx: Tx, userId: string, agent?: string): Promise<string>;
}>;

/** What a person who follows the link of an invitation is told. */
export type Invitation = Readonly<{ email: string; role: Role; invitedBy: string; owner: string }>;

/** `agent` is the browser's User-Agent. */
export type JoinFields = Readonly<{ name: string; password: string; agent?: string }>;

/** Joining a workspace with the link of an invitation. */
export function makeJoin({ store, clock, passwords, ownAddressOnly, begin }: JoinDeps) {
  const find = async (db: Db, token: string) =>
    ownAddressOnly ? undefined : findInvitation(db, sha256(token), clock.now());

  return Object.freeze({
    /** The open invitation of a link. */
    async invitation(token: string): Promise<Invitation | undefined> {
      const found = await find(store.db, token);
      const owner = found && (await findWorkspaceOwner(store.db, found.workspace_id));
      return owner && { email: found.email, role: found.role, invitedBy: found.inviter, owner: owner.name };
    },

    /** Makes the invited person a user of the workspace and signs them in; undefined if their address is taken. */
    async finish(token: string, { name, password, agent = '' }: JoinFields): Promise<string | undefined> {
      // Checked before hashing, so that invalid links cause no work.
      const { workspace_id } = (await find(store.db, token)) ?? spent();
      const password_hash = await passwords.hash(password);
      return store.write(async (tx) => {
        // Locks the workspace: meanwhile nobody else joins with the link, and nobody is removed.
        await holdWorkspace(tx.db, tx.dialect, workspace_id);
        const invitation = (await find(tx.db, token)) ?? spent();
        const { email, role } = invitation;
        const id = newId('usr', clock.now());
        const user = { id, workspace_id, email, name, password_hash, role, created_at: clock.now() } as const;
        if (!(await insertPerson(tx.db, user))) return undefined;
        if (!(await takeInvitation(tx.db, invitation))) spent();
        await tx.log({
          workspaceId: workspace_id,
          category: 'api',
          action: 'person_joined',
          status: 'success',
          resourceId: id,
          summary: `${name} joined as ${wordsOf(role).title}`,
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
