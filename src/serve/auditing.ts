import type { Caller } from '#call/caller.ts';
import type { Facade } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import type { Call } from '#call/context.ts';
import type { Audit, AuditEntry, AuditPlace, AuditVerdict } from '#engine/audit/index.ts';
import type { Act } from '#kernel/acts.ts';
import { ApiError } from '#kernel/errors.ts';
import { connectionIdOf } from '#kernel/limits/leash.ts';

/** The result of a call. */
type Result = Readonly<{ status: number; body: object; error?: ApiError | undefined; held?: boolean | undefined }>;

/** Records a call in the audit log: `begin` after the verdict and before any effect, `end` with the result. */
export type Note = Readonly<{
  /** Adds the input. A call refused before its input was read is recorded without it. */
  read(input: unknown): void;
  begin(verdict: AuditVerdict, act: Act): Promise<void>;
  end(result: Result): Promise<void>;
}>;

type Asked = Readonly<{ facade: Facade; input: unknown; approved?: boolean | undefined }> &
  Pick<Call, 'caller' | 'requestId' | 'page'>;

/**
 * Whether calls are recorded: those of apps and limited keys that change something, what people do beyond drafts, and
 * all administrative ones.
 */
export function isWrittenDown({ effect, act }: AnyTool, { kind, leash, newcomer }: Caller): boolean {
  if (effect === 'read' || newcomer !== undefined) return false;
  if (kind === 'dashboard') return act !== 'draft';
  return kind === 'oauth' || leash !== undefined || act === 'admin';
}

/** The audit log's entry for one call. */
export function noteOf(audit: Pick<Audit, 'begin' | 'end' | 'note'>, tool: AnyTool, asked: Omit<Asked, 'input'>): Note {
  let entry = entryOf(tool, { ...asked, input: {} });
  const started = performance.now();
  let id: string | undefined;

  return {
    read(input) {
      entry = entryOf(tool, { ...asked, input });
    },

    async begin(verdict, act) {
      // The composer saves drafts while a person types.
      if (act === 'draft' && asked.caller.kind === 'dashboard') return;
      id = await audit.begin({ ...entry, verdict, act }, id);
    },

    async end({ status, body, error, held = false }) {
      const isDenied = error?.code === 'auth.leash_denied';
      const code = error?.code;
      const denied = isDenied ? ({ verdict: 'deny', act: actIn(error) ?? tool.act! } as const) : undefined;
      // A call that was refused before its verdict had no effect.
      if (id === undefined) return denied && audit.note({ ...entry, ...denied }, { status, code });
      const ms = Math.round(performance.now() - started);
      const done = held
        ? { actionId: idIn(body, ['id']) }
        : { effectId: idIn(body, EFFECT), actionId: idIn(body, ['action_id']) };
      await audit.end(id, { ...denied, status, code, ms, ...(error === undefined && done) });
    },
  };
}

/** Records that the limits refused a call before its input was read. */
export async function noteRefusal(
  audit: Pick<Audit, 'note'>,
  tool: AnyTool,
  caller: Caller,
  { error, requestId }: Readonly<{ error: unknown; requestId: string }>,
): Promise<void> {
  if (!(error instanceof ApiError) || error.code !== 'auth.leash_denied' || !isWrittenDown(tool, caller)) return;
  const entry = entryOf(tool, { facade: 'rest', input: {}, caller, requestId });
  const { status, code } = error;
  await audit.note({ ...entry, verdict: 'deny', act: actIn(error) }, { status, code });
}

function entryOf(tool: AnyTool, { facade, input, caller, requestId, page, approved }: Asked): AuditEntry {
  return {
    workspaceId: caller.workspace.id,
    userId: caller.userId,
    connectionId: caller.kind === 'dashboard' ? undefined : connectionIdOf(caller.id),
    caller: caller.kind,
    client: caller.name,
    place: placeOf({ facade, page, approved }),
    requestId,
    tool: tool.name,
    act: tool.act,
    verdict: 'allow',
    input,
    actionId: approved === true ? requestId : actionIn(input),
  };
}

function placeOf({ facade, page, approved }: Pick<Asked, 'facade' | 'page' | 'approved'>): AuditPlace {
  if (approved === true) return 'job';
  return page === true ? 'page' : facade;
}

const actIn = ({ detail }: ApiError) => detail.meta?.['act'] as Act | undefined;

/** The action that a call names. A value that is not a valid action id is ignored. */
function actionIn(input: unknown): string | undefined {
  const id = idIn(input, ['action_id']);
  return id !== undefined && ACTION_ID.test(id) ? id : undefined;
}

const ACTION_ID = /^act_[0-9a-z]{26}$/;
const LONGEST_ID = 512;
/** Fields of results that name the created or changed object. */
const EFFECT = ['id', 'message_id', 'comment_id', 'reply_id', 'media_id'];

function idIn(value: unknown, names: readonly string[]): string | undefined {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const found = names.map((name) => fields[name]).find((id) => typeof id === 'string' && id !== '');
  return typeof found === 'string' && found.length <= LONGEST_ID ? found : undefined;
}
