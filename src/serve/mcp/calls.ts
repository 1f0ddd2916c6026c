import type { AnyTool } from '#call/tool.ts';
import { explain } from '#kernel/envelope.ts';
import { quotedJsonOf } from '#kernel/text/prepared.ts';
import type { InvocationResult } from '../invoke.ts';
import type { Exchange, World } from './exchange.ts';
import { markForeign } from './answers/foreign.ts';
import { answerFor, refusalFor } from './answers/lean.ts';
import { inside, isRecord, META, refuse, RPC, type Answer, type Refusal } from './json-rpc.ts';

/** Answers `tools/call`: by the operation, or by its refusal as an error of the tool. */
export async function callTool(world: World, exchange: Exchange): Promise<Answer | Refusal> {
  const { name, arguments: given = {} } = exchange.params;
  if (typeof name !== 'string') return refuse(RPC.invalidParams, 'tools/call takes the name of a tool.');
  const entry = exchange.view.entries.get(name);
  if (entry === undefined) return refuse(RPC.invalidParams, `Unknown tool: ${name}. Call one of tools/list.`);
  if (!isRecord(given)) return refuse(RPC.invalidParams, 'The arguments of a tool are an object.');
  const outcome = await invokeFor(world, exchange, entry.tool, given, progressOf(exchange));
  return outcome.ok ? succeeded(outcome.body) : failed(outcome);
}

/** The text is the same JSON as the structured content: hosts forward one of them, and not all the same one. */
function succeeded(body: object): Answer {
  const { json, quoted } = quotedJsonOf(body);
  const marked = markForeign(json);
  const text = marked === json ? quoted : JSON.stringify(marked);
  return { inner: `"content":[{"type":"text","text":${text}}],"structuredContent":${marked}` };
}

/**
 * A failed call carries no structured content, and begins with words: some clients hold whatever they can read as JSON
 * there against the output schema, and show their own error instead of ours. The envelope stands behind the words.
 */
function failed({ body, status, headers, error }: Extract<InvocationResult, { ok: false }>): Answer {
  const seconds = headers['Retry-After'];
  const wait = seconds === undefined ? {} : { retry_after: Number(seconds) };
  const content = [explain(error), markForeign(JSON.stringify({ ...body, ...wait }))].map((text) => ({
    type: 'text',
    text,
  }));
  const { meta } = error.detail;
  const machine = { code: error.code, status, ...(meta && { meta }), ...wait };
  return {
    inner: inside({ content, isError: true }),
    meta: markForeign(inside({ [META.error]: machine })),
  };
}

/** Runs an operation for the caller of a request, and makes its answer one for assistants. */
export async function invokeFor(
  { invoke }: World,
  { caller, requestId, signal }: Exchange,
  tool: AnyTool,
  input: object,
  progress: Progress,
): Promise<InvocationResult> {
  const outcome = await invoke(tool, input, { facade: 'mcp', caller, requestId, signal, progress });
  const { ok, body } = outcome;
  return { ...outcome, body: ok ? answerFor(tool, input, body) : refusalFor(tool, body) };
}

type Progress = (done: number, total: number, message: string) => void;
export const silent: Progress = () => {};

/** Progress for whoever gave a token; what does not go forward is not said. */
function progressOf({ params, send }: Exchange): Progress {
  const progressToken = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return silent;
  let last = -1;
  return (progress, total, message) => {
    if (progress <= last) return;
    last = progress;
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total, message } });
  };
}
