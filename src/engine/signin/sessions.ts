import { deleteSession, insertSession, presentedSession, prolongSession, sweepSessions } from '#db/access/signin.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import { authorityOf, workspaceOf } from '#kernel/authority.ts';
import { DAY, type Clock } from '#kernel/clock.ts';
import { randomHex } from '#kernel/ids.ts';
import type { Role } from '#kernel/people/roles.ts';
import { sha256 } from '#kernel/sign.ts';

/** Maximum lifetime of a session; an unused one ends earlier. */
const LONGEST_MS = 30 * DAY;
const IDLE_MS = 7 * DAY;
const LONGEST_AGENT = 300;
/** The expiry is updated rarely, so that reading a page seldom causes a write. */
const MOVE_MS = 3_600_000;

type WebSessionsDeps = Readonly<{ store: Store; clock: Clock }>;

/** A person who is signed in with a browser. */
export type Visitor = Readonly<{
  /** The SHA-256 of the cookie; what pages and logs show is derived from it. */
  sessionId: string;
  email: string;
  role: Role;
  /** The caller as which the person runs operations. */
  caller: Caller;
}>;

/** Browser sessions: cookies hold 256 random bits, and the store their hash. */
export function makeWebSessions({ store, clock }: WebSessionsDeps) {
  const find = store.prepared(presentedSession);
  const endOf = (createdAt: number, now: number) => Math.min(createdAt + LONGEST_MS, now + IDLE_MS);

  return Object.freeze({
    /** Starts a session in a transaction, always with a new token; returns the token. */
    async begin(tx: Tx, userId: string, agent?: string): Promise<string> {
      const now = clock.now();
      const token = randomHex(32);
      await sweepSessions(tx.db, now);
      await insertSession(tx.db, {
        id: sha256(token),
        user_id: userId,
        created_at: now,
        expires_at: endOf(now, now),
        agent: agent?.slice(0, LONGEST_AGENT) ?? null,
      });
      return token;
    },

    /** The visitor with this token, if it is valid. */
    async visitor(token: string): Promise<Visitor | undefined> {
      const now = clock.now();
      const row = await find({ id: sha256(token), now });
      if (!row) return undefined;
      const end = endOf(row.created_at, now);
      if (end - row.expires_at >= MOVE_MS) await store.write((tx) => prolongSession(tx.db, row.id, end));
      return Object.freeze({
        sessionId: row.id,
        email: row.email,
        role: row.role,
        caller: Object.freeze({
          kind: 'dashboard',
          id: row.id,
          name: row.name,
          userId: row.user_id,
          workspace: workspaceOf(row),
          authority: authorityOf(row, { dashboard: true }),
        }),
      });
    },

    end: (token: string) => store.write((tx) => deleteSession(tx.db, sha256(token))),
  });
}
