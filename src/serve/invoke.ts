import type { z } from 'zod';
import type { Caller } from '#call/caller.ts';
import { isAnswer, isStream, streaming, type Call } from '#call/context.ts';
import { inputOf, withoutDetail, type Facade } from '#call/input.ts';
import { isLeashable, type AnyTool, type Meter } from '#call/tool.ts';
import { envelope, type Reader } from '#kernel/envelope.ts';
import { ApiError, StoreUnavailable } from '#kernel/errors.ts';
import type { Audit, AuditVerdict } from '#engine/audit/index.ts';
import type { Answers } from '#engine/leash/answers.ts';
import type { Held } from '#engine/leash/held.ts';
import type { Act } from '#kernel/acts.ts';
import type { Log } from '#kernel/log.ts';
import { rehearse } from '#kernel/effects/rehearsal.ts';
import { actOf, refuseCaller } from './access.ts';
import { isWrittenDown, noteOf, type Note } from './auditing.ts';
import { holdCall, judge, NeedsAct, permitAct, type HeldFiles } from './holding.ts';
import { withOffsets } from './local-times.ts';
import { parseInput } from './parse-input.ts';
import { waitHeader } from './refusal-headers.ts';

type Invocation = Readonly<{
  facade: Facade;
  /** Who reads a refusal, if it is not a program. */
  reader?: Reader | undefined;
  caller: Caller;
  requestId: string;
  page?: Call['page'];
  timezone?: Call['timezone'];
  disconnectSignal: Call['disconnectSignal'];
  progress: Call['progress'];
  /** Set if `refuseCaller` has already passed: REST checks before it reads the body. */
  admitted?: boolean;
  /** The work that an earlier request with the same key recorded. It is completed, not run again. */
  recorded?: object | undefined;
  /** Set if a person has approved exactly this call. */
  approved?: boolean;
  /** Runs the checks only: refuses an input that would fail, or that a person cannot approve. */
  checkOnly?: boolean | undefined;
  /** The posts of an approved call, as they were when the person saw them. */
  seen?: Call['seen'];
}>;

/** A call whose input has been read. */
type Read = Readonly<{
  facade: Facade;
  input: unknown;
  parsed: unknown;
  call: Call;
  invocation: Omit<Invocation, 'facade' | 'admitted' | 'reader'>;
  note: Note | undefined;
}>;

export type InvocationResult =
  | Readonly<{
      ok: true;
      status: number;
      headers: Readonly<Record<string, string>>;
      body: object;
      /** The call was not run; it waits for a person. */
      held?: boolean;
      error?: undefined;
    }>
  | Readonly<{ ok: false; status: number; headers: Readonly<Record<string, string>>; body: object; error: ApiError }>;

export type Invoke = (tool: AnyTool, input: unknown, invocation: Invocation) => Promise<InvocationResult>;

type InvokeDeps = Readonly<{
  /** Modules that operations may call; each tool's `run` names those it needs. */
  modules: object;
  log: Log;
  /** Quota headers for a metered operation on a limited plan. */
  meterHeaders(caller: Caller, meter: Meter): Promise<Readonly<Record<string, string>>>;
  /** Calls that wait for a person. */
  held: HeldFiles & Pick<Held, 'count' | 'isAsked' | 'hold' | 'repeated'> & Pick<Answers, 'begun' | 'claim' | 'answer'>;
  /** Throws while the server is paused. */
  refusePaused?: () => void;
  /** The audit log. */
  audit: Pick<Audit, 'begin' | 'end' | 'note'>;
  /** Checks every response against its schema, in development and tests. */
  checkOutput: boolean;
}>;

const quietly = (): void => {};
const NONE: Readonly<Record<string, string>> = Object.freeze({});
/** Codes of a full disk, in errors from files such as uploaded media. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** When to retry if the store is unavailable or the disk is full. */
const STORE_RETRY_SECONDS = 5;

/** Runs a call: past due, access, parsing, limits, `run`, headers. Turns anything thrown into an error response. */
export function makeInvoke(deps: InvokeDeps): Invoke {
  const { modules, log, meterHeaders, held, audit, refusePaused, checkOutput } = deps;

  /** The call has already succeeded, so it must not fail because the usage cannot be read. */
  const headersOf = (caller: Caller, meter: Meter) =>
    meterHeaders(caller, meter).catch((error: unknown) => {
      log.warn({ error }, 'usage not read for the headers');
      return NONE;
    });

  async function perform(tool: AnyTool, read: Read): Promise<InvocationResult> {
    const { facade, input, parsed, call, invocation, note } = read;
    const { caller, recorded, checkOnly } = invocation;
    const check = (given: unknown, isForPerson: boolean) =>
      rehearse(() => tool.run(given, { ...call, permit: quietly, progress: quietly }, modules), isForPerson);
    if (checkOnly === true) {
      await check(parsed, true);
      return { ok: true, status: 200, headers: NONE, body: {} };
    }
    const leashed = { tool, facade, input, parsed, call, modules };
    const act = actOf(tool, parsed as object);
    const hold = async (needed: Act, reason: string): Promise<InvocationResult> => {
      await note?.begin('hold', needed);
      const body = await holdCall(held, leashed, { act: needed, reason, check });
      // A repeated call gets the outcome if the work has been done.
      const isHeld = 'held' in body;
      return { ok: true, status: isHeld ? 202 : (tool.http.status ?? 200), headers: NONE, body, held: isHeld };
    };
    const run = async (recorded: object | undefined): Promise<InvocationResult> => {
      await note?.begin(verdictOn(tool, { ...invocation, recorded }), act);
      const result: unknown = settles(tool, { recorded })
        ? await tool.resume!(recorded, parsed, call, modules)
        : await tool.run(parsed, call, modules);
      return succeed(tool, result, caller);
    };
    const isFree = caller.leash === undefined || !isLeashable(tool) || isDecided(tool, invocation);
    const { reason, claim } = isFree ? {} : await judge(held, leashed, act);
    if (reason !== undefined) return hold(act, reason);
    try {
      if (claim === undefined) return await run(recorded);
      const given = await held.answer(claim, { caller, operation: tool.name, requestId: call.requestId }, run);
      return given === undefined ? await perform(tool, read) : { ok: true, ...given };
    } catch (thrown) {
      const judged = thrown instanceof NeedsAct ? await judge(held, leashed, thrown.act) : {};
      if (judged.reason !== undefined) return hold((thrown as NeedsAct).act, judged.reason);
      throw thrown;
    }
  }

  async function succeed(tool: AnyTool, result: unknown, caller: Caller): Promise<InvocationResult> {
    const { meter } = tool;
    const raw = isAnswer(result) ? (result.body as object) : (result as object);
    const body = checkOutput ? checked(tool, raw) : raw;
    const headers = meter ? await headersOf(caller, meter) : NONE;
    if (!isAnswer(result)) return { ok: true, status: tool.http.status ?? 200, headers, body };
    return {
      ok: true,
      status: result.status ?? tool.http.status ?? 200,
      headers: result.headers ? { ...headers, ...result.headers } : headers,
      body,
    };
  }

  return async function invoke(tool, input, { facade, admitted, reader, ...invocation }) {
    const { caller, requestId, checkOnly } = invocation;
    let meter: Meter | undefined;
    const note =
      checkOnly !== true && isWrittenDown(tool, caller) ? noteOf(audit, tool, { ...invocation, facade }) : undefined;
    try {
      if (admitted !== true) refuseCaller(tool, caller);
      const { timezone } = invocation;
      const timed = timezone === undefined ? input : withOffsets(inputOf(tool, facade), input, timezone);
      const parsed = withoutDetail(tool, parseInput(tool, facade, timed));
      note?.read(input);
      if (reachesOut(tool, parsed)) refusePaused?.();
      meter = tool.meter;
      const call: Call = {
        ...invocation,
        workspace: caller.workspace,
        authority: caller.authority,
        permit: (act) => (isDecided(tool, invocation) ? undefined : permitAct(caller, act)),
      };
      const result = await perform(tool, { facade, input: timed, parsed, call, invocation, note });
      await note?.end(result);
      return result;
    } catch (thrown) {
      const error = presentError(thrown, tool, requestId, log);
      const headers = { ...(meter && (await headersOf(caller, meter))), ...waitHeader(error) };
      const body = envelope(error, requestId, reader);
      const result = { ok: false, status: error.status, headers, body, error } as const;
      await note?.end(result);
      return result;
    }
  };
}

/** Whether a repeated request completes the recorded work instead of running it again. */
const settles = ({ resume }: AnyTool, { recorded }: Pick<Invocation, 'recorded'>): boolean =>
  recorded !== undefined && resume !== undefined;

/** Whether no approval is needed any more: a person has given it, or the work was allowed when it began. */
const isDecided = (tool: AnyTool, invocation: Pick<Invocation, 'approved' | 'recorded'>): boolean =>
  invocation.approved === true || settles(tool, invocation);

/** Whether a call would change something at a platform, receiver or provider while the server is paused. */
function reachesOut({ effect, openWorld, whilePaused }: AnyTool, parsed: unknown): boolean {
  return effect !== 'read' && openWorld === true && whilePaused?.(parsed) !== true;
}

/** The audit verdict for a call that runs. */
function verdictOn(tool: AnyTool, invocation: Pick<Invocation, 'approved' | 'recorded'>): AuditVerdict {
  if (invocation.approved === true) return 'approved';
  return settles(tool, invocation) ? 'repeat' : 'allow';
}

/** Checks a result against its schema; a stream is checked part by part. */
function checked({ output }: AnyTool, body: object): object {
  const check = (value: unknown) => void (output as z.ZodObject).parse(value);
  if (!isStream(body)) {
    check(body);
    return body;
  }
  const next = async () => {
    const parts = await body.next();
    for (const part of parts ?? []) if (part.event === undefined) check(part.data);
    return parts;
  };
  return streaming({ next, close: body.close });
}

/** Turns anything thrown into an error for the caller. Unknown causes appear only in the log. */
export function presentError(thrown: unknown, tool: AnyTool | undefined, requestId: string, log: Log): ApiError {
  if (thrown instanceof ApiError && thrown.status > 0) {
    if (thrown.status >= 500 && thrown.cause !== undefined) {
      log.warn({ request_id: requestId, tool: tool?.name, code: thrown.code, error: thrown.cause }, 'upstream failed');
    }
    return thrown;
  }
  if (thrown instanceof StoreUnavailable) return new ApiError('http.503', { retryAfter: STORE_RETRY_SECONDS });
  if (FULL.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? '')) {
    log.warn({ request_id: requestId, tool: tool?.name, error: thrown }, 'the disk is full');
    return new ApiError('http.503', { retryAfter: STORE_RETRY_SECONDS });
  }
  log.error({ request_id: requestId, tool: tool?.name, error: thrown }, 'unexpected failure');
  return new ApiError('system.internal');
}
