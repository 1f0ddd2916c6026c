import {
  insertInvitation,
  listInvitations,
  sweepInvitations,
  takeInvitation,
  type InvitationRow,
} from '#db/access/signin.ts';
import {
  changeRole,
  findPerson,
  findUserByEmail,
  holdWorkspace,
  listPeople,
  userNames,
  type UserRow,
} from '#db/access/users.ts';
import { keysMadeBy } from '#db/access/keys.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import type { Role } from '#kernel/people/roles.ts';
import { sha256 } from '#kernel/sign.ts';
import { emailOf } from '#kernel/text/email.ts';
import { entryOf, removeWithin } from './leaving.ts';

const INVITED_MS = 7 * DAY;
/** The most people in a workspace, with those who are invited; they are always listed as a whole. */
const MOST = 100;

type PeopleDeps = Readonly<{
  store: Store;
  clock: Clock;
  rootUrl: string;
  /** Called when what people may do has changed, so that this process clears its cache of callers. */
  forget(): void;
}>;

/** Who calls. */
type Whose = Pick<Caller, 'authority' | 'userId'>;

/** The people of a workspace: who they are, what they may do, and who is invited. */
export function makePeople({ store, clock, rootUrl, forget }: PeopleDeps) {
  const presentInvitation = (row: InvitationRow, names: ReadonlyMap<string, string>) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    invited_by: names.get(row.invited_by) ?? null,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
  });

  async function personOf(authority: Authority, id: string): Promise<UserRow> {
    return (await findPerson(store.db, authority, id)) ?? noSuch('person', id);
  }

  return Object.freeze({
    list: async ({ authority, userId }: Whose) =>
      (await listPeople(store.db, authority)).map((row) => presentPerson(row, userId)),

    /** The invitations that are open. */
    async invitations({ authority }: Whose) {
      const rows = await listInvitations(store.db, authority, clock.now());
      const names = await userNames(store.db, [...new Set(rows.map((row) => row.invited_by))]);
      return rows.map((row) => presentInvitation(row, names));
    },

    /** Invites somebody; the link in the answer is shown only once, and no mail is sent. */
    async invite({ authority, userId }: Whose, given: Readonly<{ email: string; role: Exclude<Role, 'owner'> }>) {
      const email = emailOf(given.email) ?? notAnAddress();
      const now = clock.now();
      const token = randomHex(32);
      const row: InvitationRow = {
        id: newId('ivt', now),
        workspace_id: authority.workspace,
        token_hash: sha256(token),
        email,
        role: given.role,
        invited_by: userId,
        created_at: now,
        expires_at: now + INVITED_MS,
      };
      return store.write(async (tx) => {
        // Locks the workspace, so that concurrent requests cannot exceed the limit.
        await holdWorkspace(tx.db, tx.dialect, authority.workspace);
        await sweepInvitations(tx.db, now);
        const [people, invited] = [await listPeople(tx.db, authority), await listInvitations(tx.db, authority, now)];
        if (await findUserByEmail(tx.db, email)) refuseKnown(email);
        if (invited.some((one) => one.email === email)) refuseInvited(email);
        if (people.length + invited.length >= MOST) refuseMore();
        await insertInvitation(tx.db, row);
        await tx.log(entryOf(authority, row.id, 'invited', `${email} invited as ${row.role}`));
        const names = await userNames(tx.db, [userId]);
        const made = { ...presentInvitation(row, names), url: `${rootUrl}/join?token=${token}` };
        await tx.key?.record(made);
        return made;
      });
    },

    /** Makes the link of an invitation invalid. */
    async revoke({ authority }: Whose, id: string) {
      await store.write(async (tx) => {
        const row =
          (await takeInvitation(tx.db, { workspace_id: authority.workspace, id })) ?? noSuch('invitation', id);
        await tx.log(entryOf(authority, id, 'invitation_revoked', `the invitation of ${row.email} was revoked`));
      });
      return { success: true, ok: true, id };
    },

    /** Gives a person another role. The owner hands the workspace over, and is an administrator from then on. */
    async change({ authority, userId }: Whose, id: string, role: Role) {
      const person = await personOf(authority, id);
      if (person.role !== role) {
        if (person.role === 'owner') refuseOwner('The role of the owner cannot be changed.');
        await store.write(async (tx) => {
          if (role === 'owner') await stepDown(tx, authority, userId);
          if (!(await changeRole(tx.db, person, role))) refuseMeanwhile();
          await tx.log(entryOf(authority, id, 'role_changed', `${person.email} is now ${role}`));
        });
        forget();
      }
      return presentPerson(await personOf(authority, id), userId);
    },

    /** What stops working if a person is removed: the API keys that they made. */
    async keysOf({ authority }: Whose, id: string) {
      const { id: known } = await personOf(authority, id);
      return keysMadeBy(store.db, known);
    },

    /** Removes a person, or lets them leave: sessions and apps end, and their API keys unless they are kept. */
    async remove({ authority, userId }: Whose, id: string, { endKeys }: Readonly<{ endKeys: boolean }>) {
      if (!authority.admin && id !== userId) noSuch('person', id);
      const person = await personOf(authority, id);
      if (person.role === 'owner') refuseOwner('The owner cannot be removed.');
      await store.write((tx) => removeWithin(tx, person, { endKeys, by: userId, now: clock.now() }));
      forget();
      return { success: true, ok: true, id };
    },
  });
}

function presentPerson({ id, name, email, role, disabled_at, created_at }: UserRow, you: string) {
  return { id, name, email, role, is_you: id === you, disabled: disabled_at !== null, created_at: isoTime(created_at) };
}

/** Makes the owner, who must be the one who asks, an administrator. */
async function stepDown(tx: Tx, authority: Authority, userId: string): Promise<void> {
  const owner = await findPerson(tx.db, authority, userId);
  if (owner?.role !== 'owner') {
    fail('auth.insufficient_scope', { message: 'Only the owner can hand the workspace over.' });
  }
  if (!(await changeRole(tx.db, owner, 'admin'))) refuseMeanwhile();
}

function notAnAddress(): never {
  fail('validation.field_invalid', { message: 'email must be an e-mail address.', meta: { field: 'email' } });
}

function refuseKnown(email: string): never {
  fail('resource.conflict', {
    message: `${email} is already the address of a user of this server.`,
    next: 'Use another address: each belongs to one workspace.',
    meta: { field: 'email' },
  });
}

function refuseInvited(email: string): never {
  fail('resource.conflict', {
    message: `${email} is already invited.`,
    next: 'Delete that invitation to make a new link.',
    meta: { field: 'email' },
  });
}

function refuseMore(): never {
  fail('resource.conflict', {
    message: `A workspace has at most ${MOST} people, with those who are invited.`,
    next: 'Remove a person or delete an invitation.',
    meta: { max: MOST },
  });
}

function refuseOwner(message: string): never {
  fail('resource.conflict', { message, next: 'Make another person the owner first.' });
}

function refuseMeanwhile(): never {
  fail('resource.conflict', {
    message: 'Somebody else changed this person meanwhile.',
    next: 'Load the people again, then decide.',
  });
}

export type People = ReturnType<typeof makePeople>;
