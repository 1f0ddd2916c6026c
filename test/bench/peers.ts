import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import Router from '@koa/router';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import Database from 'better-sqlite3';
import Koa from 'koa';
import type { z } from 'zod';
import { decodeRows } from '#db/store/json.ts';
import type { PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import { platforms } from '#platforms/index.ts';
import { supportedBy } from '#platforms/support.ts';
import { listTools, offeredOf } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';
import { presentPost } from '#engine/publishing/read/present-post.ts';
import { listen } from '../harness/sockets.ts';
import { openInserts } from './inserts.ts';

/** What a peer has to say: the results of our own answers, by tool, or by method where no tool is called. */
export type RpcAnswers = Readonly<{
  results: Readonly<Record<string, Readonly<{ structuredContent?: Record<string, unknown> }>>>;
}>;
type Asked = Readonly<{ id: number; method: string; params: Readonly<{ name?: string }> }>;
type Query = Readonly<{ sql: string; parameters: readonly unknown[] }>;
/** A database, and the queries that read one post: its id is the last parameter of both. */
export type RecordQueries = Readonly<{ file: string; post: Query; targets: Query }>;

/** A database to insert bodies into, and what they are signed with. */
export type SignedInserts = Readonly<{ file: string; secret: string }>;

const handled = (app: Koa): RequestListener => {
  const handle = app.callback();
  return (req, res) => void handle(req, res);
};

/** A route of Koa that answers the same JSON-RPC messages and knows nothing else. */
function bareRpc({ results }: RpcAnswers): RequestListener {
  const app = new Koa();
  const router = new Router();
  router.post('/mcp', async (ctx) => {
    const { id, method, params } = (await json(ctx.req)) as Asked;
    const { structuredContent, ...result } = results[params.name ?? method]!;
    const content = structuredContent && {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    };
    ctx.body = { jsonrpc: '2.0', id, result: { ...result, ...content } };
  });
  app.use(router.routes());
  return handled(app);
}

/** The fields that JSON Schema has words for: a file is none of them, and the SDK would list no tool at all. */
const sayable = (shape: z.ZodRawShape): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).filter(([, field]) => !isCustom(field)));

function isCustom(field: z.core.$ZodType): boolean {
  const { def } = field._zod;
  return def.type === 'optional' ? isCustom((def as z.core.$ZodOptionalDef).innerType) : def.type === 'custom';
}

/** The server of the SDK's own examples: stateless, a server and a transport for each request, the same tools. */
function stock({ results }: RpcAnswers): RequestListener {
  const tools = listTools(offeredOf(toolsets, supportedBy(platforms.values()))).map(({ tool }) => tool);
  const answerOf = (name: string): CallToolResult => {
    const { structuredContent = {} } = results[name] ?? {};
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  };
  const app = createMcpExpressApp();
  app.post('/mcp', (req, res) => {
    const server = new McpServer({ name: 'stock', version: '1' });
    for (const { name, summary, input, output, effect } of tools) {
      const config = {
        description: summary,
        inputSchema: sayable(input.shape),
        outputSchema: output.shape,
        annotations: { readOnlyHint: effect === 'read' },
      };
      server.registerTool(name, config, () => answerOf(name));
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    res.on('close', () => void server.close());
    void server.connect(transport).then(() => transport.handleRequest(req, res, req.body));
  });
  return app as RequestListener;
}

/** A route of Koa over the same two queries, prepared once, with the same columns decoded and the same JSON; no key is asked for. */
function bareRecord({ file, post, targets }: RecordQueries): RequestListener {
  const database = new Database(file, { readonly: true });
  const findPost = database.prepare<unknown[], PostRow>(post.sql);
  const findTargets = database.prepare<unknown[], TargetRow>(targets.sql);
  const bind = ({ parameters }: Query, id: string) => [...parameters.slice(0, -1), id];
  const app = new Koa();
  const router = new Router();
  router.get('/v1/posts/:id', (ctx) => {
    const { id } = ctx.params as { id: string };
    const row = findPost.get(bind(post, id));
    if (row === undefined) ctx.throw(404);
    else ctx.body = presentPost(decodeRows([row])[0]!, decodeRows(findTargets.all(bind(targets, id))));
  });
  app.use(router.routes());
  return handled(app);
}

/** A route of Koa that reads a body, inserts it, waits for the disk and answers it; one insert a request. */
function bareInsert({ file }: Readonly<{ file: string }>): RequestListener {
  const insert = openInserts(file);
  const app = new Koa();
  const router = new Router();
  router.post('/v1/posts', async (ctx) => {
    const body = (await json(ctx.req)) as object;
    const post = { id: randomUUID(), ...body, created_at: Date.now() };
    insert(JSON.stringify(post), post.id, post.created_at);
    ctx.status = 201;
    ctx.body = post;
  });
  app.use(router.routes());
  return handled(app);
}

/** A route of Koa that verifies the signature of a body, inserts it, waits for the disk and answers as a push is answered. */
function barePush({ file, secret }: SignedInserts): RequestListener {
  const insert = openInserts(file);
  const app = new Koa();
  const router = new Router();
  router.post('/push/whatsapp', async (ctx) => {
    const body = await buffer(ctx.req);
    const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    const sent = Buffer.from(ctx.get('x-hub-signature-256'));
    if (sent.length !== right.length || !timingSafeEqual(sent, right)) ctx.throw(403);
    insert(body.toString('utf8'));
    ctx.body = 'EVENT_RECEIVED';
  });
  app.use(router.routes());
  return handled(app);
}

const PEERS: Readonly<Record<string, (answers: never) => RequestListener>> = {
  bareRpc,
  stock,
  bareRecord,
  bareInsert,
  barePush,
};

const [answers] = (await once(process, 'message')) as [never];
const server = createServer(PEERS[process.argv[2]!]!(answers));
process.send!(`http://127.0.0.1:${await listen(server)}`);
process.once('disconnect', () => process.exit(0));
