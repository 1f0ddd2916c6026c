import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { authorityOver } from '#kernel/authority.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { serveStdio } from '#serve/mcp/stdio.ts';
import { envelopeIn } from '../../harness/calls/requests.ts';
import {
  AUTHORIZED,
  caller,
  card,
  envelopeMeta,
  invoke,
  legacy,
  modern,
  MODERN,
  refusalOf,
  send,
  serveMcp,
  toys,
} from '../../harness/worlds/mcp.ts';

/** Every tool of the toys, as a client sees it. */
const listed = listTools(toys()).map((entry): unknown => JSON.parse(entry.listed));

const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const NAMES = ['list_accounts', 'get_post', 'create_post', 'delete_post', 'list_comments'];

const world = await serveMcp({}, afterAll);

const ask = (method: string, params?: object | null, headers = {}, path = '/mcp') =>
  send(world.url, { body: legacy(method, params), headers, path });
const askModern = (
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string | undefined> = {},
) => {
  const request = modern(method, params);
  return send(world.url, { ...request, headers: { ...request.headers, ...headers } });
};

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const SERVER_INFO = { name: card.name, title: card.title, version: card.version, description: card.description };

describe('the legacy era', () => {
  it.each(LEGACY)('agrees to %s', async (protocolVersion) => {
    const { status, json } = await ask('initialize', { ...hello, protocolVersion });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ protocolVersion, serverInfo: SERVER_INFO, capabilities: { tools: {} } });
    expect(json.result.instructions).toContain('list_accounts');
  });

  it.each(['2026-07-28', '1999-01-01'])('answers a handshake for %s with its newest', async (protocolVersion) => {
    const { json } = await ask('initialize', { ...hello, protocolVersion });
    expect(json.result.protocolVersion).toBe('2025-11-25');
  });

  it('starts no session and says nothing about logging, roots or subscriptions', async () => {
    const { headers, json } = await ask('initialize', hello);
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(json.result.capabilities).toEqual({ tools: {}, resources: {}, completions: {} });
    expect((await ask('logging/setLevel', { level: 'info' })).json.error.code).toBe(-32601);
  });

  it('answers ping with an empty result and unknown methods in the message', async () => {
    expect((await ask('ping')).text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(await refusalOf(ask('resources/subscribe', { uri: 'x' }))).toEqual([200, -32601]);
  });

  it('takes any id that is text or integer and gives it back as it came', async () => {
    const text = await send(world.url, { body: legacy('ping', undefined, 'a"b') });
    expect(text.json.id).toBe('a"b');
    const largest = await send(world.url, { body: legacy('ping', undefined, Number.MAX_SAFE_INTEGER) });
    expect(largest.json.id).toBe(Number.MAX_SAFE_INTEGER);
    // The second would come back as another number.
    for (const id of [1.5, 2 ** 60]) {
      const bad = await send(world.url, { body: legacy('ping', undefined, id) });
      expect([bad.status, bad.json.error.code, bad.json.id]).toEqual([400, -32600, null]);
    }
  });

  it('accepts notifications and responses without a word', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const { status, text } = await send(world.url, { body });
      expect([status, text]).toEqual([202, '']);
    }
  });

  it('refuses a version header it does not know, once there is an agreed version', async () => {
    const unknown = { 'mcp-protocol-version': '2099-01-01' };
    const refused = await ask('ping', undefined, unknown);
    expect([refused.status, refused.json.error.code]).toEqual([400, -32022]);
    expect(refused.json.error.data.supported).toContain('2025-11-25');
    expect((await ask('initialize', hello, unknown)).status).toBe(200);
  });

  it('lists without the members of the modern era', async () => {
    const { json } = await ask('tools/list');
    expect(Object.keys(json.result)).toEqual(['tools']);
  });

  it('names a missing resource by the old code', async () => {
    const { json } = await ask('resources/read', { uri: 'social://nothing' });
    expect(json.error).toMatchObject({ code: -32002, data: { uri: 'social://nothing' } });
  });
});

describe('the modern era', () => {
  it('discovers the server', async () => {
    const { status, json } = await askModern('server/discover');
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: {}, resources: {}, completions: {} },
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
    });
  });

  it('does not need to know who the client is', async () => {
    const { 'io.modelcontextprotocol/clientInfo': _, ...anonymous } = envelopeMeta;
    expect((await askModern('tools/list', { _meta: anonymous })).status).toBe(200);
  });

  it.each([
    ['no _meta', {}],
    ['no version', { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } }],
    ['no capabilities', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }],
    ['capabilities that are none', { _meta: { ...envelopeMeta, 'io.modelcontextprotocol/clientCapabilities': [] } }],
    ['a client that is none', { _meta: { ...envelopeMeta, 'io.modelcontextprotocol/clientInfo': 'me' } }],
  ])('refuses %s', async (_, params) => {
    const { status, json } = await send(world.url, { ...modern('tools/list'), body: legacy('tools/list', params, 7) });
    expect([status, json.error.code, json.id]).toEqual([400, -32602, 7]);
  });

  it.each([
    ['another version', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', 'tools/list', {}, { 'mcp-protocol-version': undefined }],
    ['another method', 'tools/list', {}, { 'mcp-method': 'prompts/list' }],
    ['the method in capitals', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }],
    ['no method', 'tools/list', {}, { 'mcp-method': undefined }],
    ['another tool', 'tools/call', { name: 'list_accounts' }, { 'mcp-name': 'get_post' }],
    ['no tool', 'tools/call', { name: 'list_accounts' }, { 'mcp-name': undefined }],
    ['another resource', 'resources/read', { uri: 'social://accounts' }, { 'mcp-name': 'social://brands' }],
    ['broken base64', 'tools/call', { name: 'list_accounts' }, { 'mcp-name': '=?base64?###?=' }],
  ])('refuses headers that name %s', async (_, method, params, headers) => {
    expect(await refusalOf(askModern(method, params, headers))).toEqual([400, -32020]);
  });

  it('reads names in base64 and with space around them', async () => {
    const name = 'list_accounts';
    for (const header of [`=?base64?${Buffer.from(name).toString('base64')}?=`, `  ${name}  `])
      expect((await askModern('tools/call', { name }, { 'mcp-name': header })).json.result.isError).toBeUndefined();
  });

  it('names the versions it has to whoever asks for another', async () => {
    const params = { _meta: { ...envelopeMeta, 'io.modelcontextprotocol/protocolVersion': 'v999' } };
    const { status, json } = await askModern('server/discover', params, { 'mcp-protocol-version': 'v999' });
    expect([status, json.error.code]).toEqual([400, -32022]);
    expect(json.error.data).toEqual({ supported: [MODERN], requested: 'v999' });
    expect((await askModern('server/discover', params)).json.error.code).toBe(-32020);
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'subscriptions/listen', 'no/such'])(
    'has no %s',
    async (method) => {
      const { status, json } = await askModern(method);
      expect([status, json.error.code, json.id]).toEqual([404, -32601, 1]);
    },
  );

  it('refuses an initialize under its header', async () => {
    const asked = ask('initialize', { ...hello, protocolVersion: MODERN }, { 'mcp-protocol-version': MODERN });
    expect(await refusalOf(asked)).toEqual([400, -32020]);
  });

  it('marks every result', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list']) {
      const { json } = await askModern(method);
      expect(json.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    }
    const read = await askModern('resources/read', { uri: 'social://accounts' });
    expect(read.json.result).toMatchObject({ ttlMs: 5000, cacheScope: 'private' });
    const called = await askModern('tools/call', { name: 'get_post', arguments: { post_id: 'gone' } });
    expect(called.json.result._meta).toMatchObject({
      'io.modelcontextprotocol/serverInfo': SERVER_INFO,
      'dev.rostra/error': { code: 'post.not_found', status: 404 },
    });
    expect(called.json.result.ttlMs).toBeUndefined();
  });

  it('names a missing resource by the new code', async () => {
    for (const uri of ['social://nothing', 'social://posts/gone', 'social://posts/a/b']) {
      const { status, json } = await askModern('resources/read', { uri });
      expect([status, json.error.code, json.error.data]).toEqual([200, -32602, { uri }]);
    }
  });
});

describe('messages of either era', () => {
  it.each([
    ['no JSON', '{"a', -32700],
    ['nothing', '', -32700],
    ['a batch', '[]', -32600],
    ['a number', '7', -32600],
    ['another protocol', '{"id":1,"method":"ping"}', -32600],
    ['positional params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['too deep a nest', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(70)}${']'.repeat(70)}}`, -32600],
    ['too many values', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'1,'.repeat(50_001)}1]}}`, -32600],
  ])('refuses %s', async (_, raw, code) => {
    const { status, json } = await send(world.url, { raw });
    expect([status, json.error.code, json.id]).toEqual([400, code, null]);
  });

  it.each([undefined, 'text/plain', 'application/jsonp'])('refuses the content type %s', async (type) => {
    const asked = ask('ping', undefined, { 'content-type': type });
    expect(await refusalOf(asked)).toEqual([415, 'http.415']);
  });

  it('refuses what is packed', async () => {
    expect(await refusalOf(ask('ping', undefined, { 'content-encoding': 'gzip' }))).toEqual([415, 'http.415']);
  });

  it('reads JSON with a charset and answers whatever Accept says', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/event-stream']) {
      const headers = { accept, 'content-type': 'application/json; charset=utf-8' };
      expect((await ask('ping', undefined, headers)).json.result).toEqual({});
    }
  });

  it('keeps no body of more than 4 MiB, announced or not, and reads those that are not much larger', async () => {
    const big = JSON.stringify(legacy('ping', { a: 'x'.repeat(4 * 1024 * 1024) }));
    expect(await refusalOf(send(world.url, { raw: big }))).toEqual([413, 'http.413']);
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    const nine = await fetch(`${world.url}/mcp`, { method: 'POST', headers, body: 'x'.repeat(9_000_000) });
    expect(nine.status).toBe(413);
    const status = await new Promise<number>((resolve, reject) => {
      const sent = httpRequest(`${world.url}/mcp`, { method: 'POST', headers, agent: false }, (res) => {
        res.resume();
        resolve(res.statusCode!);
      });
      sent.on('error', reject);
      for (let i = 0; i < 16; i++) sent.write('x'.repeat(1024 * 1024));
      sent.write('too much');
    });
    expect(status).toBe(413);
  });

  it('refuses cursors, for every list is one page', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list'])
      expect((await ask(method, { cursor: 'abc' })).json.error.code).toBe(-32602);
  });
});

describe('who may call', () => {
  const metadata = () =>
    `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource/mcp", scope="social:all"`;

  it.each(['GET', 'POST', 'DELETE', 'PUT'])('challenges %s without a token', async (method) => {
    const { status, headers, json } = await send(world.url, { method, headers: { authorization: undefined } });
    expect([status, headers['www-authenticate']]).toEqual([401, metadata()]);
    expect(json).toMatchObject({ error: { code: 'auth.missing_header' }, request_id: 'req_test' });
  });

  it('says that a token is bad when one was sent, and reads no cookie', async () => {
    const bad = await ask('ping', undefined, { authorization: 'Bearer old' });
    expect(bad.headers['www-authenticate']).toBe(`${metadata()}, error="invalid_token"`);
    const cookie = { authorization: undefined, cookie: 'session=1' };
    expect((await ask('ping', undefined, cookie)).status).toBe(401);
  });

  it('knows the caller before it reads the body', async () => {
    const raw = 'x'.repeat(5 * 1024 * 1024);
    expect((await send(world.url, { headers: { authorization: undefined }, raw })).status).toBe(401);
  });

  it('waits for no body of a client that left before the caller was known', async () => {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<void>();
    const served = await serveMcp({
      callers: {
        async identify() {
          asked.resolve();
          await left.promise;
          return caller;
        },
      },
      before: (ctx, next) => {
        ctx.res.once('close', () => left.resolve());
        return next().finally(settled.resolve);
      },
    });
    const headers = { ...AUTHORIZED, 'content-type': 'application/json', 'content-length': '9' };
    const sent = httpRequest(`${served.url}/mcp`, { method: 'POST', headers, agent: false });
    sent.on('error', () => {});
    sent.write('{');
    await asked.promise;
    sent.destroy();
    await settled.promise;
  });

  it.each(['GET', 'DELETE', 'PUT'])('has nothing for %s', async (method) => {
    const { status, headers, json } = await send(world.url, { method });
    expect([status, headers.allow, json.error.code]).toEqual([405, 'POST', 'http.405']);
  });

  it('refuses pages of strangers on a local server, and lets local ones read the challenge', async () => {
    const evil = await ask('ping', undefined, { origin: 'http://evil.example' });
    expect([evil.status, evil.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect((await ask('ping', undefined, { origin: 'null' })).status).toBe(403);
    const local = await send(world.url, { headers: { origin: 'http://localhost:6274', authorization: undefined } });
    expect(local.status).toBe(401);
    expect(local.headers['access-control-allow-origin']).toBe('*');
    expect(local.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
    expect(local.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('lets pages of any origin call a public server', async () => {
    const open = await serveMcp({ rootUrl: 'https://social.example' });
    const headers = { origin: 'https://inspector.example' };
    expect((await send(open.url, { headers, body: legacy('ping') })).status).toBe(200);
  });

  it('answers a preflight without a token', async () => {
    const headers = { authorization: undefined, origin: 'http://localhost:1', 'access-control-request-method': 'POST' };
    const { status, headers: answered } = await send(world.url, { method: 'OPTIONS', headers });
    expect(status).toBe(204);
    expect(answered['access-control-allow-headers']).toBe('Authorization, *');
  });

  it('leaves other paths alone', async () => {
    expect((await send(world.url, { path: '/mcpx' })).text).toBe('next');
    expect((await send(world.url, { path: '/v1/accounts' })).text).toBe('next');
    expect((await send(world.url, { path: '/mcp/nothing' })).json.error.code).toBe('http.404');
  });
});

describe('tools', () => {
  const named = (json: any): string[] => json.result.tools.map((tool: any) => tool.name);

  it('are listed with lean schemas and the hints that matter', async () => {
    const { json } = await ask('tools/list');
    const byName = Object.fromEntries(json.result.tools.map((tool: any) => [tool.name, tool]));
    expect(byName['list_accounts']).toEqual({
      name: 'list_accounts',
      title: 'List accounts',
      description: 'List the accounts.',
      inputSchema: {
        type: 'object',
        properties: { platform: { type: 'string', description: 'Only of this platform.' } },
      },
      outputSchema: { type: 'object', properties: { count: { type: 'integer' }, data: { type: 'array' } } },
      annotations: { title: 'List accounts', readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    });
    expect(byName['get_post'].outputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        text: { type: 'string' },
        targets: { type: 'array' },
        scheduled_at: { type: 'string' },
        attempts: { type: 'integer' },
        rank: { type: ['string', 'number'] },
        error: { type: 'object' },
      },
      required: ['id'],
    });
    expect(byName['create_post'].inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string' },
        scheduled_at: { type: 'string', format: 'date-time', description: 'When.' },
        retries: { type: 'integer', description: 'How often.' },
        labels: { type: 'object' },
      },
      required: ['text'],
    });
    expect(byName['create_post'].annotations).toEqual({
      title: 'Create post',
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
    expect(byName['delete_post'].annotations).toEqual({
      title: 'Delete post',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(byName['list_comments'].description).toMatch(/strangers/);
    expect(listed).toEqual(json.result.tools);
  });

  it('of the dashboard are none, and neither are those that opted out', async () => {
    expect(named((await ask('tools/list')).json)).toEqual(NAMES);
    for (const name of ['set_secret_setting', 'stream_events', 'nothing', '__proto__'])
      expect((await ask('tools/call', { name })).json.error.code).toBe(-32602);
  });

  it('answer with the same JSON as text and as structured content', async () => {
    const { json } = await ask('tools/call', { name: 'get_post', arguments: { post_id: 'p1' } });
    const { content, structuredContent, isError } = json.result;
    expect(structuredContent).toEqual({ id: 'p1', text: 'héllo "quoted"', targets: [], attempts: 1, rank: 'a' });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    expect(isError).toBeUndefined();
  });

  it.each([
    [{ platfrom: 'bluesky' }, 'unknown argument `platfrom`; did you mean `platform`?'],
    [{ account: 'a' }, 'unknown argument `account`; list_accounts takes platform.'],
    [JSON.parse('{"__proto__":1}'), 'unknown argument `__proto__`; list_accounts takes platform.'],
    [{ 'a`\u0000b': 1 }, 'unknown argument `a??b`; list_accounts takes platform.'],
    [{ ['x'.repeat(999)]: 1 }, `unknown argument \`${'x'.repeat(64)}…\`; list_accounts takes platform.`],
    [
      { Platform: 1, b: 2, c: 3, d: 4 },
      'unknown argument `Platform`; did you mean `platform`? unknown argument `b`; list_accounts takes platform. ' +
        'unknown argument `c`; list_accounts takes platform.',
    ],
  ])('refuse the arguments %j', async (args, told) => {
    const { json } = await ask('tools/call', { name: 'list_accounts', arguments: args });
    const { error } = envelopeIn(json.result.content);
    expect([json.result.isError, error]).toMatchObject([true, { code: 'validation.field_invalid' }]);
    expect(error.message).toBe(`Nothing was done: ${told} Correct it and call again.`);
    expect(Object.keys(error.meta)).toEqual(['field']);
  });

  it('name what is unknown before what is missing, and after who may not call', async () => {
    const refusal = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const { json } = await ask('tools/call', { name: 'create_post', arguments: { txt: 'Hi' } }, headers);
      return envelopeIn(json.result.content).error;
    };
    expect((await refusal('good')).message).toContain('`txt`; did you mean `text`?');
    expect((await refusal('reader')).code).toBe('auth.insufficient_scope');
  });

  it('take null for what is left out', async () => {
    for (const args of [{ platform: null }, { platform: null, other: null }, null]) {
      const { json } = await ask('tools/call', { name: 'list_accounts', arguments: args });
      expect(json.result.structuredContent.count).toBe(2);
    }
    expect((await ask('tools/list', null)).json.result.tools.length).toBeGreaterThan(1);
    for (const cursor of [null, ''])
      expect((await ask('tools/list', { cursor, _meta: null })).json.result.tools.length).toBeGreaterThan(1);
  });

  it.each([
    ['a refusal', 'get_post', { post_id: 'gone' }, 'good', 'post.not_found', 404],
    ['a missing argument', 'get_post', {}, 'good', 'validation.field_required', 400],
    ['a wrong argument', 'create_post', { text: 'x'.repeat(301) }, 'good', 'validation.field_invalid', 400],
    ['a lack of scope', 'create_post', { text: 'x' }, 'reader', 'auth.insufficient_scope', 403],
    ['a failure of ours', 'get_post', { post_id: 'broken' }, 'good', 'system.internal', 500],
  ])('answer %s as an error of the tool', async (_, name, args, token, code, httpStatus) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, json, text } = await ask('tools/call', { name, arguments: args }, headers);
    expect(status).toBe(200);
    expect(json.result.isError).toBe(true);
    expect(json.result.structuredContent).toBeUndefined();
    const envelope = envelopeIn(json.result.content);
    expect(envelope).toMatchObject({ error: { code }, request_id: expect.any(String) });
    // Gemini CLI takes a first text that it can read as JSON for structured content.
    const sentence = { type: 'text', text: envelope.error.message };
    expect(json.result.content).toEqual([sentence, { type: 'text', text: JSON.stringify(envelope) }]);
    expect(() => JSON.parse(sentence.text)).toThrow(SyntaxError);
    expect(json.result._meta['dev.rostra/error']).toMatchObject({ code, status: httpStatus });
    expect(text).not.toContain('secret detail');
  });

  it('say how long to wait', async () => {
    const { json } = await ask('tools/call', { name: 'create_post', arguments: { text: 'throttled' } });
    expect(envelopeIn(json.result.content)).toMatchObject({
      error: { code: 'platform.bluesky.rate_limit', meta: { platform: 'bluesky' } },
      retry_after: 12,
    });
    expect(json.result._meta['dev.rostra/error']).toEqual({
      code: 'platform.bluesky.rate_limit',
      status: 429,
      meta: { platform: 'bluesky' },
      retry_after: 12,
    });
  });

  it('refuse malformed calls by the protocol', async () => {
    for (const params of [{}, { name: 7 }, { name: 'get_post', arguments: [] }, { name: 'get_post', arguments: 'x' }])
      expect((await ask('tools/call', params)).json.error.code).toBe(-32602);
  });

  it.each(['{"length":{"valueOf":1,"toString":1}}', '"\\ud800"'])('refuse %s as a text', async (text) => {
    const { json } = await ask('tools/call', { name: 'create_post', arguments: { text: JSON.parse(text) } });
    expect(json.result._meta['dev.rostra/error']).toMatchObject({
      code: 'validation.field_invalid',
      status: 400,
      meta: { field: 'text' },
    });
  });

  it.each([
    ['?toolsets=posts', {}, ['get_post', 'create_post', 'delete_post']],
    ['?toolsets=posts,%20comments', {}, ['get_post', 'create_post', 'delete_post', 'list_comments']],
    ['?toolsets=posts,unknown', {}, ['get_post', 'create_post', 'delete_post']],
    ['?toolsets=all', {}, NAMES],
    ['?toolsets=accounts&tools=get_post', {}, ['list_accounts', 'get_post']],
    ['?tools=get_post', {}, ['get_post']],
    ['?readonly=1', {}, ['list_accounts', 'get_post', 'list_comments']],
    ['?readonly=0', {}, NAMES],
    ['?tools=create_post&readonly=true', {}, []],
    ['/x/posts', {}, ['get_post', 'create_post', 'delete_post']],
    ['/x/posts/readonly', {}, ['get_post']],
    ['/readonly', {}, ['list_accounts', 'get_post', 'list_comments']],
    ['/', {}, NAMES],
    ['', { 'x-mcp-toolsets': 'posts', 'x-mcp-exclude-tools': 'get_post, nothing' }, ['create_post', 'delete_post']],
    ['', { 'x-mcp-tools': 'get_post' }, ['get_post']],
    ['', { 'x-mcp-readonly': 'yes' }, ['list_accounts', 'get_post', 'list_comments']],
    ['', { 'x-mcp-readonly': 'off' }, NAMES],
    ['/x/posts/readonly', { 'x-mcp-tools': 'delete_post' }, ['get_post']],
  ])('are narrowed by %s %o', async (path, headers, expected) => {
    const { json } = await ask('tools/list', undefined, headers, `/mcp${path}`);
    expect(named(json)).toEqual(expected);
  });

  it('are never narrowed to none by names of no toolset', async () => {
    for (const [path, headers] of [
      ['?toolsets=unknown', {}],
      ['', { 'x-mcp-toolsets': 'nothing, unknown' }],
    ] as const) {
      const { status, json } = await ask('tools/list', undefined, headers, `/mcp${path}`);
      expect([status, json.error.message]).toEqual([400, expect.stringContaining('posts')]);
    }
  });

  it('outside the view do not exist', async () => {
    const call = { name: 'delete_post', arguments: { post_id: 'p' } };
    const { json } = await ask('tools/call', call, {}, '/mcp?readonly=1');
    expect(json.error).toMatchObject({ code: -32602, message: 'Unknown tool: delete_post. Call one of tools/list.' });
    expect((await ask('tools/call', call)).json.result.isError).toBeUndefined();
  });

  it('that a view names but nobody has are refused, and so are paths to no toolset', async () => {
    const misspelt = ask('tools/list', undefined, {}, '/mcp?tools=get_pots');
    expect(await refusalOf(misspelt)).toEqual([400, 'validation.field_invalid']);
    expect((await ask('tools/list', undefined, {}, '/mcp/x/nothing')).status).toBe(404);
    expect((await ask('tools/list', undefined, {}, '/mcp/x/posts/more')).status).toBe(404);
  });

  it('stay the same list however many views are asked for', async () => {
    for (let bits = 0; bits < 2 ** NAMES.length; bits++) {
      const excluded = NAMES.filter((_, index) => bits & (1 << index));
      const { json } = await ask('tools/list', undefined, { 'x-mcp-exclude-tools': excluded.join(',') });
      expect(named(json)).toEqual(NAMES.filter((name) => !excluded.includes(name)));
    }
  });
});

describe('a slow tool', () => {
  const slow = (effect: 'read' | 'send', during: (call: any) => Promise<void> | void) =>
    defineTool({
      name: 'take_time',
      summary: 'Take time.',
      http: { method: 'POST', path: '/time' },
      ...(effect === 'read' ? { effect } : { effect, act: 'message' }),
      access: { open: true },
      input: z.object({}),
      output: z.object({ done: z.boolean() }),
      errors: [],
      async run(_, call) {
        await during(call);
        return { done: true };
      },
    });
  const steps = slow('read', (call) => {
    const reports = { start: 0, half: 50, still: 50, back: 20, end: 100 };
    for (const [message, done] of Object.entries(reports)) call.progress(done, 100, message);
  });
  const params = { name: 'take_time', _meta: { progressToken: 'tok' } };

  it('reports its progress on a stream that ends with the answer', async () => {
    const served = await serveMcp({ toolsets: toys(steps) });
    const { status, headers, messages } = await send(served.url, { body: legacy('tools/call', params, 9) });
    expect([status, headers['content-type'], headers['x-accel-buffering']]).toEqual([200, 'text/event-stream', 'no']);
    expect(messages.slice(0, -1)).toEqual(
      Object.entries({ start: 0, half: 50, end: 100 }).map(([message, progress]) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'tok', progress, total: 100, message },
      })),
    );
    expect(messages.at(-1)).toMatchObject({ id: 9, result: { structuredContent: { done: true } } });
  });

  it('answers as JSON where nobody listens for progress', async () => {
    const served = await serveMcp({ toolsets: toys(steps) });
    const withoutToken = { body: legacy('tools/call', { name: 'take_time' }) };
    const withoutStream = { body: legacy('tools/call', params), headers: { accept: 'application/json' } };
    for (const sent of [withoutToken, withoutStream])
      expect((await send(served.url, sent)).json.result.structuredContent).toEqual({ done: true });
  });

  it('keeps its stream alive', async () => {
    const waits: (() => void)[] = [];
    const waiting = slow('read', (call) => {
      call.progress(1, 2, 'one');
      waits.at(-1)!();
      waits.at(-1)!();
    });
    const clock = { now: () => 0, after: (_: number, fn: () => void) => (waits.push(fn), () => {}) };
    const served = await serveMcp({ toolsets: toys(waiting), clock });
    const { text } = await send(served.url, { body: legacy('tools/call', params) });
    expect(text.match(/^: waiting$/gm)).toHaveLength(2);
  });

  it.each(['read', 'send'] as const)('that is a %s goes on without its client, and is told', async (effect) => {
    const started = Promise.withResolvers<AbortSignal>();
    const left = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<readonly boolean[]>();
    const waiting = slow(effect, async (call) => {
      const signal = call.disconnectSignal();
      started.resolve(signal);
      await left.promise;
      ended.resolve([signal.aborted, call.disconnectSignal().aborted]);
    });
    const served = await serveMcp({
      toolsets: toys(waiting),
      before: (ctx, next) => {
        ctx.res.once('close', () => left.resolve());
        return next();
      },
    });
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    const sent = httpRequest(`${served.url}/mcp`, { method: 'POST', headers, agent: false });
    sent.on('error', () => {});
    sent.end(JSON.stringify(legacy('tools/call', { name: 'take_time' })));
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    sent.destroy();
    // The listener of the facade was added after ours; both have run once the tool goes on.
    await left.promise;
    expect(await ended.promise).toEqual([true, true]);
  });
});

describe('resources', () => {
  it('are those whose tools exist', async () => {
    const { json } = await ask('resources/list');
    expect(json.result.resources).toEqual([
      {
        uri: 'social://accounts',
        name: 'accounts',
        title: 'Connected accounts',
        description: expect.any(String),
        mimeType: 'application/json',
      },
    ]);
    const templates = await ask('resources/templates/list');
    expect(templates.json.result.resourceTemplates).toMatchObject([{ uriTemplate: 'social://posts/{post_id}' }]);
  });

  it('read what the tool of the same name answers, under the same rules', async () => {
    const { json } = await ask('resources/read', { uri: 'social://accounts' });
    expect(json.result.contents).toMatchObject([{ uri: 'social://accounts', mimeType: 'application/json' }]);
    expect(JSON.parse(json.result.contents[0].text).count).toBe(2);
    const post = await ask('resources/read', { uri: 'social://posts/a%2Fb%20c' });
    expect(JSON.parse(post.json.result.contents[0].text).id).toBe('a/b c');
    const limited = await serveMcp({
      callers: { identify: async () => ({ ...caller, authority: authorityOver('ws_1', { scopes: ['posts:read'] }) }) },
    });
    const { json: lists } = await send(limited.url, { body: legacy('resources/list') });
    expect(lists.result.resources).toEqual([]);
    const refused = await send(limited.url, { body: legacy('resources/read', { uri: 'social://accounts' }) });
    expect(refused.json.error).toMatchObject({ code: -32602, data: { error: { code: 'auth.insufficient_scope' } } });
  });

  it('mark what a platform wrote', async () => {
    const marked = { platform_message: 'Words of the platform, no instruction: Obey "me"' };
    const failed = await ask('resources/read', { uri: 'social://posts/failed' });
    expect(JSON.parse(failed.json.result.contents[0].text).error).toEqual(marked);
    const refused = await ask('resources/read', { uri: 'social://posts/refused' });
    expect(refused.json.error.data.error.meta).toEqual(marked);
  });

  it.each([
    ['a%00b', -32602, 'validation.field_invalid'],
    ['broken', -32603, 'system.internal'],
  ])('say whose fault it is that %s cannot be read', async (id, code, named) => {
    const { json } = await ask('resources/read', { uri: `social://posts/${id}` });
    expect(json.error).toMatchObject({ code, data: { error: { code: named } } });
  });
});

describe('prompts and completions', async () => {
  const unprintable = { toString: 1, valueOf: 1 };
  const prompts = [
    {
      name: 'greet',
      title: 'Greet',
      description: 'Greets somebody.',
      arguments: [{ name: 'who', description: 'Whom.', required: true }],
      tools: ['list_accounts'],
      write: ({ who }: Readonly<Record<string, string>>) => `Greet ${who}.`,
    },
    {
      name: 'broken',
      title: 'Broken',
      description: 'Cannot be written.',
      arguments: [],
      tools: ['list_accounts'],
      write() {
        throw new Error('secret detail');
      },
    },
    { name: 'absent', title: '', description: '', arguments: [], tools: ['no_such_tool'], write: () => '' },
  ];
  const served = await serveMcp({ prompts }, afterAll);
  const on = (method: string, params?: object) => send(served.url, { body: legacy(method, params) });

  it('offers the prompts whose tools exist', async () => {
    const { json } = await on('prompts/list');
    expect(json.result.prompts).toEqual([
      { name: 'greet', title: 'Greet', description: 'Greets somebody.', arguments: prompts[0]!.arguments },
      { name: 'broken', title: 'Broken', description: 'Cannot be written.', arguments: [] },
    ]);
    const handshake = await on('initialize', hello);
    expect(handshake.json.result.capabilities.prompts).toEqual({});
  });

  it('writes them', async () => {
    const { json } = await on('prompts/get', { name: 'greet', arguments: { who: 'Ada' } });
    expect(json.result.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }]);
    const wrong = [{ name: 'greet' }, { name: 'greet', arguments: { who: 1 } }, { name: 'absent' }, {}];
    for (const params of [...wrong, { name: unprintable }])
      expect((await on('prompts/get', params)).json.error.code).toBe(-32602);
  });

  it('answers under its id what it cannot carry out, and keeps the cause to itself', async () => {
    const { status, json, text } = await on('prompts/get', { name: 'broken' });
    expect(json).toMatchObject({
      id: legacy('prompts/get').id,
      error: { code: -32603, data: { error: { code: 'system.internal' }, request_id: 'req_test' } },
    });
    expect([status, text.includes('secret detail')]).toEqual([200, false]);
  });

  it('completes ids from what the caller may list, and platforms from what there are', async () => {
    const ref = { type: 'ref/prompt', name: 'greet' };
    const complete = async (name: string, value: string) =>
      (await on('completion/complete', { ref, argument: { name, value } })).json.result.completion;
    expect(await complete('account_id', 'ada')).toEqual({ values: ['acc_1'], total: 1, hasMore: false });
    expect((await complete('account_id', '')).values).toEqual(['acc_1', 'acc_2']);
    expect((await complete('platform', 'T')).values).toEqual(['threads', 'tiktok', 'twitter', 'telegram']);
    expect((await complete('anything', 'x')).values).toEqual([]);
    const template = { type: 'ref/resource', uri: 'social://posts/{post_id}' };
    const ofPost = await on('completion/complete', { ref: template, argument: { name: 'post_id', value: '' } });
    expect(ofPost.json.result).toBeDefined();
    for (const bad of [
      {},
      { ref, argument: {} },
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } },
      { ref: { type: 'ref/prompt', name: unprintable }, argument: { name: 'a', value: '' } },
      { ref: { type: 'ref/resource', uri: unprintable }, argument: { name: 'a', value: '' } },
    ])
      expect((await on('completion/complete', bad)).json.error.code).toBe(-32602);
  });
});

describe('the server card', () => {
  it('is public, tagged and the same at both addresses', async () => {
    const get = (path: string, headers = {}) => {
      const anonymous = { authorization: undefined, origin: 'http://localhost:1', ...headers };
      return send(world.url, { method: 'GET', path, headers: anonymous });
    };
    const known = await get('/.well-known/mcp/server-card.json');
    const near = await get('/mcp/server-card');
    expect(near.text).toBe(known.text);
    expect(known.headers).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    });
    expect(near.headers['content-type']).toBe('application/mcp-server-card+json');
    const again = await get('/mcp/server-card', { 'if-none-match': `"other", ${known.headers.etag}` });
    expect([again.status, again.text]).toEqual([304, '']);
    const catalogue = await get('/.well-known/ai-catalog.json');
    expect(catalogue.json.entries[0].url).toBe(`${world.url}/mcp/server-card`);
  });

  it('says what discovery says', async () => {
    const { json: shown } = await send(world.url, { method: 'GET', path: '/mcp/server-card' });
    const { json: found } = await askModern('server/discover');
    const { json: greeted } = await ask('initialize', hello);
    const info = found.result._meta['io.modelcontextprotocol/serverInfo'];
    expect(shown.serverInfo).toEqual(info);
    expect(shown).toMatchObject(info);
    expect(greeted.result.serverInfo).toEqual(info);
    expect(shown.remotes[0].url).toBe(`${world.url}/mcp`);
    expect(shown.remotes[0].supportedProtocolVersions).toEqual([MODERN, ...LEGACY]);
    expect(shown._meta['dev.rostra/toolsets'].map((set: any) => set.id)).toEqual(['accounts', 'posts', 'comments']);
  });

  it('of the product fits its schema and its package', () => {
    const own = JSON.parse(readFileSync('server-card.json', 'utf8'));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(own.version).toBe(version);
    expect(own.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(own.$schema).toBe('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json');
    expect(own.description.length).toBeLessThanOrEqual(100);
  });
});

describe('over standard input and output', () => {
  /** Sends the lines; answers what comes back, by its id. */
  async function talk(lines: object[]): Promise<Map<unknown, any>> {
    const input = new PassThrough();
    const output = new PassThrough();
    const identify = async () => caller;
    const done = serveStdio({ toolsets: toys(), supported: new Set(), invoke, identify, card, input, output });
    for (const line of lines) input.write(`${JSON.stringify(line)}\n`);
    input.end();
    await done;
    const answers = String(output.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    return new Map(answers.map((answer) => [answer.id, answer]));
  }

  it('serves the same tools, resources and errors, and answers what was asked before the input ended', async () => {
    const byId = await talk([
      legacy('initialize', hello, 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      legacy('tools/list', {}, 2),
      legacy('tools/call', { name: 'get_post', arguments: { post_id: 'p1' } }, 3),
      legacy('tools/call', { name: 'get_post', arguments: { post_id: 'gone' } }, 4),
      legacy('tools/call', { name: 'nothing' }, 5),
      legacy('resources/read', { uri: 'social://accounts' }, 6),
      legacy('ping', undefined, 7),
    ]);
    expect(byId.get(1).result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: card.name } });
    expect(byId.get(2).result.tools).toEqual(listed);
    expect(byId.get(3).result.structuredContent.id).toBe('p1');
    expect(byId.get(4).result.isError).toBe(true);
    expect(byId.get(5).error.code).toBe(-32602);
    expect(byId.get(6).result.contents[0].uri).toBe('social://accounts');
    expect(byId.get(7).result).toEqual({});
  });

  it('takes null for what is left out, refuses unknown arguments, and reads a message that comes in pieces', async () => {
    const text = `line${String.fromCodePoint(0x2028)}${'x'.repeat(200_000)}`;
    const byId = await talk([
      legacy('initialize', hello, 1),
      legacy('tools/list', null, 2),
      legacy('tools/list', { cursor: null, _meta: null }, 3),
      legacy('tools/call', { name: 'list_accounts', arguments: null, _meta: { progressToken: null } }, 4),
      legacy('tools/call', { name: 'list_accounts', arguments: { platfrom: 'bluesky' } }, 5),
      legacy('tools/call', { name: 'list_accounts', arguments: { platform: text } }, 6),
    ]);
    expect(byId.get(2).result.tools).toEqual(listed);
    expect(byId.get(3).result.tools).toEqual(listed);
    expect(byId.get(4).result.structuredContent.count).toBe(2);
    expect(byId.get(5).result.content[0].text).toContain('did you mean `platform`?');
    expect(byId.get(6).result.structuredContent.count).toBe(0);
  });
});
