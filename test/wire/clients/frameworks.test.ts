/** Libraries by which programs hand tools of MCP to a model, as npm has them: each converts all, reads and writes. */
import { expect, onTestFinished } from 'vitest';
import { it, type Json, type World } from '../../harness/world.ts';
import { describeClients, requireClient } from './installed.ts';

const urlOf = ({ root }: World) => `${root}/mcp?outputs=full`;
const headersOf = ({ key }: World) => ({ Authorization: `Bearer ${key}` });

async function namesOf(world: World): Promise<readonly string[]> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = { ...headersOf(world), 'Content-Type': 'application/json' };
  const answer = await fetch(urlOf(world), { method: 'POST', headers, body });
  const { result } = (await answer.json()) as Json;
  return result.tools.map(({ name }: Json) => name as string);
}

const textsIn = async (world: World): Promise<readonly string[]> =>
  (await world.rest('GET /v1/posts')).body.data.map(({ text }: Json) => text as string);

describeClients('AI SDK', () => {
  it('shows its model every tool, and calls those that it asks for', async ({ world, account }) => {
    const { createMCPClient } = requireClient('@ai-sdk/mcp');
    const { generateText, isStepCount } = requireClient('ai');
    const { MockLanguageModelV4 } = requireClient('ai/test');
    const transport = { type: 'http', url: urlOf(world), headers: headersOf(world) };
    const client = await createMCPClient({ transport });
    onTestFinished(() => client.close());

    const calls = [
      { toolName: 'list_accounts', input: '{}' },
      { toolName: 'create_post', input: JSON.stringify({ text: 'A draft', account_ids: [account.id] }) },
    ];
    const shown: string[][] = [];
    const model = new MockLanguageModelV4({
      doGenerate: async ({ tools }: Json) => {
        shown.push(tools.map(({ name }: Json) => name as string));
        const call = calls[shown.length - 1];
        const content = call
          ? { type: 'tool-call', toolCallId: `c${shown.length}`, ...call }
          : { type: 'text', text: '.' };
        const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
        return { content: [content], finishReason: { unified: call ? 'tool-calls' : 'stop' }, usage, warnings: [] };
      },
    });
    const { steps } = await generateText({
      model,
      tools: await client.tools(),
      prompt: 'Go on.',
      stopWhen: isStepCount(3),
    });
    expect(shown[0]!.toSorted()).toEqual((await namesOf(world)).toSorted());
    const [listed, made] = (steps as Json[]).flatMap(({ toolResults }) => toolResults);
    expect(JSON.stringify(listed.output)).toContain(account.id);
    expect(made.output.isError).not.toBe(true);
    expect(await textsIn(world)).toEqual(['A draft']);
  });
});

describeClients('LangChain', () => {
  it('makes a tool of every tool, which its models take, and calls them', async ({ world, account }) => {
    const { MultiServerMCPClient } = requireClient('@langchain/mcp-adapters');
    const { convertToOpenAITool } = requireClient('@langchain/core/utils/function_calling');
    const server = { transport: 'http', url: urlOf(world), headers: headersOf(world) };
    const client = new MultiServerMCPClient({ mcpServers: { rostra: server } });
    onTestFinished(() => client.close());
    const tools: readonly Json[] = await client.getTools();
    expect(tools.map(({ name }) => name as string).toSorted()).toEqual((await namesOf(world)).toSorted());
    for (const tool of tools) expect(convertToOpenAITool(tool).function.parameters.type).toBe('object');

    const call = (name: string, input: object) => tools.find((tool) => tool.name === name)!.invoke(input);
    expect(JSON.stringify(await call('list_accounts', {}))).toContain(account.id);
    await call('create_post', { text: 'A draft', account_ids: [account.id] });
    expect(await textsIn(world)).toEqual(['A draft']);
    await expect(call('get_post', { post_id: 'post_none' })).rejects.toThrow('Use an id from list_posts.');
  });
});

describeClients('OpenAI Agents SDK', () => {
  it('converts every tool that takes something to strict mode, and calls them', async ({ world, account }) => {
    const { getAllMcpTools, MCPServerStreamableHttp, RunContext } = requireClient('@openai/agents-core');
    const server = new MCPServerStreamableHttp({ url: urlOf(world), requestInit: { headers: headersOf(world) } });
    await server.connect();
    onTestFinished(() => server.close());
    const tools: readonly Json[] = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
    expect(tools.map(({ name }) => name as string).toSorted()).toEqual((await namesOf(world)).toSorted());
    // An object without members is an open one to it.
    const loose = tools.filter(({ strict }) => !strict);
    expect(loose.flatMap(({ parameters }) => Object.keys(parameters.properties))).toEqual([]);

    const call = (name: string, input: object): Promise<Json> =>
      tools.find((tool) => tool.name === name)!.invoke(new RunContext(), JSON.stringify(input));
    expect(JSON.stringify(await call('list_accounts', {}))).toContain(account.id);
    // What its model leaves out it has to send as null.
    await call('create_post', { text: 'A draft', title: null, account_ids: [account.id], scheduled_at: null });
    expect(await textsIn(world)).toEqual(['A draft']);
  });
});
