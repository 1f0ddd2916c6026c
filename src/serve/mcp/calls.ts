import type { AnyTool } from '#call/tool.ts';
import { explain } from '#kernel/envelope.ts';
import { isPrepared, quotedJsonOf } from '#kernel/text/prepared.ts';
import type { InvocationResult } from '../invoke.ts';
import type { Exchange, World } from './exchange.ts';
import { markForeign } from './answers/foreign.ts';
import { answerFor, refusalFor } from './answers/lean.ts';
import { inside, isRecord, META, refuse, RPC, type Answer, type Refusal } from './json-rpc.ts';

/** Responds to `tools/call` with the operation's result, or with its refusal as a tool error. */
export async function callTool(world: World, exchange: Exchange): Promise<Answer | Refusal> {
  const { name, arguments: given = {} } = exchange.params;
  if (typeof name !== 'string') return refuse(RPC.invalidParams, 'tools/call needs the name of a tool.');
  const entry = exchange.view.entries.get(name);
  if (entry === undefined) return refuse(RPC.invalidParams, `Unknown tool: ${name}. Call one of tools/list.`);
  exchange.called?.(name);
  if (!isRecord(given)) return refuse(RPC.invalidParams, 'The arguments of a tool must be an object.');
  const outcome = await invokeFor(world, exchange, entry.tool, given, progressOf(exchange));
  return outcome.ok ? succeeded(outcome.body) : refusalOf(outcome);
}

const written = new WeakMap<object, Answer>();

/** A result that is the same for every call is written only once. */
function succeeded(body: object): Answer {
  if (!isPrepared(body)) return write(body);
  const known = written.get(body) ?? write(body);
  written.set(body, known);
  return known;
}

/** The text repeats the structured content as JSON, because hosts pass on only one of them. */
function write(body: object): Answer {
  const { json, quoted } = quotedJsonOf(body);
  const marked = markForeign(json);
  const text = marked === json ? quoted : JSON.stringify(marked);
  return { inner: `"content":[{"type":"text","text":${text}}],"structuredContent":${marked}` };
}

/** A refusal begins with a sentence and has no structured content, as some clients would validate that. */
function refusalOf({ body, status, headers, error }: Extract<InvocationResult, { ok: false }>): Answer {
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

/** Runs an operation and reduces its result for assistants. */
export async function invokeFor(
  { invoke }: World,
  { caller, requestId, disconnectSignal }: Exchange,
  tool: AnyTool,
  input: object,
  progress: Progress,
): Promise<InvocationResult> {
  const outcome = await invoke(tool, input, { facade: 'mcp', caller, requestId, disconnectSignal, progress });
  const { ok, body } = outcome;
  if (ok && outcome.held) return outcome;
  return { ...outcome, body: ok ? answerFor(tool, input, body) : refusalFor(tool, body) };
}

type Progress = (done: number, total: number, message: string) => void;
export const silent: Progress = () => {};

/** Progress for clients that sent a token. Only increases are sent. */
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
