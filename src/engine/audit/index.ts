import { endAudit, putAudit, removeAudit } from '#db/leash/audit.ts';
import type { NewRow, Row, RowPatch } from '#db/schema/database.ts';
import type { AuditCaller, AuditPlace, AuditVerdict } from '#db/schema/leash.ts';
import type { Store } from '#db/store/store.ts';
import type { Act } from '#kernel/acts.ts';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { windowAt } from '#kernel/limits/windows.ts';
import type { Log } from '#kernel/log.ts';
import { inShort } from './arguments.ts';

export type { AuditPlace, AuditVerdict };

/** How many refusals of one operation of a connection are recorded a minute, by each process. */
const MOST_REFUSALS = 20;

type AuditDeps = Readonly<{ store: Store; clock: Clock; log: Pick<Log, 'warn'> }>;

/** A request, a decision or an event to record. */
export type AuditEntry = Readonly<{
  workspaceId: string;
  userId?: string | undefined;
  connectionId?: string | undefined;
  caller: AuditCaller;
  /** The name of the key, app or person. */
  client: string;
  place: AuditPlace;
  requestId: string;
  /** An operation, or an action of a person on a page, such as `sign_in`. */
  tool: string;
  act?: Act | undefined;
  verdict: AuditVerdict;
  input?: unknown;
  /** The client's IP address. */
  address?: string | undefined;
  actionId?: string | undefined;
}>;

/** The fields that all entries for commands on the server have in common. */
export const COMMAND = Object.freeze({
  caller: 'server',
  place: 'command',
  requestId: '',
  verdict: 'allow',
} as const satisfies Partial<AuditEntry>);

/** The result to add to an entry. */
export type AuditEnd = Readonly<{
  verdict?: AuditVerdict;
  act?: Act;
  status?: number;
  code?: string | undefined;
  effectId?: string | undefined;
  actionId?: string | undefined;
  ms?: number;
}>;

/** Records what connections do or try, what people decide, and who signs in. */
export function makeAudit({ store, clock, log }: AuditDeps) {
  /** An approved action has a single row, even if it is begun several times. */
  const idOf = ({ verdict, actionId }: AuditEntry): string =>
    verdict === 'approved' && actionId !== undefined ? actionId.replace(/^act_/, 'aud_') : newId('aud', clock.now());

  const refusals = boundedMap<string, Readonly<{ minute: number; count: number }>>(1000);

  function isFlood({ connectionId, tool }: AuditEntry): boolean {
    if (connectionId === undefined) return false;
    const key = `${connectionId} ${tool}`;
    const minute = windowAt({ every: 'minute' }, clock.now()).start;
    const known = refusals.get(key);
    const count = known?.minute === minute ? known.count + 1 : 1;
    refusals.set(key, { minute, count });
    return count > MOST_REFUSALS;
  }

  function rowOf(id: string, entry: AuditEntry, end: AuditEnd = {}): NewRow<'audit'> {
    return {
      id,
      workspace_id: entry.workspaceId,
      at: clock.now(),
      user_id: entry.userId ?? null,
      connection_id: entry.connectionId ?? null,
      caller_kind: entry.caller,
      client: entry.client,
      facade: entry.place,
      request_id: entry.requestId,
      tool: entry.tool,
      act: entry.act ?? null,
      verdict: entry.verdict,
      args: inShort(entry.input),
      address: entry.address ?? null,
      status: null,
      code: null,
      effect_id: null,
      action_id: entry.actionId ?? null,
      ms: null,
      ...columnsOf(end),
    };
  }

  return Object.freeze({
    /** Records what is about to be done and returns the row's id. Given an id, changes only its verdict and act. */
    async begin(entry: AuditEntry, id = idOf(entry)): Promise<string> {
      await store.write((tx) => putAudit(tx.db, rowOf(id, entry)));
      return id;
    },

    /** Records the result. If that fails, it is only logged, as the call itself is already over. */
    async end(id: string, end: AuditEnd): Promise<void> {
      try {
        await store.write((tx) => endAudit(tx.db, id, columnsOf(end)));
      } catch (error) {
        log.warn({ error }, 'the end of a row of the audit was not stored');
      }
    },

    /** Records something that has happened. Of many refusals in a minute, only the first are recorded. */
    async note(entry: AuditEntry, end?: AuditEnd): Promise<void> {
      if (entry.verdict === 'deny' && isFlood(entry)) return;
      await store.write((tx) => putAudit(tx.db, rowOf(idOf(entry), entry, end)));
    },

    /** Writes and removes a row, so that the response time does not reveal whether something was recorded. */
    async rehearse(entry: AuditEntry, end?: AuditEnd): Promise<void> {
      const row = rowOf(idOf(entry), entry, end);
      await store.write(async (tx) => {
        await putAudit(tx.db, row);
        await removeAudit(tx.db, row.id);
      });
    },
  });
}

/** The entry for an action that nobody decided about in time. */
export function expiredEntry(action: Row<'actions'>): AuditEntry {
  return {
    workspaceId: action.workspace_id,
    userId: action.user_id,
    connectionId: action.connection_id,
    caller: 'server',
    client: 'nobody',
    place: 'job',
    requestId: action.id,
    tool: action.tool,
    act: action.act,
    verdict: 'expired',
    actionId: action.id,
  };
}

function columnsOf({ effectId, actionId, ...same }: AuditEnd): RowPatch<'audit'> {
  const patch = { ...same, effect_id: effectId, action_id: actionId };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

export type Audit = ReturnType<typeof makeAudit>;
