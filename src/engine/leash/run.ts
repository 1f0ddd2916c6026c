import { SECOND } from '#kernel/clock.ts';
import { loadAction, moveAction, type ActionRow } from '#db/leash/actions.ts';
import { holdConnection } from '#db/leash/connections.ts';
import type { Caller } from '#call/caller.ts';
import type { Call } from '#call/context.ts';
import type { Answered, CrashPoint, Once } from '#call/ports.ts';
import { isRepeatable, type AnyTool } from '#call/tool.ts';
import { fail, isPassing, type ApiError } from '#kernel/errors.ts';
import { makeCallerOf } from './caller-of.ts';
import { applyEdits } from './edits.ts';
import { makeBound, seenIn } from './bound.ts';
import { emitAction } from './events.ts';
import type { HeldDeps } from './held.ts';
import { openAction, sealAction } from './sealed.ts';
import type { Tidy } from './tidy.ts';

/** How often to retry failures that may be temporary, and for how long. */
const AGAIN_MS = 30_000;
const TRIED_MS = 600_000;
/** Less than idempotency keys are kept: once the key is deleted, a run could not tell what was already done. */
const LONGEST_MS = 23 * 3_600_000;

type Refusal = Readonly<{ code: string; meta?: Readonly<Record<string, unknown>> }>;
type Result = Answered & Readonly<{ error?: ApiError }>;

type RunDeps = HeldDeps &
  Readonly<{
    tools: ReadonlyMap<string, AnyTool>;
    /** Executes the call of an approved action; a repeat gets what the first one recorded. */
    perform(
      tool: AnyTool,
      input: object,
      run: Readonly<{ row: ActionRow; caller: Caller; checkOnly?: boolean }> &
        Pick<Call, 'seen'> & { recorded?: object | undefined },
    ): Promise<Result>;
    once: Once;
    tidy: Tidy;
    crash: CrashPoint;
  }>;

type Ended = Partial<Pick<ActionRow, 'state' | 'sealed' | 'error_code'>>;

/** Stores that an action is over; if it failed, removes the media that were fetched for it. */
function makeEnd({ store, clock, rootUrl, tidy }: Pick<RunDeps, 'store' | 'clock' | 'rootUrl' | 'tidy'>) {
  return async function end(row: ActionRow, from: 'approved' | 'running', patch: Ended): Promise<undefined> {
    const done = patch.state === 'done';
    const over = { open_key: null, finished_at: clock.now(), ...(done && { file_ids: null }) };
    const moved = await store.write(async (tx) => {
      if (!(await moveAction(tx.db, row.id, from, { ...over, ...patch }))) return false;
      await emitAction(tx, done ? 'action.completed' : 'action.failed', { ...row, ...patch }, rootUrl);
      return true;
    });
    // If the action did not move, another process may have completed it using these files.
    if (moved && !done) await tidy([row]);
    return undefined;
  };
}

/** Marks an approved action as running, unless its caller may no longer call or it is no longer approved. */
function makeStart(store: RunDeps['store'], callerOf: ReturnType<typeof makeCallerOf>) {
  return function start(row: ActionRow, now: number): Promise<'started' | 'ended' | 'moved'> {
    return store.write(async ({ db, dialect }) => {
      // Whoever ends the connection, its key or its user locks it too, so nothing begins once that is answered.
      await holdConnection(db, dialect, row.connection_id);
      if (!(await callerOf(row, db))) return 'ended';
      const isStarted = await moveAction(db, row.id, 'approved', { state: 'running', started_at: now });
      return isStarted ? 'started' : 'moved';
    });
  };
}

/** Executes approved actions, each exactly once even if the process dies. */
export function makeActionRunner(deps: RunDeps) {
  const { store, clock, sealer, tools, perform, once, crash } = deps;
  const end = makeEnd(deps);
  const bound = makeBound({ store });
  const callerOf = makeCallerOf({ store, clock });
  const start = makeStart(store, callerOf);

  /** Refuses a call that would be refused if it were executed now. */
  async function check(row: ActionRow, input: object): Promise<void> {
    const caller = (await callerOf(row)) ?? fail('resource.conflict', { message: 'This connection has ended.' });
    const tool = tools.get(row.tool) ?? fail('resource.gone');
    const { error } = await perform(tool, input, { row, caller, checkOnly: true });
    if (error) throw error;
  }

  /** Stores the result of a call. */
  async function conclude(row: ActionRow, { status, body }: Answered, isDone: boolean): Promise<void> {
    const code = refusalIn(body)?.code ?? null;
    const { isUntouched: _, ...held } = openAction(sealer, row);
    const sealed = sealAction(sealer, row.id, { ...held, ...(status < 400 && { result: body }) });
    await end(row, 'running', isDone ? { state: 'done', sealed } : { state: 'failed', error_code: code });
  }

  /** Stores whether it is certain that the action has not taken any effect yet. */
  async function mark(row: ActionRow, isUntouched: boolean): Promise<void> {
    const sealed = sealAction(sealer, row.id, { ...openAction(sealer, row), isUntouched });
    await store.write((tx) => moveAction(tx.db, row.id, 'running', { sealed }));
  }

  /** Whether the action cannot have taken effect so far; records that from now on it may. */
  async function begin(row: ActionRow): Promise<boolean> {
    if (row.state === 'approved') return true;
    const { isUntouched = false } = openAction(sealer, row);
    if (isUntouched) await mark(row, false);
    return isUntouched;
  }

  /** Makes the call of an action; undefined if another process is making it. */
  async function attempt(row: ActionRow, tool: AnyTool, caller: Caller): Promise<Answered | undefined> {
    const { id, digest: hash } = row;
    const { input: asked, edits = {} } = openAction(sealer, row);
    const repeatable = isRepeatable(tool);
    const input = applyEdits(asked, edits);
    const seen = seenIn(asked, row);
    // The key contains a space, so it never equals a client's key.
    const keyed = { caller, operation: tool.name, key: `action ${id}`, hash, repeatable, requestId: id };
    const outcome = await once(keyed, (recorded) => perform(tool, input, { row, caller, recorded, seen })).catch(
      waitFor,
    );
    crash('action.performed');
    return outcome;
  }

  /** Makes the call and stores its result, unless the call is to be retried. */
  async function proceed(
    row: ActionRow,
    { tool, caller, until }: Readonly<{ tool: AnyTool; caller: Caller; until: number }>,
  ): Promise<{ again: number } | undefined> {
    const isUntouched = await begin(row);
    const outcome = await attempt(row, tool, caller);
    if (outcome === undefined || outcome.status === 503) return { again: SECOND };
    // Retrying is safe: an unknown outcome is looked up first, and a busy platform did nothing.
    const isBusy = outcome.status === 429;
    if ((outcome.status >= 500 || isBusy) && clock.now() < until) {
      if (isUntouched && isBusy) await mark(row, true);
      return { again: AGAIN_MS };
    }
    // If what it removes is missing on a retry, the interrupted attempt removed it, so the action succeeded.
    await conclude(row, outcome, outcome.status < 400 || (!isUntouched && isGone(tool, outcome)));
    return undefined;
  }

  async function run(id: string): Promise<{ again: number } | undefined> {
    const row = await loadAction(store.db, id);
    if (row?.state !== 'approved' && row?.state !== 'running') return undefined;
    const { state } = row;
    const endFailed = (error_code: string) => end(row, state, { state: 'failed', error_code });
    const now = clock.now();
    const startedAt = row.started_at ?? now;
    if (now - startedAt > LONGEST_MS) return await endFailed('publishing.delivery.timeout');
    const caller = await callerOf(row);
    const tool = tools.get(row.tool);
    if (!caller || !tool) return await endFailed('auth.invalid_token');
    if (state === 'approved') {
      const { input } = openAction(sealer, row);
      if ((await bound.versionOf({ ...row, input })) !== row.bound_version) return await endFailed('resource.conflict');
      const began = await start(row, now);
      if (began === 'ended') return await endFailed('auth.invalid_token');
      if (began === 'moved') return undefined;
      crash('action.started');
    }
    return proceed(row, { tool, caller, until: startedAt + TRIED_MS });
  }

  return Object.freeze({ run, check });
}

/** Whether a refusal means that the resource to remove does not exist. */
function isGone({ removes }: AnyTool, { status, body }: Answered): boolean {
  return status === 404 && removes !== undefined && refusalIn(body)?.meta?.['resource'] === removes;
}

function refusalIn(body: object): Refusal | undefined {
  return (body as { error?: Refusal }).error;
}

/** Swallows the error if another process has the call; other errors fail the job. */
function waitFor(error: unknown): undefined {
  if (isPassing((error as { status?: number }).status ?? 0)) return undefined;
  throw error;
}
