import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { answer } from '#call/context.ts';
import { toolset, type AnyTool } from '#call/tool.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import { makeLog } from '#kernel/log.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makeHttp, type HttpDeps } from '#serve/http/app.ts';
import { programApi } from '#serve/http/rest.ts';
import { makeServer } from '#serve/http/server.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { exchange, serveTest, type Exchanged } from '../sockets.ts';
import { aCaller, freely, toy } from '../toys.ts';

export const KEY = 'rostra_key_0123456789abcdef';

const echo = async (input: object) => ({ input });
const noteId = z.string().max(300).describe('Id.');

/** Operations that answer with what reached them. */
export const toys: readonly AnyTool[] = [
  toy(
    'list_notes',
    'GET /notes',
    {
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
    },
    echo,
  ),
  toy(
    'get_note',
    'GET /notes/{note_id}',
    { note_id: noteId },
    async (input) => (input.note_id === 'none' ? fail('resource.not_found') : { input }),
    { errors: ['resource.not_found'] },
  ),
  toy('get_latest_note', 'GET /notes/latest', {}, async () => ({ latest: true })),
  toy(
    'create_note',
    'POST /notes',
    {
      text: z.string().max(5_000_000).optional().describe('Text.'),
      dry_run: z.boolean().default(false).describe('Only try.'),
      tags: z.array(z.string().max(20)).max(5).optional().describe('Tags.'),
      extra: z.record(z.string(), z.json()).optional().describe('Anything.'),
    },
    async (input) => answer({ input }, { headers: { 'X-Posts-Remaining': '3' } }),
    { status: 201, effect: 'create', access: { scope: 'posts:write' }, errors: ['post.not_found'] },
  ),
  toy(
    'update_note',
    'PATCH /notes/{note_id}',
    { note_id: noteId, text: z.string().max(50).optional().describe('Text.') },
    echo,
  ),
  toy(
    'delete_note',
    'DELETE /notes/{note_id}',
    { note_id: noteId, reason: z.string().max(50).optional().describe('Why.') },
    echo,
  ),
  toy(
    'upload_note',
    'POST /notes/upload',
    {
      file: z.custom<AsyncIterable<Uint8Array>>().describe('File.'),
      filename: z.string().max(255).optional().describe('Name.'),
      content_type: z.string().max(127).optional().describe('Type.'),
      dry_run: z.boolean().default(false).describe('Only try.'),
    },
    async ({ file, ...rest }) => ({ ...rest, sha256: await hashOf(file) }),
    { status: 201, effect: 'create', body: 'multipart' },
  ),
  toy(
    'wait_for_note',
    'POST /notes/wait',
    {},
    async (_input, { disconnectSignal }, { waiting }) => {
      const signal = disconnectSignal();
      waiting(signal);
      await once(signal, 'abort');
      return {};
    },
    { effect: 'read', act: undefined },
  ),
  toy(
    'break_note',
    'POST /notes/break',
    {},
    async () => {
      throw new Error('a secret reason');
    },
    { effect: 'read', act: undefined },
  ),
  toy(
    'get_note_address',
    'GET /notes/address',
    {},
    async (_input, _call, { made }) => {
      made();
      return {};
    },
    { effect: 'create', act: 'draft' },
  ),
  toy(
    'send_note',
    'POST /notes/send',
    {
      to: z.string().min(1).max(50).describe('Whom.'),
      from: z.string().min(1).max(50).optional().describe('Who.'),
      size: z.int().default(1).describe('How long.'),
      parts: z
        .array(z.object({ text: z.string().min(1), alt: z.string().min(1).optional(), kind: z.string().nullish() }))
        .default([])
        .describe('What it has.'),
      reply_to: z.string().min(1).nullable().optional().describe('What it answers; null for none.'),
    },
    async (input) => (input.to === 'nobody' ? fail('resource.conflict') : { input }),
    { effect: 'send', act: 'message', meter: 'interaction', errors: ['resource.conflict'] },
  ),
  toy('list_rules', 'GET /rules', {}, async () => ({}), { access: { dashboard: true } }),
];

/** The SHA-256 of a file that comes in pieces. */
export async function hashOf(file: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file) hash.update(chunk);
  return hash.digest('hex');
}

export const toySets = [toolset('notes', 'Notes', 'Things written down.', toys)];

export type Answered = Exchanged;
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
  const log = makeLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  let made = 0;
  const waiting = Promise.withResolvers<AbortSignal>();
  const invoke = makeInvoke({
    modules: { waiting: waiting.resolve, made: () => void (made += 1) },
    log,
    meterHeaders: changes.meterHeaders ?? (async () => ({})),
    ...freely,
    checkOutput: true,
  });
  const server = makeServer((req, res) => listener(req, res), changes.clock);
  const port = Number(new URL(await serveTest(server)).port);
  const rootUrl = changes.config?.rootUrl ?? `http://localhost:${port}`;
  const listener = makeHttp({
    toolsets: toySets,
    invoke,
    restApi: programApi({
      async identify(authorization) {
        if (authorization === undefined) fail('auth.missing_header');
        if (authorization !== `Bearer ${KEY}`) fail('auth.invalid_key');
        return aCaller;
      },
    }),
    audit: freely.audit,
    idempotency: { once: () => Promise.reject(new Error('this world keeps no answers')) },
    log,
    mounts: [],
    routes: [],
    health: async () => [],
    meter: makeMeter(),
    gauges: async () => [],
    uploads: { maxFileBytes: 1_000_000, spoolDir: tmpdir() },
    ...changes,
    config: { allowedHosts: [], trustProxy: 0, metricsToken: undefined, ...changes.config, rootUrl },
  });

  function send(
    path: string,
    { method = 'GET', headers = {}, body, anonymous = false }: Sending = {},
  ): Promise<Answered> {
    const all = {
      Host: new URL(rootUrl).host,
      ...(!anonymous && { Authorization: `Bearer ${KEY}` }),
      ...(body !== undefined && !('Transfer-Encoding' in headers) && { 'Content-Length': Buffer.byteLength(body) }),
      ...headers,
    };
    return exchange({ port, path, method, headers: all }, body);
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
