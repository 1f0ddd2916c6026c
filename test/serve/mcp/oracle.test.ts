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
import { defineTool } from '#call/tool.ts';
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

type Sent = Parameters<typeof send>[1];
/** A name, what is sent, and why each official server answers otherwise; without a reason it must agree. */
type Case = readonly [name: string, sent: Sent, v1?: string, v2?: string];

const NO_MODERN = 'version 1 has no modern era: it reads the request as one of a session it does not know';
const ONE_BATCH = 'batches were allowed in 2025-03-26 alone; we refuse them in every version';
const LENIENT = 'we answer JSON to whoever does not list both types; the SDKs want both';
const NOT_RPC = 'version 1 calls JSON that is no message a parse error; it parses, so we call it an invalid request';
const VERSION_CODE = 'the SDKs use their own -32000; we name the versions under the code made for it';
const BAD_PARAMS = 'the SDKs turn some of their own schema errors into internal errors';
const HTTP_LEVEL = 'what HTTP refuses carries the envelope of the API, not a JSON-RPC error';
const NO_SESSION = 'version 1 ends a session it never began';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };

const PING = legacy('ping');

const legacyCases: readonly Case[] = [
  ['initialize', { body: legacy('initialize', hello) }],
  ['initialize for a version nobody has', { body: legacy('initialize', { ...hello, protocolVersion: 'v0' }) }],
  ['initialize for the modern version', { body: legacy('initialize', { ...hello, protocolVersion: MODERN }) }],
  ['initialize without params', { body: legacy('initialize') }, BAD_PARAMS, BAD_PARAMS],
  ['ping', { body: PING }],
  ['tools/list', { body: legacy('tools/list') }],
  [
    'tools/list under a version header',
    { body: legacy('tools/list'), headers: { 'mcp-protocol-version': '2025-06-18' } },
  ],
  ['tools/call', { body: legacy('tools/call', { name: 'list_accounts', arguments: {} }) }],
  ['tools/call of an unknown tool', { body: legacy('tools/call', { name: 'nothing' }) }],
  ['tools/call without params', { body: legacy('tools/call') }, BAD_PARAMS],
  ['an unknown method', { body: legacy('no/such') }],
  ['logging/setLevel undeclared', { body: legacy('logging/setLevel', { level: 'info' }) }],
  ['prompts/list undeclared', { body: legacy('prompts/list') }],
  ['a notification', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
  ['a response', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
  [
    'an unknown version header',
    { body: PING, headers: { 'mcp-protocol-version': '2099-01-01' } },
    VERSION_CODE,
    VERSION_CODE,
  ],
  ['no JSON', { raw: '{"a' }],
  ['JSON that is no message', { raw: '{"a":1}' }, NOT_RPC],
  ['a number', { raw: '7' }, NOT_RPC],
  ['an empty batch', { raw: '[]' }, ONE_BATCH],
  ['a batch', { body: [PING] }, ONE_BATCH, ONE_BATCH],
  ['another content type', { body: PING, headers: { 'content-type': 'text/plain' } }, HTTP_LEVEL, HTTP_LEVEL],
  ['an Accept of JSON alone', { body: PING, headers: { accept: 'application/json' } }, LENIENT, LENIENT],
  ['an Accept of anything', { body: PING, headers: { accept: '*/*' } }, LENIENT, LENIENT],
  ['DELETE', { method: 'DELETE' }, NO_SESSION, HTTP_LEVEL],
];

const LIST = modern('tools/list');
const CALL = modern('tools/call', { name: 'list_accounts' });
const UNDER = { 'mcp-protocol-version': MODERN };
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** Version 1 has another answer to each of them. */
const modernCases: readonly (readonly [name: string, sent: Sent])[] = [
  ['modern server/discover', modern('server/discover')],
  ['modern tools/list', LIST],
  ['modern tools/call', CALL],
  ['modern tools/call of an unknown tool', modern('tools/call', { name: 'nothing' })],
  ['modern tools/call without a name', modern('tools/call', {})],
  ['modern initialize', modern('initialize')],
  ['modern ping', modern('ping')],
  ['an unknown modern method', modern('no/such')],
  ['modern without _meta', { ...LIST, body: legacy('tools/list') }],
  ['modern without capabilities', { ...LIST, body: legacy('tools/list', { _meta: { [VERSION]: MODERN } }) }],
  ['modern under an older header', { ...LIST, headers: { ...LIST.headers, 'mcp-protocol-version': '2025-11-25' } }],
  ['modern without its version header', { ...LIST, headers: { 'mcp-method': 'tools/list' } }],
  ['modern without its method header', { ...LIST, headers: UNDER }],
  ['modern under another method', { ...LIST, headers: { ...UNDER, 'mcp-method': 'ping' } }],
  ['modern under another name', { ...CALL, headers: { ...CALL.headers, 'mcp-name': 'x' } }],
  ['modern under a broken name', { ...CALL, headers: { ...CALL.headers, 'mcp-name': '=?base64?!?=' } }],
  [
    'a version nobody has',
    {
      headers: { 'mcp-protocol-version': 'v9', 'mcp-method': 'tools/list' },
      body: legacy('tools/list', { _meta: { ...envelopeMeta, [VERSION]: 'v9' } }),
    },
  ],
  [
    'a modern notification',
    {
      ...modern('notifications/cancelled'),
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} },
    },
  ],
  [
    'initialize under the modern header',
    {
      headers: { ...UNDER, 'mcp-method': 'initialize' },
      body: legacy('initialize', { ...hello, protocolVersion: MODERN }),
    },
  ],
];

const cases = [...legacyCases, ...modernCases.map((one): Case => [...one, NO_MODERN])];

/** What is compared: the HTTP status and, of a message, the code of its error. */
function verdictOf({ status, json, messages }: Answered): string {
  const message = json ?? messages.at(-1);
  const code = message?.error?.code;
  return typeof code === 'number' ? `${status} ${code}` : String(status);
}

describe('beside the official servers', async () => {
  const [ours, v1, v2] = await Promise.all([serveMcp({ prompts: [] }, afterAll), serveV1(), serveV2()]);

  it.for(cases)('%s', async ([, sent, ...why]) => {
    const own = verdictOf(await send(ours.url, sent));
    for (const [index, official] of [v1, v2].entries()) {
      const other = verdictOf(await send(official.url, sent));
      const version = `v${index + 1}`;
      if (why[index] === undefined) expect(other, `${version} differs from ours`).toBe(own);
      else expect(other, `explained as "${why[index]}", but ${version} agrees`).not.toBe(own);
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

  /** What a client does once it is connected; `count` calls the tool that reports its progress. */
  async function expectAtWork(
    client: ClientV1 | ClientV2,
    count: (options: { onprogress: (step: { progress: number }) => void }) => Promise<unknown>,
  ): Promise<void> {
    // Listing first makes the client hold each answer against its output schema.
    expect((await client.listTools()).tools).toHaveLength(6);
    const post = await client.callTool({ name: 'get_post', arguments: { post_id: 'p1' } });
    expect(post.structuredContent).toMatchObject({ id: 'p1' });
    const gone = await client.callTool({ name: 'get_post', arguments: { post_id: 'gone' } });
    expect(gone.isError).toBe(true);
    const seen: number[] = [];
    await count({ onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.readResource({ uri: 'social://accounts' })).contents).toHaveLength(1);
  }

  it('of version 1 work', async () => {
    const client = new ClientV1(info);
    await client.connect(new TransportV1(new URL(`${served.url}/mcp`), options));
    expect(client.getServerVersion()).toMatchObject({ name: 'dev.rostra/toy' });
    await expectAtWork(client, (watching) => client.callTool({ name: 'count' }, undefined, watching));
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
    await expectAtWork(client, (watching) => client.callTool({ name: 'count' }, watching));
    await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
