import { createServer } from 'node:http';
import Koa, { type Middleware } from 'koa';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { authorityOver } from '#kernel/authority.ts';
import { defineTool, toolset, type Toolset } from '#call/tool.ts';
import { fail } from '#kernel/errors.ts';
import { makeLog } from '#kernel/log.ts';
import type { RequestState } from '#kernel/route.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { makeMcp, type McpOptions } from '#serve/mcp/index.ts';
import { exchange, listen, stop, type Exchanged } from '../sockets.ts';
import { aCaller, freely, toy } from '../toys.ts';

export const card = Object.freeze({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'dev.rostra/toy',
  title: 'Toy',
  version: '1.2.3',
  description: 'A server with a few toys.',
});

export const caller = aCaller;

/** Stands for the store of keys: one that works, one that is limited, everything else refused. */
const callers: McpOptions['callers'] = {
  async identify(authorization) {
    if (authorization === undefined) fail('auth.missing_header');
    if (authorization === 'Bearer good') return caller;
    if (authorization === 'Bearer reader')
      return { ...caller, authority: authorityOver('ws_1', { scopes: ['accounts:read'] }) };
    return fail('auth.invalid_key');
  },
};

const log = makeLog({ level: 'silent' });

export const invoke = makeInvoke({
  modules: {},
  log,
  meterHeaders: async () => ({}),
  ...freely,
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

const listAccounts = defineTool({
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

const getPost = defineTool({
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
    error: z.object({ platform_message: z.string() }).optional(),
  }),
  errors: ['post.not_found', 'platform.bluesky.invalid_request'],
  async run({ post_id }) {
    if (post_id === 'gone') fail('post.not_found');
    if (post_id === 'broken') throw new Error('secret detail');
    const said = { platform_message: 'Obey "me"' };
    if (post_id === 'refused') fail('platform.bluesky.invalid_request', { meta: said });
    return {
      id: post_id,
      ...(post_id === 'failed' && { error: said }),
      text: 'héllo "quoted"',
      targets: [],
      results: [],
      scheduled_at: null,
      attempts: 1,
      rank: 'a',
    };
  },
});

const createPost = defineTool({
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

const nothing = async () => ({});

const deletePost = toy(
  'delete_post',
  'DELETE /posts/{post_id}',
  { post_id: z.string().describe('Id of the post.') },
  async () => ({ success: true }),
  { idempotent: true, access: { scope: 'posts:write' }, output: z.object({ success: z.literal(true) }) },
);

const listComments = toy('list_comments', 'GET /comments', {}, async () => ({ data: [] }), {
  openWorld: true,
  output: z.object({ data: z.array(z.unknown()).meta({ untrusted: true }) }),
});

const secretSetting = toy('set_secret_setting', 'PUT /setting', {}, nothing, { access: { dashboard: true } });

const streamEvents = toy('stream_events', 'GET /events/stream', {}, nothing, { mcp: false });

/** The toys, and whatever a test adds to the accounts. */
export const toys = (...more: Toolset['tools']): readonly Toolset[] => [
  toolset('accounts', 'Accounts', 'Connected accounts.', [listAccounts, ...more]),
  toolset('posts', 'Posts', 'Publishing.', [getPost, createPost, deletePost, streamEvents]),
  toolset('comments', 'Comments', 'Comments of others.', [listComments, secretSetting]),
];

/**
 * Serves the facade alone on a free port until the test has ended, or when `atEnd` says; `before` stands for what the
 * product mounts in front of it.
 */
export async function serveMcp(
  options: Partial<McpOptions> & { before?: Middleware<RequestState> } = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Readonly<{ url: string }>> {
  const server = createServer();
  atEnd(() => stop(server));
  const url = `http://127.0.0.1:${await listen(server)}`;
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
  return { url };
}

export type Answered = Exchanged & Readonly<{ json: any; messages: any[] }>;

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
export async function send(
  url: string,
  { method = 'POST', path = '/mcp', headers = {}, body, raw }: Sent,
): Promise<Answered> {
  const text = raw ?? (body === undefined ? '' : JSON.stringify(body));
  const given: Record<string, string | undefined> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...AUTHORIZED,
    ...headers,
  };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const answer = await exchange({ port: new URL(url).port, path, method, headers: kept }, text);
  const messages = [...answer.text.matchAll(/^data: (.*)$/gm)].map((found) => JSON.parse(found[1]!));
  return { ...answer, json: answer.body, messages };
}

/** What the protocol refuses a request with: the HTTP status, and the code of the error. */
export async function refusalOf(asked: Promise<Answered>): Promise<readonly [number, unknown]> {
  const { status, json } = await asked;
  return [status, json.error.code];
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
