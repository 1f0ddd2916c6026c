import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server as ServerV2 } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/call/tool.ts';
import { envelopeMeta, legacy, modern, MODERN, send, serveMcp, toys, type Answered } from '../../harness/worlds/mcp.ts';
import { listen, stop } from '../../harness/sockets.ts';

/** The two official servers, as small as they can be: the same tool names, the same refusal of unknown ones. */
type Oracle = Readonly<{ url: string }>;

async function serve(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<Oracle> {
  const server = createServer(handle);
  afterAll(() => stop(server));
  return { url: `http://127.0.0.1:${await listen(server)}` };
}

const info = { name: 'oracle', version: '1' };
const tools = [{ name: 'list_accounts', inputSchema: { type: 'object' as const } }];
const result = () => ({ content: [{ type: 'text' as const, text: '{}' }] });

function serveV1(): Promise<Oracle> {
  return serve((req, res) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the low-level server is the one to compare with
    const server = new ServerV1(info, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      if (params.name !== 'list_accounts') throw new McpError(ErrorCode.InvalidParams, 'unknown tool');
      return result();
    });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    res.on('close', () => void server.close());
    void server.connect(transport).then(() => transport.handleRequest(req, res));
  });
}

function serveV2(): Promise<Oracle> {
  const handle = toNodeHandler(
    createMcpHandler(() => {
      // oxlint-disable-next-line typescript/no-deprecated -- the low-level server is the one to compare with
      const server = new ServerV2(info, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => ({ tools }));
      server.setRequestHandler('tools/call', ({ params }) => {
        if (params.name !== 'list_accounts') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown tool');
        return result();
      });
      return server;
    }),
  );
  return serve((req, res) => void handle(req, res));
}

type Case = Readonly<{
  name: string;
  sent: Parameters<typeof send>[1];
  /** Why an official server answers otherwise; absent where it must agree. */
  v1?: string;
  v2?: string;
}>;

const NO_MODERN = 'version 1 has no modern era: it reads the request as one of a session it does not know';
const ONE_BATCH = 'batches were allowed in 2025-03-26 alone; we refuse them in every version';
const LENIENT = 'we answer JSON to whoever does not list both types; the SDKs want both';
const NOT_RPC = 'version 1 calls JSON that is no message a parse error; it parses, so we call it an invalid request';
const VERSION_CODE = 'the SDKs use their own -32000; we name the versions under the code made for it';
const BAD_PARAMS = 'the SDKs turn some of their own schema errors into internal errors';
const HTTP_LEVEL = 'what HTTP refuses carries the envelope of the API, not a JSON-RPC error';
const NO_SESSION = 'version 1 ends a session it never began';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };

const legacyCases: readonly Case[] = [
  {
    name: 'initialize',
    sent: { body: legacy('initialize', hello) },
  },
  {
    name: 'initialize for a version nobody has',
    sent: { body: legacy('initialize', { ...hello, protocolVersion: 'v0' }) },
  },
  {
    name: 'initialize for the modern version',
    sent: { body: legacy('initialize', { ...hello, protocolVersion: MODERN }) },
  },
  { name: 'initialize without params', sent: { body: legacy('initialize') }, v1: BAD_PARAMS, v2: BAD_PARAMS },
  { name: 'ping', sent: { body: legacy('ping') } },
  { name: 'tools/list', sent: { body: legacy('tools/list') } },
  {
    name: 'tools/list under a version header',
    sent: { body: legacy('tools/list'), headers: { 'mcp-protocol-version': '2025-06-18' } },
  },
  { name: 'tools/call', sent: { body: legacy('tools/call', { name: 'list_accounts', arguments: {} }) } },
  { name: 'tools/call of an unknown tool', sent: { body: legacy('tools/call', { name: 'nothing' }) } },
  { name: 'tools/call without params', sent: { body: legacy('tools/call') }, v1: BAD_PARAMS },
  { name: 'an unknown method', sent: { body: legacy('no/such') } },
  { name: 'logging/setLevel undeclared', sent: { body: legacy('logging/setLevel', { level: 'info' }) } },
  { name: 'prompts/list undeclared', sent: { body: legacy('prompts/list') } },
  { name: 'a notification', sent: { body: { jsonrpc: '2.0', method: 'notifications/initialized' } } },
  { name: 'a response', sent: { body: { jsonrpc: '2.0', id: 1, result: {} } } },
  {
    name: 'an unknown version header',
    sent: { body: legacy('ping'), headers: { 'mcp-protocol-version': '2099-01-01' } },
    v1: VERSION_CODE,
    v2: VERSION_CODE,
  },
  { name: 'no JSON', sent: { raw: '{"a' } },
  { name: 'JSON that is no message', sent: { raw: '{"a":1}' }, v1: NOT_RPC },
  { name: 'a number', sent: { raw: '7' }, v1: NOT_RPC },
  { name: 'an empty batch', sent: { raw: '[]' }, v1: ONE_BATCH },
  { name: 'a batch', sent: { body: [legacy('ping')] }, v1: ONE_BATCH, v2: ONE_BATCH },
  {
    name: 'another content type',
    sent: { body: legacy('ping'), headers: { 'content-type': 'text/plain' } },
    v1: HTTP_LEVEL,
    v2: HTTP_LEVEL,
  },
  {
    name: 'an Accept of JSON alone',
    sent: { body: legacy('ping'), headers: { accept: 'application/json' } },
    v1: LENIENT,
    v2: LENIENT,
  },
  {
    name: 'an Accept of anything',
    sent: { body: legacy('ping'), headers: { accept: '*/*' } },
    v1: LENIENT,
    v2: LENIENT,
  },
  { name: 'DELETE', sent: { method: 'DELETE' }, v1: NO_SESSION, v2: HTTP_LEVEL },
];

const LIST = modern('tools/list');
const CALL = modern('tools/call', { name: 'list_accounts' });
const UNDER = { 'mcp-protocol-version': MODERN };

/** Version 1 has another answer to each of them. */
const modernCases: readonly Case[] = [
  { name: 'modern server/discover', sent: modern('server/discover') },
  { name: 'modern tools/list', sent: LIST },
  { name: 'modern tools/call', sent: CALL },
  { name: 'modern tools/call of an unknown tool', sent: modern('tools/call', { name: 'nothing' }) },
  { name: 'modern tools/call without a name', sent: modern('tools/call', {}) },
  { name: 'modern initialize', sent: modern('initialize') },
  { name: 'modern ping', sent: modern('ping') },
  { name: 'an unknown modern method', sent: modern('no/such') },
  { name: 'modern without _meta', sent: { ...LIST, body: legacy('tools/list') } },
  {
    name: 'modern without capabilities',
    sent: {
      ...LIST,
      body: legacy('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }),
    },
  },
  {
    name: 'modern under an older header',
    sent: { ...LIST, headers: { ...LIST.headers, 'mcp-protocol-version': '2025-11-25' } },
  },
  {
    name: 'modern without its version header',
    sent: { ...LIST, headers: { 'mcp-method': 'tools/list' } },
  },
  {
    name: 'modern without its method header',
    sent: { ...LIST, headers: { ...UNDER } },
  },
  {
    name: 'modern under another method',
    sent: { ...LIST, headers: { ...UNDER, 'mcp-method': 'ping' } },
  },
  {
    name: 'modern under another name',
    sent: {
      ...CALL,
      headers: { ...UNDER, 'mcp-method': 'tools/call', 'mcp-name': 'x' },
    },
  },
  {
    name: 'modern under a broken name',
    sent: {
      ...CALL,
      headers: { ...UNDER, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?!?=' },
    },
  },
  {
    name: 'a version nobody has',
    sent: {
      headers: { 'mcp-protocol-version': 'v9', 'mcp-method': 'tools/list' },
      body: legacy('tools/list', { _meta: { ...envelopeMeta, 'io.modelcontextprotocol/protocolVersion': 'v9' } }),
    },
  },
  {
    name: 'a modern notification',
    sent: {
      ...modern('notifications/cancelled'),
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
    },
  },
  {
    name: 'initialize under the modern header',
    sent: {
      headers: { ...UNDER, 'mcp-method': 'initialize' },
      body: legacy('initialize', { ...hello, protocolVersion: MODERN }),
    },
  },
];

const cases = [...legacyCases, ...modernCases.map((one) => ({ ...one, v1: NO_MODERN }))];

/** What is compared: the HTTP status and, of a message, the code of its error. */
function verdictOf({ status, json, messages }: Answered): string {
  const message = json ?? messages.at(-1);
  const code = message?.error?.code;
  return typeof code === 'number' ? `${status} ${code}` : String(status);
}

describe('beside the official servers', async () => {
  const [ours, v1, v2] = await Promise.all([serveMcp({ prompts: [] }, afterAll), serveV1(), serveV2()]);

  it.each(cases)('$name', async ({ sent, ...why }) => {
    const own = verdictOf(await send(ours.url, sent));
    const others = { v1: verdictOf(await send(v1.url, sent)), v2: verdictOf(await send(v2.url, sent)) };
    for (const version of ['v1', 'v2'] as const) {
      if (why[version] === undefined) expect(others[version], `${version} differs from ours`).toBe(own);
      else expect(others[version], `explained as "${why[version]}", but ${version} agrees`).not.toBe(own);
    }
  });
});

describe('official clients', async () => {
  const counting = defineTool({
    name: 'count',
    summary: 'Count to three.',
    http: { method: 'POST', path: '/count' },
    effect: 'read',
    access: { open: true },
    input: z.object({}),
    output: z.object({ counted: z.int() }),
    errors: [],
    async run(_, { progress }) {
      for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`);
      return { counted: 3 };
    },
  });
  const served = await serveMcp({ toolsets: toys(counting) }, afterAll);
  const options = { requestInit: { headers: { authorization: 'Bearer good' } } };

  it('of version 1 work', async () => {
    const client = new ClientV1(info);
    await client.connect(new TransportV1(new URL(`${served.url}/mcp`), options));
    expect(client.getServerVersion()).toMatchObject({ name: 'dev.rostra/toy' });
    // Listing first makes the client hold each answer against its output schema.
    const { tools: listed } = await client.listTools();
    expect(listed).toHaveLength(6);
    const post = await client.callTool({ name: 'get_post', arguments: { post_id: 'p1' } });
    expect(post.structuredContent).toMatchObject({ id: 'p1' });
    const gone = await client.callTool({ name: 'get_post', arguments: { post_id: 'gone' } });
    expect(gone.isError).toBe(true);
    const seen: number[] = [];
    await client.callTool({ name: 'count' }, undefined, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.readResource({ uri: 'social://accounts' })).contents).toHaveLength(1);
    await client.ping();
    await client.close();
  });

  it.each([
    ['legacy', 'legacy', '2025-11-25'],
    ['auto', 'auto', MODERN],
    ['pinned', { pin: MODERN }, MODERN],
  ] as const)('of version 2 work: %s', async (_, mode, version) => {
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(new URL(`${served.url}/mcp`), options));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools).toHaveLength(6);
    const post = await client.callTool({ name: 'get_post', arguments: { post_id: 'p1' } });
    expect(post.structuredContent).toMatchObject({ id: 'p1' });
    const gone = await client.callTool({ name: 'get_post', arguments: { post_id: 'gone' } });
    expect(gone.isError).toBe(true);
    const seen: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.readResource({ uri: 'social://accounts' })).contents).toHaveLength(1);
    await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
