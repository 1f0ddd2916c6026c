import { deleteSession, deleteSessionsOf, listSessions } from '#db/access/signin.ts';
import type { Store } from '#db/store/store.ts';
import { updateUser } from '#db/access/users.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Visitor } from './sessions.ts';

type DevicesDeps = Readonly<{ store: Store; clock: Clock }>;

/** What pages show of a session; the session's own id is not shown. */
export type Device = Readonly<{ id: string; agent: string | null; signedInAt: string; isThis: boolean }>;

const shownId = (sessionId: string): string => sha256(`shown ${sessionId}`).slice(0, 24);

/** What people can see and change about their own sign-in: their sessions and their name. */
export function makeDevices({ store, clock }: DevicesDeps) {
  return Object.freeze({
    /** The browsers in which a person is signed in; the current one comes first. */
    async devices({ caller, sessionId }: Visitor): Promise<readonly Device[]> {
      const rows = await listSessions(store.db, caller.userId, clock.now());
      const all = rows.map(({ id, agent, created_at }) => ({
        id: shownId(id),
        agent,
        signedInAt: isoTime(created_at),
        isThis: id === sessionId,
      }));
      return all.toSorted((a, b) => Number(b.isThis) - Number(a.isThis));
    },

    /** Ends a session of the person; a missing one has already ended. */
    async endDevice({ caller }: Visitor, id: string): Promise<void> {
      await store.write(async (tx) => {
        const rows = await listSessions(tx.db, caller.userId, clock.now());
        const found = rows.find((row) => shownId(row.id) === id);
        if (found) await deleteSession(tx.db, found.id);
      });
    },

    endOtherDevices: ({ caller, sessionId }: Visitor): Promise<void> =>
      store.write((tx) => deleteSessionsOf(tx.db, caller.userId, sessionId)),

    rename: ({ caller }: Visitor, name: string): Promise<void> =>
      store.write((tx) => updateUser(tx.db, caller.userId, { name })),
  });
}
