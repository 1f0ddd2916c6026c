import { loadAction, moveAction, postVersion, type ActionRow } from '#db/leash/actions.ts';
import { loadConnection } from '#db/leash/connections.ts';
import { findKey } from '#db/access/keys.ts';
import { isGrantAlive, tokenUser } from '#db/access/oauth.ts';
import { connectedAs, type Caller } from '#call/caller.ts';
import type { Answered, CrashPoint, Once } from '#call/ports.ts';
import { isRepeatable, type AnyTool } from '#call/tool.ts';
import { authorityOver, workspaceOf } from '#kernel/authority.ts';
import { fail, isPassing, type ApiError } from '#kernel/errors.ts';
import type { Scope } from '#kernel/scopes.ts';
import { applyEdits } from './edits.ts';
import { emitAction } from './events.ts';
import { openAction, sealAction, type HeldDeps } from './held.ts';

const SECOND = 1000;
/** How often what may work the next time is tried again, and until when. */
const AGAIN_MS = 30_000;
const TRIED_MS = 600_000;
/** Shorter than answers are kept under an Idempotency-Key: after that a run could not tell what was done. */
const LONGEST_MS = 23 * 3_600_000;

type Result = Answered & Readonly<{ error?: ApiError }>;

type RunDeps = HeldDeps &
  Readonly<{
    tools: ReadonlyMap<string, AnyTool>;
    /** Does a call of an approved action; a repeat gets what the first one has recorded. */
    perform(
      tool: AnyTool,
      input: object,
      run: Readonly<{ row: ActionRow; caller: Caller; recorded?: object | undefined; checkOnly?: boolean }>,
    ): Promise<Result>;
    once: Once;
    crash: CrashPoint;
  }>;

type Ended = Partial<Pick<ActionRow, 'state' | 'sealed' | 'error_code'>>;

/** Does what people agreed to, once each, whatever ends the process meanwhile. */
export function makeActionRunner({ store, clock, sealer, rootUrl, tools, perform, once, crash }: RunDeps) {
  /** The caller of a connection as it is now; undefined where it has ended. */
  async function callerOf({ connection_id }: ActionRow): Promise<Caller | undefined> {
    const connection = await loadConnection(store.db, connection_id);
    if (!connection || connection.ended_at !== null) return undefined;
    const { ref, kind, user_id } = connection;
    if (kind === 'oauth' && !(await isGrantAlive(store.db, ref, clock.now()))) return undefined;
    const user = await tokenUser(store.db, { id: user_id }).executeTakeFirst();
    if (!user) return undefined;
    const whole = authorityOver(user.workspace_id);
    const key = kind === 'key' ? await findKey(store.db, whole, ref) : undefined;
    if (kind === 'key' && key?.is_active !== 1) return undefined;
    const limits = key && { scopes: key.scopes as readonly Scope[], brands: key.brand_ids };
    const authority = authorityOver(user.workspace_id, limits);
    return {
      kind,
      id: ref,
      name: key?.name ?? user.name,
      userId: user_id,
      workspace: workspaceOf(user),
      ...connectedAs(ref, authority, connection),
    };
  }

  async function end(row: ActionRow, from: 'approved' | 'running', patch: Ended): Promise<void> {
    const done = patch.state === 'done';
    await store.write(async (tx) => {
      const moved = await moveAction(tx.db, row.id, from, { open_key: null, finished_at: clock.now(), ...patch });
      if (!moved) return;
      await emitAction(tx, done ? 'action.completed' : 'action.failed', { ...row, ...patch }, rootUrl);
    });
  }

  /** Whether the post that the action changes is the one that a person saw. */
  async function isAsSeen(row: ActionRow): Promise<boolean> {
    return (await postVersion(store.db, authorityOver(row.workspace_id), row)) === row.bound_version;
  }

  /** Refuses what would be refused if it were done now. */
  async function check(row: ActionRow, input: object): Promise<void> {
    const caller = (await callerOf(row)) ?? fail('resource.conflict', { message: 'This connection has ended.' });
    const tool = tools.get(row.tool) ?? fail('resource.gone');
    const { error } = await perform(tool, input, { row, caller, checkOnly: true });
    if (error) throw error;
  }

  /** Writes down what came of a call that was made. */
  async function conclude(row: ActionRow, { effect }: AnyTool, { status, body }: Answered): Promise<void> {
    const code = (body as { error?: { code?: string } }).error?.code ?? null;
    // What was to be removed and is not there any more was removed by this action, before it was interrupted.
    const isDone = status < 400 || (row.state === 'running' && status === 404 && effect === 'delete');
    const sealed = sealAction(sealer, row.id, { ...openAction(sealer, row), ...(status < 400 && { result: body }) });
    await end(row, 'running', isDone ? { state: 'done', sealed } : { state: 'failed', error_code: code });
  }

  async function run(id: string): Promise<{ again: number } | undefined> {
    const row = await loadAction(store.db, id);
    if (row?.state !== 'approved' && row?.state !== 'running') return undefined;
    const { state } = row;
    const failed = async (error_code: string) => {
      await end(row, state, { state: 'failed', error_code });
      return undefined;
    };
    const now = clock.now();
    const startedAt = row.started_at ?? now;
    if (now - startedAt > LONGEST_MS) return await failed('publishing.delivery.timeout');
    const caller = await callerOf(row);
    const tool = tools.get(row.tool);
    if (!caller || !tool) return await failed('auth.invalid_token');
    if (state === 'approved') {
      if (!(await isAsSeen(row))) return await failed('resource.conflict');
      await store.write((tx) => moveAction(tx.db, id, 'approved', { state: 'running', started_at: now }));
      crash('action.started');
    }
    const held = openAction(sealer, row);
    const input = applyEdits(held.input, held.edits ?? {});
    // The space keeps it apart from every key that a client can send.
    const keyed = { caller, operation: tool.name, key: `action ${id}`, hash: row.digest, requestId: id };
    const outcome = await once({ ...keyed, repeatable: isRepeatable(tool) }, (recorded) =>
      perform(tool, input, { row, caller, recorded }),
    ).catch((error: unknown) => waitFor(error));
    crash('action.performed');
    if (outcome === undefined || outcome.status === 503) return { again: SECOND };
    // What the platform did not say is looked for, and what it was too busy for is tried: nothing happens twice.
    const mayWork = outcome.status >= 500 || outcome.status === 429;
    if (mayWork && clock.now() - startedAt < TRIED_MS) return { again: AGAIN_MS };
    await conclude(row, tool, outcome);
    return undefined;
  }

  return Object.freeze({ run, check });
}

/** Another process has the call; whatever else is wrong goes on to the job. */
function waitFor(error: unknown): undefined {
  if (isPassing((error as { status?: number }).status ?? 0)) return undefined;
  throw error;
}
