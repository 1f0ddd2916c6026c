import { endAudit, putAudit, removeAudit } from '#db/leash/audit.ts';
import type { NewRow, Row, RowPatch } from '#db/schema/database.ts';
import type { AuditCaller, AuditPlace, AuditVerdict } from '#db/schema/leash.ts';
import type { Store } from '#db/store/store.ts';
import type { Act } from '#kernel/acts.ts';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { Log } from '#kernel/log.ts';
import { inShort } from './arguments.ts';

export type { AuditPlace, AuditVerdict };

type AuditDeps = Readonly<{ store: Store; clock: Clock; log: Pick<Log, 'warn'> }>;

/** Something that was asked for, or happened. */
export type AuditEntry = Readonly<{
  workspaceId: string;
  userId?: string | undefined;
  connectionId?: string | undefined;
  caller: AuditCaller;
  /** Name of the key, app or person. */
  client: string;
  place: AuditPlace;
  requestId: string;
  /** An operation, or what a person did on a page, such as `sign_in`. */
  tool: string;
  act?: Act | undefined;
  verdict: AuditVerdict;
  input?: unknown;
  /** Of the client. */
  address?: string | undefined;
  actionId?: string | undefined;
}>;

/** What all entries of commands on the server share. */
export const COMMAND = Object.freeze({
  caller: 'server',
  place: 'command',
  requestId: '',
  verdict: 'allow',
} as const satisfies Partial<AuditEntry>);

/** What came of it. */
export type AuditEnd = Readonly<{
  verdict?: AuditVerdict;
  act?: Act;
  status?: number;
  code?: string | undefined;
  effectId?: string | undefined;
  actionId?: string | undefined;
  ms?: number;
}>;

/** Writes down what connections do or try, what people decide, and who comes in. */
export function makeAudit({ store, clock, log }: AuditDeps) {
  /** Doing what was agreed to is one row, however often it is begun. */
  const idOf = ({ verdict, actionId }: AuditEntry): string =>
    verdict === 'approved' && actionId !== undefined ? actionId.replace(/^act_/, 'aud_') : newId('aud', clock.now());

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
    /** Writes down what is about to be done; returns the row's id. Given one, only its verdict and act change. */
    async begin(entry: AuditEntry, id = idOf(entry)): Promise<string> {
      await store.write((tx) => putAudit(tx.db, rowOf(id, entry)));
      return id;
    },

    /** Writes down what came of it. The work is done: a failed write of this must not turn it into a failure. */
    async end(id: string, end: AuditEnd): Promise<void> {
      try {
        await store.write((tx) => endAudit(tx.db, id, columnsOf(end)));
      } catch (error) {
        log.warn({ error }, 'the end of a row of the audit was not stored');
      }
    },

    /** Writes down what has happened. */
    async note(entry: AuditEntry, end?: AuditEnd): Promise<void> {
      await store.write((tx) => putAudit(tx.db, rowOf(idOf(entry), entry, end)));
    },

    /** Does the work of `note` and leaves nothing behind, so that the time it takes tells nothing. */
    async rehearse(entry: AuditEntry, end?: AuditEnd): Promise<void> {
      const row = rowOf(idOf(entry), entry, end);
      await store.write(async (tx) => {
        await putAudit(tx.db, row);
        await removeAudit(tx.db, row.id);
      });
    },
  });
}

/** The entry of what nobody decided about in time. */
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
