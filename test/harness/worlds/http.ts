import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../../../src/call/caller.ts';
import { authorityOver } from '../../../src/kernel/authority.ts';
import { answer } from '../../../src/call/context.ts';
import { defineTool, toolset, type AnyTool } from '../../../src/call/tool.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { fail } from '../../../src/kernel/errors.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { makeHttp, type HttpDeps } from '../../../src/serve/http/app.ts';
import { makeServer } from '../../../src/serve/http/server.ts';
import { makeInvoke } from '../../../src/serve/invoke.ts';

export const KEY = 'rostra_key_0123456789abcdef';

const caller: Caller = {
  kind: 'key',
  id: 'key_1',
  name: 'test',
  userId: 'usr_1',
  workspace: { id: 'ws_1', plan: 'enterprise', createdAt: 0, blockedAt: undefined, timezone: 'UTC' },
  authority: authorityOver('ws_1'),
};

const Echo = z.looseObject({});
const open = { open: true } as const;

/** Operations that answer with what reached them. */
export const toys: readonly AnyTool[] = [
  defineTool({
    name: 'list_notes',
    summary: 'List notes.',
    http: { method: 'GET', path: '/notes' },
    effect: 'read',
    access: open,
    input: z.object({
      limit: z.int().min(1).max(100).optional().describe('Most rows.'),
      hidden: z.boolean().default(false).describe('Hidden ones too.'),
      ids: z.array(z.string().max(64)).max(10).optional().describe('Only these.'),
      days: z.array(z.int()).max(3).optional().describe('Days.'),
      size: z
        .union([z.int(), z.literal('all')])
        .optional()
        .describe('How many.'),
      term: z.literal([1, 7]).optional().describe('Days to keep.'),
      search: z.string().max(100).nullish().describe('Text to look for.'),
    }),
    output: Echo,
    errors: [],
    run: async (input) => ({ input }),
  }),
  defineTool({
    name: 'get_note',
    summary: 'Get a note.',
    http: { method: 'GET', path: '/notes/{note_id}' },
    effect: 'read',
    access: open,
    input: z.object({ note_id: z.string().max(300).describe('Id.') }),
    output: Echo,
    errors: ['resource.not_found'],
    run: async (input) => (input.note_id === 'none' ? fail('resource.not_found') : { input }),
  }),
  defineTool({
    name: 'get_latest_note',
    summary: 'Get the latest note.',
    http: { method: 'GET', path: '/notes/latest' },
    effect: 'read',
    access: open,
    input: z.object({}),
    output: Echo,
    errors: [],
    run: async () => ({ latest: true }),
  }),
  defineTool({
    name: 'create_note',
    summary: 'Create a note.',
    http: { method: 'POST', path: '/notes', status: 201 },
    effect: 'create',
    act: 'draft',
    access: { scope: 'posts:write' },
    input: z.object({
      text: z.string().max(5_000_000).optional().describe('Text.'),
      dry_run: z.boolean().default(false).describe('Only try.'),
      tags: z.array(z.string().max(20)).max(5).optional().describe('Tags.'),
      extra: z.record(z.string(), z.json()).optional().describe('Anything.'),
    }),
    output: Echo,
    errors: ['post.not_found'],
    run: async (input) => answer({ input }, { headers: { 'X-Posts-Remaining': '3' } }),
  }),
  defineTool({
    name: 'update_note',
    summary: 'Change a note.',
    http: { method: 'PATCH', path: '/notes/{note_id}' },
    effect: 'update',
    act: 'draft',
    access: open,
    input: z.object({
      note_id: z.string().max(300).describe('Id.'),
      text: z.string().max(50).optional().describe('Text.'),
    }),
    output: Echo,
    errors: [],
    run: async (input) => ({ input }),
  }),
  defineTool({
    name: 'delete_note',
    summary: 'Delete a note.',
    http: { method: 'DELETE', path: '/notes/{note_id}' },
    effect: 'delete',
    act: 'delete',
    access: open,
    input: z.object({
      note_id: z.string().max(300).describe('Id.'),
      reason: z.string().max(50).optional().describe('Why.'),
    }),
    output: Echo,
    errors: [],
    run: async (input) => ({ input }),
  }),
  defineTool({
    name: 'upload_note',
    summary: 'Upload a note.',
    http: { method: 'POST', path: '/notes/upload', status: 201 },
    effect: 'create',
    act: 'draft',
    access: open,
    body: 'multipart',
    input: z.object({
      file: z.custom<AsyncIterable<Uint8Array>>().describe('File.'),
      filename: z.string().max(255).optional().describe('Name.'),
      content_type: z.string().max(127).optional().describe('Type.'),
      dry_run: z.boolean().default(false).describe('Only try.'),
    }),
    output: Echo,
    errors: [],
    async run({ file, ...rest }) {
      const hash = createHash('sha256');
      for await (const chunk of file) hash.update(chunk);
      return { ...rest, sha256: hash.digest('hex') };
    },
  }),
  defineTool({
    name: 'wait_for_note',
    summary: 'Wait until the caller is gone.',
    http: { method: 'POST', path: '/notes/wait' },
    effect: 'read',
    access: open,
    input: z.object({}),
    output: Echo,
    errors: [],
    async run(_input, { signal }, { waiting }: { waiting: (signal: AbortSignal) => void }) {
      waiting(signal);
      await once(signal, 'abort');
      return {};
    },
  }),
  defineTool({
    name: 'break_note',
    summary: 'Break.',
    http: { method: 'POST', path: '/notes/break' },
    effect: 'read',
    access: open,
    input: z.object({}),
    output: Echo,
    errors: [],
    run: async () => {
      throw new Error('a secret reason');
    },
  }),
  defineTool({
    name: 'get_note_address',
    summary: 'Make an address to put a note at.',
    http: { method: 'GET', path: '/notes/address' },
    effect: 'create',
    act: 'draft',
    access: open,
    input: z.object({}),
    output: Echo,
    errors: [],
    run: async (_input, _call, { made }: { made: () => void }) => {
      made();
      return {};
    },
  }),
  defineTool({
    name: 'send_note',
    summary: 'Send a note.',
    http: { method: 'POST', path: '/notes/send' },
    effect: 'send',
    act: 'message',
    access: open,
    meter: 'interaction',
    input: z.object({
      to: z.string().min(1).max(50).describe('Whom.'),
      from: z.string().min(1).max(50).optional().describe('Who.'),
      size: z.int().default(1).describe('How long.'),
      parts: z
        .array(z.object({ text: z.string().min(1), alt: z.string().min(1).optional(), kind: z.string().nullish() }))
        .default([])
        .describe('What it has.'),
      reply_to: z.string().min(1).nullable().optional().describe('What it answers; null for none.'),
    }),
    output: Echo,
    errors: ['resource.conflict'],
    run: async (input) => (input.to === 'nobody' ? fail('resource.conflict') : { input }),
  }),
  defineTool({
    name: 'list_rules',
    summary: 'List rules.',
    http: { method: 'GET', path: '/rules' },
    effect: 'read',
    access: { dashboard: true },
    input: z.object({}),
    output: Echo,
    errors: [],
    run: async () => ({}),
  }),
];

export const toySets = [toolset('notes', 'Notes', 'Things written down.', toys)];

export type Answered = Readonly<{ status: number; headers: IncomingHttpHeaders; text: string; body: any }>;
export type Sending = Readonly<{
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  anonymous?: boolean;
}>;

/** A server on a free port, with toy operations and a client that speaks to it; it ends with the test. */
export async function openWorld(
  changes: Partial<Omit<HttpDeps, 'config'>> & {
    config?: Partial<HttpDeps['config']>;
    clock?: Clock;
    meterHeaders?: () => Promise<Record<string, string>>;
  } = {},
) {
  const lines: string[] = [];
  const log = makeLog('info', { write: (line) => void lines.push(line) });
  let made = 0;
  const waiting = Promise.withResolvers<AbortSignal>();
  const invoke = makeInvoke({
    modules: { waiting: waiting.resolve, made: () => void (made += 1) },
    log,
    meterHeaders: changes.meterHeaders ?? (async () => ({})),
    checkOutput: true,
  });
  const server = makeServer((req, res) => void listener(req, res), changes.clock);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const rootUrl = changes.config?.rootUrl ?? `http://localhost:${port}`;
  const app = makeHttp({
    toolsets: toySets,
    invoke,
    callers: {
      async identify(authorization) {
        if (authorization === undefined) fail('auth.missing_header');
        if (authorization !== `Bearer ${KEY}`) fail('auth.invalid_key');
        return caller;
      },
    },
    idempotency: { once: () => Promise.reject(new Error('this world keeps no answers')) },
    log,
    mounts: [],
    routes: [],
    health: async () => [],
    uploads: { maxFileBytes: 1_000_000, spoolDir: tmpdir() },
    ...changes,
    config: { allowedHosts: [], trustProxy: 0, metricsToken: undefined, ...changes.config, rootUrl },
  });
  const listener = app.callback();

  function send(
    path: string,
    { method = 'GET', headers = {}, body, anonymous = false }: Sending = {},
  ): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const all = {
        Host: new URL(rootUrl).host,
        ...(!anonymous && { Authorization: `Bearer ${KEY}` }),
        ...(body !== undefined && !('Transfer-Encoding' in headers) && { 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
      };
      const req = httpRequest({ host: '127.0.0.1', port, path, method, headers: all, agent: false }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = res.headers['content-type']?.startsWith('application/json') && text !== '';
          resolve({ status: res.statusCode!, headers: res.headers, text, body: isJson ? JSON.parse(text) : undefined });
        });
        res.on('error', reject);
      });
      req.on('error', reject);
      req.end(body);
    });
  }

  /** Writes bytes as they are and reads until the server ends the connection. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.end(bytes);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  return {
    port,
    server,
    rootUrl,
    lines,
    waiting: waiting.promise,
    made: () => made,
    send,
    raw,
    json: (path: string, value: unknown, sending: Sending = {}) =>
      send(path, {
        method: 'POST',
        ...sending,
        headers: { 'Content-Type': 'application/json', ...sending.headers },
        body: typeof value === 'string' ? value : JSON.stringify(value),
      }),
  };
}
