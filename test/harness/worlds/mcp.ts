import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import { z } from 'zod';
import type { Caller } from '../../../src/call/caller.ts';
import { authorityOver } from '../../../src/kernel/authority.ts';
import { defineTool, toolset, type Toolset } from '../../../src/call/tool.ts';
import { fail } from '../../../src/kernel/errors.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import type { RequestState } from '../../../src/kernel/route.ts';
import { makeInvoke } from '../../../src/serve/invoke.ts';
import { makeMcp, type Mcp, type McpOptions } from '../../../src/serve/mcp/index.ts';

export const card = Object.freeze({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'dev.rostra/toy',
  title: 'Toy',
  version: '1.2.3',
  description: 'A server with a few toys.',
});

export const caller: Caller = {
  kind: 'key',
  id: 'key_1',
  name: 'test',
  userId: 'usr_1',
  workspace: { id: 'ws_1', plan: 'enterprise', createdAt: 0, blockedAt: undefined, timezone: 'UTC' },
  authority: authorityOver('ws_1'),
};

/** Stands for the store of keys: one that works, one that is limited, everything else refused. */
export const callers: McpOptions['callers'] = {
  async identify(authorization) {
    if (authorization === undefined) fail('auth.missing_header');
    if (authorization === 'Bearer good') return caller;
    if (authorization === 'Bearer reader')
      return { ...caller, authority: authorityOver('ws_1', { scopes: ['accounts:read'] }) };
    return fail('auth.invalid_key');
  },
};

const log = makeLog('silent');

export const invoke = makeInvoke({
  modules: {},
  log,
  meterHeaders: async () => ({}),
  checkOutput: true,
});

const Account = z.object({
  id: z.string(),
  name: z.string().nullable(),
  platform: z.string(),
  permissions: z.array(z.string()),
  profile: z.object({ url: z.string() }),
});

const accounts = [
  { id: 'acc_1', name: 'Ada', platform: 'bluesky', permissions: ['post'], profile: { url: 'https://a.example' } },
  { id: 'acc_2', name: null, platform: 'facebook', permissions: [], profile: { url: 'https://b.example' } },
];

export const listAccounts = defineTool({
  name: 'list_accounts',
  summary: 'List the accounts.',
  http: { method: 'GET', path: '/accounts' },
  effect: 'read',
  access: { scope: 'accounts:read' },
  input: z.object({ platform: z.string().optional().describe('Only of this platform.') }),
  output: z.object({ count: z.int(), data: z.array(Account) }),
  errors: [],
  async run({ platform }) {
    const data = accounts.filter((account) => platform === undefined || account.platform === platform);
    return { count: data.length, data };
  },
});

export const getPost = defineTool({
  name: 'get_post',
  summary: 'Get a post.',
  http: { method: 'GET', path: '/posts/{post_id}' },
  effect: 'read',
  access: { open: true },
  input: z.object({ post_id: z.string().min(1).describe('Id of the post.') }),
  output: z.object({
    id: z.string(),
    text: z.string(),
    targets: z.array(z.object({ id: z.string() })),
    results: z.array(z.object({ id: z.string() })).meta({ alias_of: 'targets' }),
    scheduled_at: z.iso.datetime().nullable(),
    attempts: z.int(),
    rank: z.union([z.string(), z.number()]),
  }),
  errors: ['post.not_found'],
  async run({ post_id }) {
    if (post_id === 'gone') fail('post.not_found');
    if (post_id === 'broken') throw new Error('secret detail');
    return {
      id: post_id,
      text: 'héllo "quoted"',
      targets: [],
      results: [],
      scheduled_at: null,
      attempts: 1,
      rank: 'a',
    };
  },
});

export const createPost = defineTool({
  name: 'create_post',
  summary: 'Create a post.',
  http: { method: 'POST', path: '/posts', status: 201 },
  effect: 'send',
  act: 'message',
  openWorld: true,
  access: { scope: 'posts:write' },
  input: z.object({
    text: z.string().min(1).max(300).describe('Text.'),
    scheduled_at: z.iso.datetime({ offset: true }).nullable().optional().describe('When.'),
    retries: z.int().optional().describe('How often.'),
    labels: z.record(z.string(), z.unknown()).optional().describe('Labels.'),
  }),
  output: z.object({ id: z.string(), text: z.string() }),
  errors: ['platform.bluesky.rate_limit'],
  async run({ text }) {
    if (text === 'throttled') fail('platform.bluesky.rate_limit', { retryAfter: 11.2, meta: { platform: 'bluesky' } });
    return { id: 'post_1', text };
  },
});

export const deletePost = defineTool({
  name: 'delete_post',
  summary: 'Delete a post.',
  http: { method: 'DELETE', path: '/posts/{post_id}' },
  effect: 'delete',
  act: 'delete',
  idempotent: true,
  access: { scope: 'posts:write' },
  input: z.object({ post_id: z.string().describe('Id of the post.') }),
  output: z.object({ success: z.literal(true) }),
  errors: [],
  run: async () => ({ success: true as const }),
});

export const listComments = defineTool({
  name: 'list_comments',
  summary: 'List comments.',
  http: { method: 'GET', path: '/comments' },
  effect: 'read',
  openWorld: true,
  access: { open: true },
  input: z.object({}),
  output: z.object({ data: z.array(z.unknown()) }),
  errors: [],
  run: async () => ({ data: [] }),
});

export const secretSetting = defineTool({
  name: 'set_secret_setting',
  summary: 'Change what only the dashboard may.',
  http: { method: 'PUT', path: '/setting' },
  effect: 'update',
  act: 'draft',
  access: { dashboard: true },
  input: z.object({}),
  output: z.object({}),
  errors: [],
  run: async () => ({}),
});

export const streamEvents = defineTool({
  name: 'stream_events',
  summary: 'Stream events.',
  http: { method: 'GET', path: '/events/stream' },
  effect: 'read',
  access: { open: true },
  mcp: false,
  input: z.object({}),
  output: z.object({}),
  errors: [],
  run: async () => ({}),
});

/** The toys, and whatever a test adds to the accounts. */
export const toys = (...more: Toolset['tools']): readonly Toolset[] => [
  toolset('accounts', 'Accounts', 'Connected accounts.', [listAccounts, ...more]),
  toolset('posts', 'Posts', 'Publishing.', [getPost, createPost, deletePost, streamEvents]),
  toolset('comments', 'Comments', 'Comments of others.', [listComments, secretSetting]),
];

export type Served = Readonly<{ url: string; mcp: Mcp; server: Server; close(): Promise<void> }>;

/** Serves the facade alone on a free port; `before` stands for what the product mounts in front of it. */
export async function serveMcp(
  options: Partial<McpOptions> & { before?: Middleware<RequestState> } = {},
): Promise<Served> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { before, ...rest } = options;
  const mcp = makeMcp({ toolsets: toys(), supported: new Set(), invoke, callers, rootUrl: url, card, log, ...rest });
  const app = new Koa<RequestState>();
  app.silent = true;
  app.use((ctx, next) => {
    ctx.state.requestId = 'req_test';
    return next();
  });
  if (before) app.use(before);
  app.use(mcp.middleware);
  app.use((ctx) => {
    ctx.body = 'next';
  });
  const handle = app.callback();
  server.on('request', (req, res) => void handle(req, res));
  return {
    url,
    mcp,
    server,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Answered = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: any;
  messages: any[];
}>;

type Sent = Readonly<{
  method?: string;
  path?: string;
  headers?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  /** Sent as it stands instead of `body`. */
  raw?: string;
}>;

export const AUTHORIZED = { authorization: 'Bearer good' };

/** One HTTP exchange with every header under the test's control. */
export function send(
  url: string,
  { method = 'POST', path = '/mcp', headers = {}, body, raw }: Sent,
): Promise<Answered> {
  const text = raw ?? (body === undefined ? '' : JSON.stringify(body));
  const given = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...AUTHORIZED,
    ...headers,
  };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url + path, { method, headers: kept, agent: false }, (res: IncomingMessage) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        const messages = [...answer.matchAll(/^data: (.*)$/gm)].map((found) => JSON.parse(found[1]!));
        const json = res.headers['content-type']?.includes('json') && answer !== '' ? JSON.parse(answer) : undefined;
        resolve({ status: res.statusCode!, headers: res.headers, text: answer, json, messages });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

export const legacy = (method: string, params?: object | null, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});

export const MODERN = '2026-07-28';
export const envelopeMeta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A modern request with the headers that repeat it. */
export function modern(method: string, params: Record<string, unknown> = {}, id: unknown = 1): Sent {
  const named = method === 'resources/read' ? params['uri'] : params['name'];
  return {
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof named === 'string' && { 'mcp-name': named }),
    },
    body: legacy(method, { _meta: envelopeMeta, ...params }, id),
  };
}
