import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { mcpClientProgram } from './installed.ts';

export type Reply = Readonly<{ isError: boolean; body: any }>;
type Schema = Readonly<{ type?: string; enum?: readonly string[] }>;
export type PublicTool = Readonly<{ name: string; required: Readonly<Record<string, Schema>> }>;

/** Starts the public MCP client against a server, and speaks to it as a desktop assistant would. */
export async function startMcpClient(baseUrl: string, apiKey: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpClientProgram],
    env: { SOCIALAPI_BASE_URL: baseUrl, SOCIALAPI_API_KEY: apiKey },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(transport);
  const prefix = 'social_api_';
  return Object.freeze({
    close: () => client.close(),
    /** The tools without their common prefix, with the input that they insist on. */
    async list(): Promise<PublicTool[]> {
      const { tools } = await client.listTools();
      return tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => ({
        name: name.slice(prefix.length),
        required: Object.fromEntries(required.map((field) => [field, properties[field] as Schema])),
      }));
    },
    async call(tool: string, input: Record<string, unknown> = {}): Promise<Reply> {
      const { isError, content } = await client.callTool({ name: prefix + tool, arguments: input });
      const [block] = content as [{ type: 'text'; text: string }];
      return { isError: isError === true, body: parse(block.text) };
    },
  });
}

/** The client hands on what is no JSON as it is, such as its own refusal of an input. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An input that the tool's schema lets pass, of things that do not exist. */
export function sampleInput({ required }: PublicTool): Record<string, unknown> {
  const samples: Record<string, unknown> = { integer: 1, boolean: true, object: {}, array: [] };
  return Object.fromEntries(
    Object.entries(required).map(([field, schema]) => [
      field,
      schema.enum?.[0] ?? samples[schema.type ?? ''] ?? 'none_1',
    ]),
  );
}
