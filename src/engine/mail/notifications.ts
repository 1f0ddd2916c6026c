import { findPerson, findWorkspace, listPeople, patchWorkspace, updateUser, type UserRow } from '#db/access/users.ts';
import type { QueueMail } from '#db/outbox/mails.ts';
import { listNotifications, stillOpen, takeNotifications, type NotificationRow } from '#db/outbox/notifications.ts';
import type { Base } from '#call/ports.ts';
import type { Caller } from '#call/caller.ts';
import { DAY, MINUTE } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import {
  NOTIFICATION_KINDS,
  notificationsFor,
  notificationWords,
  type NotificationKind,
} from '#kernel/people/notifications.ts';

type NotificationsDeps = Pick<Base, 'store' | 'clock'> &
  Readonly<{
    rootUrl: string;
    /** Undefined if no mail server is configured. */
    queueMail: QueueMail | undefined;
  }>;

/** The shortest time between two mails with notifications to one person. */
const APART_MS = 15 * MINUTE;
/** How many notifications of a workspace are read at once. */
const READ = 500;
/** How many notifications of a kind a mail lists. */
const LISTED = 10;

type Whose = Pick<Caller, 'authority' | 'userId'>;

/** Notifies people by mail of what needs their attention, and keeps of what they want to be notified. */
export function makeNotifications({ store, clock, rootUrl, queueMail }: NotificationsDeps) {
  function present({ role, email, mailed_notifications }: UserRow) {
    const chosen = chosenBy(mailed_notifications);
    return {
      mail: queueMail !== undefined,
      email,
      notifications: notificationsFor(role).map((kind) => ({
        kind,
        ...notificationWords(kind),
        chosen: chosen.includes(kind),
      })),
    };
  }

  async function personOf({ authority, userId }: Whose): Promise<UserRow> {
    return (await findPerson(store.db, authority, userId)) ?? fail('auth.user_not_found');
  }

  /** The notifications about what is still open: somebody may have dealt with it meanwhile. */
  async function openOf(rows: readonly NotificationRow[]): Promise<readonly NotificationRow[]> {
    const found = await Promise.all(
      NOTIFICATION_KINDS.map(async (kind) => {
        const ids = rows.filter((row) => row.kind === kind).map(({ resource_id }) => resource_id);
        return [kind, await stillOpen(store.db, kind, [...new Set(ids)])] as const;
      }),
    );
    const open = new Map(found);
    const last = new Map(rows.map((row) => [`${row.kind} ${row.resource_id}`, row]));
    return [...last.values()].filter(({ kind, resource_id }) => open.get(kind)!.has(resource_id));
  }

  return Object.freeze({
    /** What the caller can be notified of by mail, and what of it they chose. */
    get: async (whose: Whose) => present(await personOf(whose)),

    /** Replaces what the caller is notified of by mail. Their choice for notifications of another role stays. */
    async choose(whose: Whose, kinds: readonly NotificationKind[]) {
      const person = await personOf(whose);
      const offered = notificationsFor(person.role);
      const others = chosenBy(person.mailed_notifications).filter((kind) => !offered.includes(kind));
      const mailed_notifications = [...others, ...offered.filter((kind) => kinds.includes(kind))].join();
      await store.write((tx) => updateUser(tx.db, person.id, { mailed_notifications }));
      return present({ ...person, mailed_notifications });
    },

    /** Mails what has come up in a workspace to its people, at most every 15 minutes. */
    async send(workspaceId: string): Promise<{ again: number } | undefined> {
      const workspace = await findWorkspace(store.db, workspaceId);
      if (workspace === undefined) return undefined;
      const now = clock.now();
      const wait = (workspace.notified_at ?? 0) + APART_MS - now;
      if (wait > 0) return { again: wait };
      const rows = await listNotifications(store.db, workspaceId, READ);
      if (rows.length === 0) return undefined;
      // Another process may have a mail server.
      if (queueMail === undefined && rows[0]!.created_at > now - DAY) return { again: MINUTE };
      const open = await openOf(rows);
      const people = await listPeople(store.db, { workspace: workspaceId });
      const ids = rows.map(({ event_id }) => event_id);
      await store.write(async (tx) => {
        // Another process may do the same: a new event ends the lease of this job.
        const taken = await takeNotifications(tx.db, ids);
        const ours = open.filter(({ event_id }) => taken.has(event_id));
        const mails = people.flatMap((person) => mailTo(person, ours, rootUrl) ?? []);
        if (mails.length === 0 || queueMail === undefined) return;
        await patchWorkspace(tx.db, workspaceId, { notified_at: now });
        const about = { workspaceId, kind: 'notification', expiresAt: now + DAY } as const;
        await Promise.all(mails.map((mail) => queueMail(tx, { ...mail, ...about })));
      });
      return rows.length === READ ? { again: APART_MS } : undefined;
    },
  });
}

const chosenBy = (stored: string | null): readonly NotificationKind[] =>
  stored === null ? NOTIFICATION_KINDS : NOTIFICATION_KINDS.filter((kind) => stored.split(',').includes(kind));

const SUBJECTS: Readonly<Record<NotificationKind, readonly [one: string, several: string]>> = Object.freeze({
  posts: ['A post failed', 'posts failed'],
  accounts: ['An account must be connected again', 'accounts must be connected again'],
  requests: ['A request waits for you', 'requests wait for you'],
});

const PAGES: Readonly<Record<NotificationKind, Readonly<{ all: string; one(id: string): string }>>> = Object.freeze({
  posts: { all: '/dashboard/posts?view=failed', one: (id) => `/dashboard/posts/${id}` },
  accounts: { all: '/dashboard/accounts', one: () => '/dashboard/accounts' },
  requests: { all: '/review', one: (id) => `/review/${id}` },
});

function headOf(kind: NotificationKind, count: number): string {
  const [one, several] = SUBJECTS[kind];
  return count === 1 ? one : `${count} ${several}`;
}

/** The mail to a person with the notifications that they want; undefined if there are none. */
function mailTo(
  { id: userId, name, email, role, disabled_at, mailed_notifications }: UserRow,
  open: readonly NotificationRow[],
  rootUrl: string,
) {
  if (disabled_at !== null) return undefined;
  const wanted = notificationsFor(role).filter((kind) => chosenBy(mailed_notifications).includes(kind));
  const parts = wanted.flatMap((kind) => {
    const rows = open.filter((row) => row.kind === kind);
    return rows.length === 0 ? [] : [{ kind, rows, head: headOf(kind, rows.length) }];
  });
  const [first] = parts;
  if (first === undefined) return undefined;
  const all = parts.reduce((sum, { rows }) => sum + rows.length, 0);
  const subject = parts.length === 1 ? first.head : `${all} things need your attention`;
  const text = [
    `Hello ${name},`,
    ...parts.map(({ kind, rows, head }) => sectionOf(kind, rows, head, rootUrl)),
    `Choose your notifications: ${rootUrl}/dashboard/notifications`,
  ].join('\n\n');
  return { userId, to: email, subject, text };
}

function sectionOf(kind: NotificationKind, rows: readonly NotificationRow[], head: string, rootUrl: string): string {
  const { all, one } = PAGES[kind];
  const lines = rows.slice(0, LISTED).map((row) => `- ${row.summary} ${rootUrl}${one(row.resource_id)}`);
  const more = rows.length > LISTED ? [`All of them: ${rootUrl}${all}`] : [];
  return [`${head}:`, ...lines, ...more].join('\n');
}

export type Notifications = ReturnType<typeof makeNotifications>;
