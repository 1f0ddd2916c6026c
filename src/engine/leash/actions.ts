import { listActions, loadAction, moveAction, seenAction, type ActionRow } from '#db/leash/actions.ts';
import { loadConnection } from '#db/leash/connections.ts';
import { userNames } from '#db/access/users.ts';
import type { ActionState } from '#db/schema/database.ts';
import type { Caller } from '#call/caller.ts';
import { isoTime } from '#kernel/clock.ts';
import { explain } from '#kernel/envelope.ts';
import { ApiError, fail, noSuch, type ErrorCode } from '#kernel/errors.ts';
import { connectionIdOf } from '#kernel/limits/leash.ts';
import { sha256 } from '#kernel/sign.ts';
import { makeBound } from './bound.ts';
import { applyEdits } from './edits.ts';
import { emitAction, reviewUrl } from './events.ts';
import type { HeldDeps } from './held.ts';
import { openAction, sealAction, type Sealed } from './sealed.ts';
import type { Tidy } from './tidy.ts';

type ActionsDeps = HeldDeps &
  Readonly<{
    /** Refuses an input that would be refused if it were executed now. */
    check(row: ActionRow, input: object): Promise<void>;
    tidy: Tidy;
  }>;

export type Decision = Readonly<{
  etag: string;
  edits?: Readonly<Record<string, string>> | undefined;
  note?: string | undefined;
}>;

/** Reads actions, for callers who may see them. */
function makeReader({ store, clock, sealer, rootUrl }: HeldDeps) {
  const bound = makeBound({ store });

  const readerOf = ({ authority, decides, id }: Caller) => ({
    authority,
    decides: decides === true,
    connection: connectionIdOf(id),
  });

  async function find(caller: Caller, id: string): Promise<ActionRow> {
    return (await seenAction(store, readerOf(caller), id)) ?? noSuch('action', id);
  }

  async function list(caller: Caller, state: ActionState | undefined) {
    return present(await listActions(store, readerOf(caller), state));
  }

  /** What an approval covers: the input, and the current versions of the posts that it changes. */
  async function etagOf(row: ActionRow) {
    const opened = openAction(sealer, row);
    const version = await bound.versionOf({ ...row, input: opened.input });
    return { version, etag: etagFor(row, version), opened };
  }

  /** Actions of one workspace in the API's format. */
  async function present(rows: readonly ActionRow[]) {
    const known = (ids: readonly (string | null)[]) => [...new Set(ids)].filter((id) => id !== null);
    const opened = rows.map((row) => openAction(sealer, row));
    const [versions, names] = await Promise.all([
      bound.versionsOf(rows.map((row, at) => ({ ...row, input: opened[at]!.input }))),
      userNames(store.db, known(rows.map(({ decided_by }) => decided_by))),
    ]);
    return rows.map((row, at) =>
      presentAction(row, opened[at]!, {
        etag: etagFor(row, versions.get(row.id) ?? null),
        decided_by: names.get(row.decided_by ?? '') ?? null,
      }),
    );
  }

  async function presentOne(row: ActionRow) {
    return (await present([row]))[0]!;
  }

  function presentAction(
    row: ActionRow,
    { input, edits, result }: Sealed,
    read: Readonly<{ etag: string; decided_by: string | null }>,
  ) {
    const code = row.error_code as ErrorCode | null;
    return {
      id: row.id,
      connection_id: row.connection_id,
      client: row.client,
      tool: row.tool,
      act: row.act,
      state: row.state,
      reasons: row.reasons,
      account_ids: row.account_ids,
      input: input as Readonly<Record<string, unknown>>,
      edits: edits ?? null,
      ...read,
      review_url: reviewUrl(rootUrl, row.id),
      note: row.note,
      outcome: (result as Readonly<Record<string, unknown>> | undefined) ?? null,
      error: code === null ? null : { code, message: explain(new ApiError(code)) },
      created_at: isoTime(row.created_at),
      expires_at: isoTime(row.expires_at),
      finished_at: isoTime(row.finished_at),
    };
  }

  function refuseDecision(caller: Caller, row: ActionRow): void {
    if (!caller.authority.dashboard && row.connection_id === connectionIdOf(caller.id)) {
      fail('auth.insufficient_scope', { message: 'Nobody can decide on their own request.' });
    }
    if (row.state === 'expired' || (row.state === 'held' && row.expires_at <= clock.now())) {
      fail('resource.gone', { message: 'This action has expired.', next: 'Ask for it again.' });
    }
    if (row.state !== 'held') decided(row);
  }

  /** An action that the caller may decide on, as they have read it. */
  async function toDecide(caller: Caller, id: string, seen: string) {
    const row = await find(caller, id);
    refuseDecision(caller, row);
    const { etag, ...now } = await etagOf(row);
    if (etag !== seen) {
      fail('resource.conflict', {
        message: 'The action, or the post that it changes, has changed since you read it.',
        next: 'Read it again with get_action, then decide.',
        meta: { id, etag },
      });
    }
    return { row, ...now };
  }

  return { find, list, toDecide, presentOne };
}

/** Ends an action that waits for a decision; false if it no longer waits. */
function makeEnd({ store, clock, rootUrl, tidy }: Omit<ActionsDeps, 'check'>) {
  return async function end(
    row: ActionRow,
    state: 'denied' | 'withdrawn' | 'expired',
    who: Partial<Pick<ActionRow, 'decided_by' | 'decided_via' | 'note'>> = {},
  ): Promise<boolean> {
    const ended = { state, open_key: null, finished_at: clock.now(), ...who } as const;
    const isEnded = await store.write(async (tx) => {
      if (!(await moveAction(tx.db, row.id, 'held', ended))) return false;
      if (state !== 'withdrawn') await emitAction(tx, `action.${state}`, { ...row, ...ended }, rootUrl);
      else
        await tx.log({
          workspaceId: row.workspace_id,
          category: 'api',
          action: 'action_withdrawn',
          status: 'skipped',
          resourceId: row.id,
          summary: `${row.tool}: withdrawn`,
        });
      return true;
    });
    if (isEnded) await tidy([row]);
    return isEnded;
  };
}

/** Actions that connections have requested, and people's decisions about them. */
export function makeActions(deps: ActionsDeps) {
  const { store, clock, sealer, rootUrl, check } = deps;
  const { find, list, toDecide, presentOne } = makeReader(deps);
  const end = makeEnd(deps);

  return Object.freeze({
    list,

    async get(caller: Caller, id: string) {
      return presentOne(await find(caller, id));
    },

    /** Withdraws an action that the caller requested. */
    async withdraw(caller: Caller, id: string) {
      const row = await find(caller, id);
      if (row.connection_id !== connectionIdOf(caller.id)) noSuch('action', id);
      if (!(await end(row, 'withdrawn')) && row.state !== 'withdrawn') decided(row);
      return { success: true, ok: true, id };
    },

    /** Approves an action, with the texts as the person edited them. */
    async approve(caller: Caller, via: 'page' | 'rest', id: string, { etag, edits = {}, note }: Decision) {
      const { row, version, opened } = await toDecide(caller, id, etag);
      const connection = await loadConnection(store.db, row.connection_id);
      if (connection?.ended_at !== null) decided({ ...row, state: 'withdrawn' });
      const { input } = opened;
      const changed = Object.keys(edits).length > 0;
      const edited = changed ? applyEdits(input, edits) : input;
      await check(row, edited);
      const sealed = sealAction(sealer, id, { input, ...(changed && { edits }) });
      const who = { decided_by: caller.userId, decided_via: via, note: note ?? null };
      await store.write(async (tx) => {
        const patch = { state: 'approved', sealed, bound_version: version, ...who } as const;
        if (!(await moveAction(tx.db, id, 'held', patch))) decided((await loadAction(tx.db, id)) ?? row);
        await tx.enqueue({ kind: 'run_action', key: id, runAt: clock.now() });
        await emitAction(tx, 'action.approved', { ...row, ...patch }, rootUrl);
      });
      return presentOne((await loadAction(store.db, id))!);
    },

    async deny(caller: Caller, via: 'page' | 'rest', id: string, { etag, note }: Decision) {
      const { row } = await toDecide(caller, id, etag);
      const who = { decided_by: caller.userId, decided_via: via, note: note ?? null };
      if (!(await end(row, 'denied', who))) decided((await loadAction(store.db, id)) ?? row);
      return presentOne((await loadAction(store.db, id))!);
    },

    /** Ends an action that nobody decided about in time; returns it if this call ended it. */
    async expire(id: string): Promise<ActionRow | undefined> {
      const row = await loadAction(store.db, id);
      if (row?.state !== 'held' || row.expires_at > clock.now()) return undefined;
      return (await end(row, 'expired')) ? row : undefined;
    },
  });
}

function etagFor({ digest }: ActionRow, version: string | null): string {
  return sha256(`${digest} ${version ?? ''}`).slice(0, 32);
}

function decided({ id, state }: Pick<ActionRow, 'id' | 'state'>): never {
  throw new ApiError('resource.conflict', { message: `This action is already ${state}.`, meta: { id, state } });
}

export type Actions = ReturnType<typeof makeActions>;
