import { countHeldOf, insertAction, isAsked, repeatedAction, type ActionRow } from '#db/leash/actions.ts';
import { countAct, holdConnection, loadConnection } from '#db/leash/connections.ts';
import type { Store } from '#db/store/store.ts';
import type { Queryable } from '#db/store/tx.ts';
import type { Caller } from '#call/caller.ts';
import type { Facade } from '#call/input.ts';
import type { Act } from '#kernel/acts.ts';
import { HOUR, dayOf, isoTime, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { newId } from '#kernel/ids.ts';
import { capOf, isFull, type Leash } from '#kernel/limits/leash.ts';
import type { Sealer } from '#kernel/seal.ts';
import { sha256 } from '#kernel/sign.ts';
import { canonicalJson } from '#kernel/text/json.ts';
import { accountsIn, timesIn } from './asked.ts';
import { makeBound } from './bound.ts';
import { emitAction, reviewUrl } from './events.ts';
import { openAction, sealAction } from './sealed.ts';

const HELD_MS = 72 * HOUR;
/** How long a repeated call gets the result of the first one. */
export const REPLAY_MS = 24 * HOUR;
/** How many actions of one connection may wait at the same time. */
const MOST_OPEN = 50;

export type HeldDeps = Readonly<{ store: Store; clock: Clock; sealer: Sealer; rootUrl: string }>;

export type HeldCall = Readonly<{
  tool: string;
  facade: Facade;
  act: Act;
  /** The input as the connection sent it, by which repeats are recognised. */
  asked: object;
  /** The input as it will be executed. */
  input: object;
  /** Ids of media that were fetched for the call. */
  files: readonly string[];
  /** The item of the inbox that the call answers. */
  item: string | undefined;
  reason: string;
}>;

/** Identifies equal calls: the same tool with the same input. */
export function digestOf(tool: string, input: object): string {
  return sha256(canonicalJson([tool, input]));
}

/** The response for a call that waits for approval. */
function presentHeld(row: ActionRow, rootUrl: string) {
  return {
    id: row.id,
    status: row.state,
    success: false,
    held: {
      act: row.act,
      reasons: row.reasons,
      review_url: reviewUrl(rootUrl, row.id),
      expires_at: isoTime(row.expires_at),
      next:
        'Not done yet: a person decides. Give the user review_url and go on. Repeating the call returns this action; ' +
        'read it with get_action, at most once a minute.',
    },
  };
}

/** Holds calls of connections until a person has decided about them. */
export function makeHeld({ store, clock, sealer, rootUrl }: HeldDeps) {
  const bound = makeBound({ store });

  function answerOf(row: ActionRow): object {
    if (row.state !== 'done') return presentHeld(row, rootUrl);
    return { ...openAction(sealer, row).result, action_id: row.id, replayed: true };
  }

  return Object.freeze({
    /** Counts an act that needs no approval; false if the daily cap is reached. */
    async count({ connection, policy }: Leash, workspaceId: string, act: Act): Promise<boolean> {
      const most = capOf(policy, act);
      if (most === undefined) return true;
      const row = { connection_id: connection, workspace_id: workspaceId, day: dayOf(clock.now()), act };
      return store.write((tx) => countAct(tx.db, row, most));
    },

    /** Whether an equal call is waiting, is running, or failed recently, which may have been after it took effect. */
    isAsked({ connection }: Leash, tool: string, input: object): Promise<boolean> {
      const since = clock.now() - REPLAY_MS;
      return isAsked(store.db, { connection, digest: digestOf(tool, input), since });
    },

    /** The response to a repeated call that is waiting or already done. */
    async repeated({ leash }: Caller, tool: string, asked: object): Promise<object | undefined> {
      const again = { connection: leash!.connection, digest: digestOf(tool, asked), since: clock.now() - REPLAY_MS };
      const before = await repeatedAction(store.db, again);
      return before && answerOf(before);
    },

    /**
     * Holds a call for approval. A repeat returns the same action, or its result once it is done; it stores nothing, so
     * its files are not kept.
     */
    async hold(
      { leash, workspace, userId, name }: Caller,
      call: HeldCall,
    ): Promise<Readonly<{ body: object; kept: boolean }>> {
      const { tool, facade, act, asked, input, files, item, reason } = call;
      const { connection } = leash!;
      const digest = digestOf(tool, asked);
      const now = clock.now();
      const again = { connection, digest, since: now - REPLAY_MS };
      const id = newId('act', now);
      const row: ActionRow = {
        id,
        workspace_id: workspace.id,
        connection_id: connection,
        client: name,
        user_id: userId,
        tool,
        facade,
        act,
        state: 'held',
        open_key: `${connection}:${digest}`,
        digest,
        sealed: sealAction(sealer, id, { input }),
        reasons: [reason],
        account_ids: accountsIn(input),
        brand_ids: leash!.policy.brand_ids ?? [],
        item: item ?? null,
        file_ids: files.length > 0 ? files : null,
        bound_version: null,
        expires_at: Math.min(now + HELD_MS, ...timesIn(input).filter((at) => at > now)),
        decided_by: null,
        decided_via: null,
        note: null,
        started_at: null,
        error_code: null,
        created_at: now,
        finished_at: null,
      };
      return store.write(async (tx) => {
        await refuseUnleashed(tx, connection);
        const before = await repeatedAction(tx.db, again);
        if (before) return { body: answerOf(before), kept: false };
        if ((await countHeldOf(tx.db, connection)) >= MOST_OPEN) fail('auth.leash_exhausted');
        const bound_version = await bound.versionOf({ ...row, input }, tx.db);
        await insertAction(tx.db, { ...row, bound_version });
        await tx.enqueue({ kind: 'expire_action', key: id, runAt: row.expires_at });
        await emitAction(tx, 'action.held', row, rootUrl);
        return { body: presentHeld(row, rootUrl), kept: true };
      });
    },
  });
}

/** Refuses to hold a call if its connection has ended or no longer needs approval. */
async function refuseUnleashed({ db, dialect }: Queryable, id: string): Promise<void> {
  await holdConnection(db, dialect, id);
  const connection = await loadConnection(db, id);
  if (connection?.ended_at === null && !isFull(connection.policy)) return;
  fail('resource.conflict', { message: 'What this connection may do has just changed.', next: 'Call it again.' });
}

export type Held = ReturnType<typeof makeHeld>;
