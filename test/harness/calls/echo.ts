import type { AnyTool, Toolset } from '#call/tool.ts';
import { makeLog } from '#kernel/log.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { makeDispatch } from '#serve/mcp/dispatch.ts';
import { isRefusal, resultText } from '#serve/mcp/json-rpc.ts';
import { makeWorld as makeMcpWorld } from '#serve/mcp/world.ts';
import { aCaller, freely } from '../toys.ts';
import { card } from '../worlds/mcp.ts';
import { envelopeIn } from './requests.ts';

/** Values of fields that take no other text. */
export const SAMPLES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['background', '#ffffff'],
  ['timezone', 'Africa/Lagos'],
  ['language', 'en_US'],
  ['code', '123456'],
  ['pin', '123456'],
  ['email', 'a@example.org'],
  ['to', '4915112345678'],
]);

/** Calls tools of MCP whose work is to answer what they were given. */
export function echoOf(toolsets: readonly Toolset[]) {
  const run = async (given: unknown) => ({ given });
  // What comes back is no list that could be shown in brief.
  const echoed = (tool: AnyTool) => ({ ...tool, run, ...(tool.brief && { brief: { ...tool.brief, of } }) });
  const of = (answer: object) => answer;
  const echoes = toolsets.map((set) => ({ ...set, tools: set.tools.map(echoed) }));
  const log = makeLog({ level: 'silent' });
  const invoke = makeInvoke({
    modules: {},
    log,
    meterHeaders: async () => ({}),
    ...freely,
    checkOutput: false,
  });
  const mcp = makeMcpWorld({ toolsets: echoes, supported: new Set(), invoke, card });
  const dispatch = makeDispatch(mcp);
  return async (name: string, input: unknown): Promise<unknown> => {
    const answer = await dispatch({
      era: 'legacy',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input },
      view: mcp.views.whole,
      caller: aCaller,
      requestId: 'req',
      send: () => false,
      disconnectSignal: () => new AbortController().signal,
    });
    if (isRefusal(answer)) throw new Error(answer.message);
    const { content, structuredContent, isError = false } = JSON.parse(resultText(answer, 'legacy', ''));
    return isError ? { refused: envelopeIn(content).error.message } : structuredContent.given;
  };
}
