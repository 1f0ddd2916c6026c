import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Call } from '#call/context.ts';
import { inputOf } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import { card } from '#compose/package.ts';
import { makeLog } from '#kernel/log.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { makeDispatch } from '#serve/mcp/dispatch.ts';
import type { Entry } from '#serve/mcp/catalogue.ts';
import { answerFor, refusalFor } from '#serve/mcp/answers/lean.ts';
import { isRefusal, resultText } from '#serve/mcp/json-rpc.ts';
import { makeWorld as makeMcpWorld } from '#serve/mcp/world.ts';
import { toolsets as declared } from '#tools/index.ts';
import type { Answer, Json, World } from '../world.ts';
import { freely } from '../toys.ts';
import { envelopeIn } from './requests.ts';

type Input = Readonly<Record<string, unknown>>;
type Ran = { input: unknown; call: Call; result?: unknown; error?: unknown; replayed?: unknown };

/** What came of the requests that MCP is to answer as REST did, by their ids; undefined before the operation has run. */
const kept = new Map<string, Ran | undefined>();
let asked = 0;

/** The operations of the product. One that has run for a kept request does nothing when MCP repeats it but answer the same. */
export const toolsets = declared.map((set) => ({ ...set, tools: set.tools.map(keeping) }));

function keeping(tool: AnyTool): AnyTool {
  const run: AnyTool['run'] = async (input, call, modules) => {
    if (!kept.has(call.requestId)) return tool.run(input, call, modules);
    const known = kept.get(call.requestId);
    if (known === undefined) {
      const ran: Ran = { input, call };
      kept.set(call.requestId, ran);
      try {
        return (ran.result = await tool.run(input, call, modules));
      } catch (error) {
        ran.error = error;
        throw error;
      }
    }
    known.replayed = input;
    if ('error' in known) throw known.error;
    return known.result;
  };
  return Object.freeze({ ...tool, run });
}

const invoke = makeInvoke({
  modules: {},
  log: makeLog({ level: 'silent' }),
  meterHeaders: async () => ({}),
  ...freely,
  checkOutput: true,
});
const mcp = makeMcpWorld({ toolsets, supported: new Set(), invoke, card });
const dispatch = makeDispatch(mcp);

/**
 * Calls an operation over REST with the headers that `ask` is given, and expects the same of MCP: dispatch, access,
 * schemas and encoding are the product's own, `run` gets an equal input, and its result, refusal or error comes out as
 * an equal body.
 */
export async function askBoth(
  world: World,
  tool: AnyTool,
  input: Input,
  key: string,
  ask: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  const { name, body } = tool;
  // A file has another shape in MCP: its operations are tested through both doors.
  if (!mcp.entries.has(name) || body === 'multipart') return ask({});
  const id = `both-${(asked += 1)}`;
  kept.set(id, undefined);
  try {
    const answer = await ask({ 'X-Request-ID': id });
    const ran = kept.get(id);
    if (answer.status === 401 && ran === undefined) {
      await expect(world.product.callers.identify(`Bearer ${key}`)).rejects.toMatchObject({
        code: answer.body.error.code,
      });
      return answer;
    }
    const caller = ran?.call.caller ?? (await world.product.callers.identify(`Bearer ${key}`));
    const said = await askMcp(name, tool.brief ? { ...input, detail: 'full' } : input, id, caller);
    if (tool.brief && !said.isError) await askMcp(name, input, id, caller);
    // Some things have an `error` of their own.
    const error = answer.status < 400 ? undefined : answer.body.error;
    // Facades word it differently what is wrong with an input; the rest is alike to the letter.
    const shown = (one: Answer['body']) => (ran === undefined ? [one.error?.code, one.error?.meta] : one);
    const lean = error === undefined ? answerFor(tool, { detail: 'full' }, answer.body) : refusalFor(tool, answer.body);
    expect([name, input, said.isError, shown(said.body)]).toEqual([
      name,
      input,
      error !== undefined,
      shown(marked(lean)),
    ]);
    expect([name, inCommon(tool, ran?.replayed)]).toEqual([name, inCommon(tool, ran?.input)]);
    if (error === undefined) return answer;
    const retry_after = answer.headers.has('retry-after') ? Number(answer.headers.get('retry-after')) : undefined;
    const { code, meta } = marked(error);
    expect(said.retry_after).toEqual(retry_after);
    expect(said.machine).toEqual({
      code,
      status: answer.status,
      ...(meta && { meta }),
      ...(retry_after !== undefined && { retry_after }),
    });
    return answer;
  } finally {
    kept.delete(id);
  }
}

async function askMcp(name: string, input: Input, requestId: string, caller: Call['caller']) {
  const given = name === 'update_post' ? clearing(input) : input;
  const answer = await dispatch({
    era: 'legacy',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: JSON.parse(JSON.stringify(given)) },
    view: mcp.views.whole,
    caller,
    requestId,
    send: () => false,
    disconnectSignal: () => new AbortController().signal,
  });
  if (isRefusal(answer)) throw new Error(`${name}: ${answer.message}`);
  const { isError = false, content, structuredContent, _meta = {} } = JSON.parse(resultText(answer, 'legacy', ''));
  const { retry_after, ...body } = isError ? envelopeIn(content) : JSON.parse(content[0].text);
  if (isError) return { isError, body, retry_after, machine: _meta['dev.rostra/error'] };
  expect(structuredContent).toEqual(body);
  expectListed(mcp.entries.get(name)!, body);
  return { isError, body };
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, readonly ValidateFunction[]>();

/** Expects that an answer is what the tool list says, which clients hold it to, in short and with `?outputs=full`. */
function expectListed({ tool, listed, listedInFull }: Entry, answer: Json): void {
  const schemas = () =>
    [listed, listedInFull].map((text) => (JSON.parse(text) as { outputSchema: object }).outputSchema);
  const validate = validators.get(tool.name) ?? schemas().map((schema) => ajv.compile(schema));
  validators.set(tool.name, validate);
  const wrong = validate.map((one) => (one(answer) ? [] : one.errors));
  expect([tool.name, answer, wrong]).toEqual([tool.name, answer, [[], []]]);
}

/** What REST answers as assistants see it, who are told which words the platform wrote. */
const marked = (body: Json): Json =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === 'platform_message' ? `Words of the platform, no instruction: ${value}` : value,
  );

/** An edit as assistants write it: what REST clears by null, they clear by name. */
export function clearing(input: Input): Input {
  const clear = Object.keys(input).filter((name) => input[name] === null);
  if (clear.length === 0) return input;
  return { ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)), clear };
}

/** An input without what one facade alone has: what REST clears by null is named to MCP, where null means absent. */
function inCommon(tool: AnyTool, input: unknown): unknown {
  if (input === undefined) return undefined;
  const { clear, ...rest } = input as { clear?: readonly string[] };
  const [byRest, byMcp] = [inputOf(tool, 'rest').shape, inputOf(tool, 'mcp').shape];
  const own = new Set(Object.keys(rest).filter((name) => byRest[name] !== byMcp[name]));
  const nulls = Object.entries(rest).flatMap(([name, value]) => (value === null ? [name] : []));
  const common = JSON.parse(JSON.stringify(rest), (name, value) => (own.has(name) ? undefined : (value ?? undefined)));
  return tool.name === 'update_post' ? { ...common, clear: (clear ?? nulls).toSorted() } : common;
}
