import {
  insertInvitation,
  listInvitations,
  sweepInvitations,
  takeInvitation,
  type OpenInvitation,
} from '#db/access/signin.ts';
import {
  findOwner,
  findPerson,
  findUserByEmail,
  findWorkspaceOwner,
  listPeople,
  type UserRow,
} from '#db/access/users.ts';
import { keysMadeBy } from '#db/access/keys.ts';
import type { QueueMail } from '#db/outbox/mails.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import type { Authority } from '#kernel/authority.ts';
import { DAY, isoTime, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import { newId, randomHex } from '#kernel/ids.ts';
import { ADMINISTRATORS, wordsOf, type Role } from '#kernel/people/roles.ts';
import { sha256 } from '#kernel/sign.ts';
import { emailOf } from '#kernel/text/email.ts';
import { makeInvitationMails } from './invitation-mails.ts';
import { changePeople, entryOf, removeWithin, takeRole, whyNotOwner } from './changes.ts';

const INVITED_MS = 7 * DAY;
/** The most people in a workspace, with those who are invited; they are always listed as a whole. */
const MOST = 100;

type PeopleDeps = Readonly<{
  store: Store;
  clock: Clock;
  rootUrl: string;
  /** Undefined if no mail is configured. */
  queueMail: QueueMail | undefined;
  /** Set if an identity provider signs people in by email: an address then belongs to whoever it names. */
  ownAddressOnly: boolean;
  /** Called when what people may do has changed, so that this process clears its cache of callers. */
  forget(): void;
}>;

/** Who calls. */
type Whose = Pick<Caller, 'authority' | 'userId'>;

/** The people of a workspace: who they are, what they may do, and who is invited. */
export function makePeople({ store, clock, rootUrl, queueMail, ownAddressOnly, forget }: PeopleDeps) {
  const mails = queueMail && makeInvitationMails(clock, queueMail);

  return Object.freeze({
    /** Whether invitations are mailed too. */
    mailsInvitations: queueMail !== undefined,

    list: async ({ authority, userId }: Whose) =>
      (await listPeople(store.db, authority)).map((row) => presentPerson(row, userId)),

    /** The invitations that are open. */
    invitations: async ({ authority }: Whose) =>
      (await listInvitations(store.db, authority, clock.now())).map(presentInvitation),

    /** Invites somebody; the link in the answer is shown only once, and mailed if that is configured. */
    async invite({ authority, userId }: Whose, given: Readonly<{ email: string; role: Exclude<Role, 'owner'> }>) {
      if (ownAddressOnly) refuseInvitations();
      const email = emailOf(given.email) ?? notAnAddress();
      const token = randomHex(32);
      return changePeople(store, authority.workspace, async (tx) => {
        const now = clock.now();
        await sweepInvitations(tx.db, now);
        const inviter = await administrator(tx.db, authority, userId);
        await refuseAddress(tx.db, authority, email, now);
        const row = {
          id: newId('ivt', now),
          workspace_id: authority.workspace,
          token_hash: sha256(token),
          email,
          role: given.role,
          invited_by: userId,
          created_at: now,
          expires_at: now + INVITED_MS,
        };
        await insertInvitation(tx.db, row);
        const what = `${inviter.name} invited somebody as ${wordsOf(row.role).title}`;
        await tx.log(entryOf(authority, row.id, 'invited', what));
        const invitation = presentInvitation({ ...row, inviter: inviter.name });
        const url = `${rootUrl}/join?token=${token}`;
        const owner = (await findWorkspaceOwner(tx.db, authority.workspace))?.name ?? inviter.name;
        const mailed = (await mails?.send(tx, row, { inviter: inviter.name, owner, link: url, rootUrl })) ?? false;
        const made = { ...invitation, url, mailed };
        await tx.key?.record(made);
        return made;
      });
    },

    /** Makes the link of an invitation invalid. */
    async revoke({ authority, userId }: Whose, id: string) {
      await changePeople(store, authority.workspace, async (tx) => {
        await administrator(tx.db, authority, userId);
        const taken = await takeInvitation(tx.db, { workspace_id: authority.workspace, id });
        if (taken === undefined) noSuch('invitation', id);
        await tx.log(entryOf(authority, id, 'invitation_revoked', 'an invitation was revoked'));
      });
      return { success: true, ok: true, id };
    },

    /** Gives a person another role. The owner hands the workspace over, and is an administrator from then on. */
    async change({ authority, userId }: Whose, id: string, role: Role) {
      const person = await changePeople(store, authority.workspace, async (tx) => {
        const giver = await administrator(tx.db, authority, userId);
        const before = await personOf(tx.db, authority, id);
        if (before.role === role) return before;
        if (before.role === 'owner') refuseOwner('The role of the owner cannot be changed.');
        if (role === 'owner') refuseHandOver(giver, before);
        await takeRole(tx, before, role);
        return { ...before, role };
      });
      forget();
      return presentPerson(person, userId);
    },

    /** What stops working if a person is removed: the API keys that they made. */
    async keysOf({ authority }: Whose, id: string) {
      const { id: known } = await personOf(store.db, authority, id);
      return keysMadeBy(store.db, known);
    },

    /** Removes a person, or lets them leave: sessions and apps end, and the API keys, which others may keep. */
    async remove({ authority, userId }: Whose, id: string, { endKeys }: Readonly<{ endKeys: boolean }>) {
      if (!authority.admin && id !== userId) noSuch('person', id);
      await changePeople(store, authority.workspace, async (tx) => {
        if (id !== userId) await administrator(tx.db, authority, userId);
        const person = await personOf(tx.db, authority, id);
        if (person.role === 'owner') refuseOwner('The owner cannot be removed.');
        if ((await findOwner(tx.db))?.id === id) refuseServerOwner();
        await removeWithin(tx, person, { endKeys: endKeys || id === userId, by: userId, now: clock.now() });
      });
      forget();
      return { success: true, ok: true, id };
    },
  });
}

function presentPerson({ id, name, email, role, disabled_at, created_at }: UserRow, you: string) {
  return { id, name, email, role, is_you: id === you, disabled: disabled_at !== null, created_at: isoTime(created_at) };
}

function presentInvitation({ id, email, role, inviter, created_at, expires_at }: OpenInvitation) {
  const when = { created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
  return { id, email, role, invited_by: inviter, ...when };
}

async function personOf(db: Db, authority: Authority, id: string): Promise<UserRow> {
  return (await findPerson(db, authority, id)) ?? noSuch('person', id);
}

/** Who asks, refused if they were removed or given another role since the request came. */
async function administrator(db: Db, authority: Authority, userId: string): Promise<UserRow> {
  const person = (await findPerson(db, authority, userId)) ?? fail('auth.user_not_found');
  if (!ADMINISTRATORS.some((role) => role === person.role)) {
    fail('auth.insufficient_scope', { message: 'Only administrators of the workspace can do this.' });
  }
  return person;
}

/** Refuses an address that cannot become a person of the workspace, and anybody above the limit. */
export async function refuseAddress(db: Db, authority: Authority, email: string, now: number): Promise<void> {
  const known = await findUserByEmail(db, email);
  if (known?.workspace_id === authority.workspace) refuseMember(email);
  if (known !== undefined) refuseKnown(email);
  const [people, invited] = [await listPeople(db, authority), await listInvitations(db, authority, now)];
  if (invited.some((one) => one.email === email)) refuseInvited(email);
  if (people.length + invited.length >= MOST) refuseMore();
}

/** Refuses a hand-over by anybody but the owner, or to somebody who could not sign in. */
function refuseHandOver({ role }: UserRow, next: UserRow): void {
  if (role !== 'owner') fail('auth.insufficient_scope', { message: 'Only the owner can hand the workspace over.' });
  const why = whyNotOwner(next);
  if (why === undefined) return;
  fail('resource.conflict', {
    message: `${next.email} ${why === 'disabled' ? 'is disabled' : 'has no password'} and could not sign in.`,
    next: `Ask the operator of the server to ${why === 'disabled' ? 'enable them' : 'set one'} first.`,
  });
}

function refuseInvitations(): never {
  fail('resource.conflict', {
    message: 'This server signs people in with an identity provider, which says to whom an address belongs.',
    next: 'Ask the operator of the server to add the person with rostra user create.',
  });
}

function refuseServerOwner(): never {
  fail('resource.conflict', {
    message: 'This person is the owner of the server.',
    next: 'Ask the operator of the server to make somebody else its owner first.',
  });
}

function notAnAddress(): never {
  fail('validation.field_invalid', { message: 'email must be an e-mail address.', meta: { field: 'email' } });
}

function refuseMember(email: string): never {
  fail('resource.conflict', {
    message: `${email} is already in this workspace.`,
    next: 'Change their role with update_person instead.',
    meta: { field: 'email' },
  });
}

export function refuseKnown(email: string): never {
  fail('resource.conflict', {
    message: `${email} is already the address of a user of this server.`,
    next: 'Use another address: each belongs to one workspace.',
    meta: { field: 'email' },
  });
}

function refuseInvited(email: string): never {
  fail('resource.conflict', {
    message: `${email} is already invited.`,
    next: 'Revoke that invitation to make a new link.',
    meta: { field: 'email' },
  });
}

function refuseMore(): never {
  fail('resource.conflict', {
    message: `A workspace has at most ${MOST} people, with those who are invited.`,
    next: 'Remove a person or revoke an invitation.',
    meta: { max: MOST },
  });
}

function refuseOwner(message: string): never {
  fail('resource.conflict', { message, next: 'Make another person the owner first.' });
}

export type People = ReturnType<typeof makePeople>;
