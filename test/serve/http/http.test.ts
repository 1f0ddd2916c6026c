import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { KEY, openWorld } from '../../harness/worlds/http.ts';
import { refusalOf } from '../../harness/calls/rest.ts';

const it = test.extend('world', () => openWorld());

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('a request and its id', () => {
  it('keeps a usable X-Request-ID, makes one otherwise, and repeats it in error bodies', async ({ world }) => {
    const kept = await world.send('/v1/notes', { headers: { 'X-Request-ID': 'my-id_1' } });
    expect(kept.headers['x-request-id']).toBe('my-id_1');

    for (const bad of ['has space', 'x'.repeat(65), 'ümlaut'.normalize('NFD').slice(0, 1) + ';', '']) {
      const { headers } = await world.send('/v1/notes', { headers: { 'X-Request-ID': bad } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8,}$/);
    }
    for (const path of ['/v1/nothing', '/nothing', '/v1/notes/none', '/healthz', '/openapi.json']) {
      const { headers, body, status } = await world.send(path);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8,}$/);
      if (status >= 400) expect(body.request_id).toBe(headers['x-request-id']);
    }
  });

  it('logs one line with the route pattern and never the address', async ({ world }) => {
    await world.send('/v1/notes/very-private-id?search=very-private-words');
    await world.send('/media/very-private-token/a.png');
    await world.send('/very-private-path');
    const lines = world.lines.map((line) => JSON.parse(line));
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v1/notes/{note_id}', 200],
      ['GET', '/media/*', 404],
      ['GET', '*', 404],
    ]);
    expect(world.lines.join('')).not.toContain('very-private');
  });

  it('logs the address that the trusted proxy saw, whatever it is', async () => {
    const world = await openWorld({ config: { trustProxy: 1 } });
    const headers = { 'X-Forwarded-For': '192.0.2.1, 9"}\\9' };
    for (const path of ['/v1/notes', '/nothing']) await world.send(path, { headers });
    const lines = world.lines.map((line) => JSON.parse(line));
    const fields = ['level', 'time', 'request_id', 'address', 'method', 'route', 'status', 'ms', 'msg'];
    const [operation, nothing] = lines;
    expect(Object.keys(operation).filter((name) => name !== 'tool')).toEqual(fields);
    expect([operation.address, nothing.address]).toEqual(['9"}\\9', '9"}\\9']);
    expect([operation.route, nothing.route]).toEqual(['/v1/notes', '*']);
  });

  it('answers what is no HTTP with an envelope and goes on', async ({ world }) => {
    const answer = await world.raw('this is no HTTP\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/X-Request-ID: [0-9a-f]{8,}/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code).toBe('validation.body_invalid');
    const long = await world.raw(`GET /v1/notes?search=${'x'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(long.split('\r\n\r\n')[1]!).error.code).toBe('http.431');
    expect((await world.send('/v1/notes')).status).toBe(200);
  });

  it('answers a request with an expectation of its own as every other', async ({ world }) => {
    const address = `Host: localhost:${world.port}\r\nConnection: close\r\n`;
    const hopeful = await world.raw(`GET /v1/notes HTTP/1.1\r\n${address}Expect: foo\r\n\r\n`);
    expect(hopeful).toMatch(/^HTTP\/1\.1 401 [^]*X-Request-ID: [0-9a-f]{8,}[^]*"code":"auth\.missing_header"/);
  });

  it('ends the signal of an operation whose client left, and logs where it came from', async ({ world }) => {
    const headers = { Authorization: `Bearer ${KEY}`, Host: `localhost:${world.port}` };
    const req = request({ host: '127.0.0.1', port: world.port, path: '/v1/notes/wait', method: 'POST', headers });
    req.on('error', () => {});
    req.end();
    const signal = await world.waiting;
    expect(signal.aborted).toBe(false);
    req.destroy();
    if (!signal.aborted) await once(signal, 'abort');
    expect(signal.aborted).toBe(true);
    await expect.poll(() => world.lines.map((line) => JSON.parse(line).address)).toEqual(['127.0.0.1']);
  });

  it('never shows why something broke', async ({ world }) => {
    const { status, text, body } = await world.send('/v1/notes/break', { method: 'POST' });
    expect([status, body.error.code]).toEqual([500, 'system.internal']);
    expect(text).not.toContain('secret reason');
    expect(world.lines.join('')).toContain('a secret reason');
  });
});

describe('routes of /v1', () => {
  it('prefers static segments, forgives a trailing slash, and keeps case', async ({ world }) => {
    expect((await world.send('/v1/notes/latest')).body).toEqual({ latest: true });
    expect((await world.send('/v1/notes/latest/')).body).toEqual({ latest: true });
    expect((await world.send('/v1/notes/?limit=2')).body.input.limit).toBe(2);
    expect((await world.send('/v1/Notes')).body.error.code).toBe('http.404');
    expect((await world.send('/v1')).status).toBe(404);
    expect((await world.send('/v10/notes')).status).toBe(404);
    for (const method of ['GET', 'PATCH']) expect((await world.send('/v1/notes//', { method })).status).toBe(404);
  });

  it('decodes parameters once, and refuses what is not correctly encoded', async ({ world }) => {
    const id = async (path: string) => (await world.send(`/v1/notes/${path}`)).body.input.note_id;
    expect(await id('at%3A%2F%2Fdid%3Aplc%3Ax%2Fapp.post%2F3k')).toBe('at://did:plc:x/app.post/3k');
    expect(await id('50%25%2525')).toBe('50%%25');
    expect(await id('caf%C3%A9+x')).toBe('café+x');
    for (const bad of ['%', '%zz', '%E0%A4%A', '%C0%AF']) {
      expect(await refusalOf(world.send(`/v1/notes/${bad}`))).toEqual([400, 'validation.field_invalid']);
    }
    const long = await world.send(`/v1/notes/${'x'.repeat(8000)}`);
    expect([long.status, long.body.error.meta.field]).toEqual([400, 'note_id']);
  });

  it('answers HEAD as GET without the body, and 405 with what a path does take', async ({ world }) => {
    const head = await world.send('/v1/notes', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
    const wrong = await world.send('/v1/notes', { method: 'DELETE' });
    expect([wrong.status, wrong.body.error.code, wrong.headers.allow]).toEqual([405, 'http.405', 'GET, HEAD, POST']);
    const trace = await world.send('/v1/notes/x', { method: 'PROPFIND' });
    expect([trace.status, trace.headers.allow]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
  });
});

describe('a GET that makes something', () => {
  it('is no HEAD: who only asks for the headers changes nothing', async ({ world }) => {
    const head = await world.send('/v1/notes/address', { method: 'HEAD' });
    expect([head.status, head.headers.allow, world.made()]).toEqual([405, 'GET, PATCH, DELETE', 0]);
    expect((await world.send('/v1/notes/address')).status).toBe(200);
    expect(world.made()).toBe(1);
  });
});

describe('the headers of a metered operation', () => {
  it.for([
    ['come with its answer, refusals included', async () => ({ 'X-Interactions-Remaining': '7' }), '7', ''],
    [
      'are left out where they are not known: what is done stays done',
      () => Promise.reject(new Error('no store')),
      undefined,
      'no store',
    ],
  ] as const)('%s', async ([, meterHeaders, remaining, logged]) => {
    const world = await openWorld({ meterHeaders });
    const answers = [
      await world.json('/v1/notes/send', { to: 'you' }),
      await world.json('/v1/notes/send', { to: 'nobody' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
    for (const { headers } of answers) expect(headers['x-interactions-remaining']).toBe(remaining);
    expect(world.lines.join('')).toContain(logged);
  });
});

describe('input', () => {
  it('takes null for absent where it means nothing else', async ({ world }) => {
    const send = async (body: object) => (await world.json('/v1/notes/send', body)).body;
    expect((await send({ to: 'you', from: null, size: null, reply_to: null })).input).toEqual({
      to: 'you',
      size: 1,
      parts: [],
      reply_to: null,
    });
    const parts = [{ text: 'a', alt: null, kind: null, other: null }];
    expect((await send({ to: 'you', parts })).input.parts).toEqual([{ text: 'a', kind: null }]);
    const refused = await send({ to: null, from: null });
    expect([refused.error.code, refused.error.meta.field]).toEqual(['validation.field_required', 'to']);
  });

  it('calls an empty text missing where one is required, and wrong where it may be left out', async ({ world }) => {
    const refusalOf = async (body: object) => {
      const { error } = (await world.json('/v1/notes/send', body)).body;
      return [error.code, error.meta.field];
    };
    expect(await refusalOf({ to: '' })).toEqual(['validation.field_required', 'to']);
    expect(await refusalOf({ to: 'you', from: '' })).toEqual(['validation.field_invalid', 'from']);
    const required = ['validation.field_required', 'parts.0.text'];
    for (const part of [{}, { text: null }, { text: '' }])
      expect(await refusalOf({ to: 'you', parts: [part] })).toEqual(required);
    const wrong = ['validation.field_invalid', 'parts.0.alt'];
    expect(await refusalOf({ to: 'you', parts: [{ text: 'a', alt: '' }] })).toEqual(wrong);
    expect(await refusalOf({ to: 'you', parts: [null] })).toEqual(['validation.field_required', 'parts.0']);
    expect(await refusalOf({ to: 'you', from: 7 })).toEqual(['validation.field_invalid', 'from']);
  });

  it('reads a query by the schema', async ({ world }) => {
    const read = async (query: string) => (await world.send(`/v1/notes?${query}`)).body.input;
    expect(await read('limit=5&hidden=1&ids=a,%20b,&days=1&days=2&size=all&term=7&search=x&unknown=1')).toEqual({
      limit: 5,
      hidden: true,
      ids: ['a', 'b'],
      days: [1, 2],
      size: 'all',
      term: 7,
      search: 'x',
    });
    expect(await read('hidden=false&ids=a&ids=b,c&size=3')).toEqual({ hidden: false, ids: ['a', 'b', 'c'], size: 3 });
    expect(await read('limit=&hidden=&ids=&ids=,&search=')).toEqual({ hidden: false });
    expect(await read('search=50%25%2525+%E2%82%AC&unknown=%')).toEqual({ hidden: false, search: '50%%25 €' });
    expect(await read('search=007')).toEqual({ hidden: false, search: '007' });
    expect(await read('__proto__=x&constructor=y&toString=z')).toEqual({ hidden: false });
  });

  it.for([
    'limit=ten',
    'limit=0',
    'limit=1e999',
    'limit=0x10',
    'hidden=yes',
    'search=a&search=b',
    'days=1,x',
    'term=2',
    'search=%',
    'ids=%zz&search=a',
    'search=%ff',
    'search=%ED%A0%80',
  ])('refuses %s', async (query, { world }) => {
    const { status, body } = await world.send(`/v1/notes?${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation.field_invalid']);
    expect(query).toMatch(new RegExp(`^${String(body.error.meta.field).split('.')[0]}=`));
  });

  it('puts the path before the body and the body before the query', async ({ world }) => {
    const { body } = await world.json(
      '/v1/notes/real?text=query',
      { note_id: 'forged', text: 'body', other: 1 },
      { method: 'PATCH' },
    );
    expect(body.input).toEqual({ note_id: 'real', text: 'body' });
    const created = await world.json('/v1/notes?dry_run=true&text=query', { text: 'body' });
    expect(created.body.input).toEqual({ dry_run: true, text: 'body' });
  });

  it('takes a DELETE with its keys in the query or in a body', async ({ world }) => {
    expect((await world.send('/v1/notes/x?reason=old', { method: 'DELETE' })).body.input).toEqual({
      note_id: 'x',
      reason: 'old',
    });
    expect((await world.json('/v1/notes/x', { reason: 'old' }, { method: 'DELETE' })).body.input.reason).toBe('old');
  });

  it('takes a POST without body or content type, and JSON without a content type', async ({ world }) => {
    expect((await world.send('/v1/notes', { method: 'POST' })).body).toEqual({ input: { dry_run: false } });
    expect((await world.send('/v1/notes', { method: 'POST', headers: JSON_TYPE, body: '' })).status).toBe(201);
    expect((await world.send('/v1/notes', { method: 'POST', body: '{"text":"a"}' })).body.input.text).toBe('a');
    const patch = await world.json('/v1/notes/x', '{"text":"a"}', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json; charset=utf-8' },
    });
    expect(patch.body.input.text).toBe('a');
    expect((await world.json('/v1/notes', { text: 'a' })).headers['x-posts-remaining']).toBe('3');
  });

  it.for([
    ['half an object', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['what is nested too deep', `{"extra":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['what would overflow the stack', `{"extra":${'['.repeat(200_000)}`],
    ['too many values', `{"tags":[${'1,'.repeat(60_000)}1]}`],
  ] as const)('refuses %s as a body', async ([, text], { world }) => {
    expect(await refusalOf(world.json('/v1/notes', text))).toEqual([400, 'validation.body_invalid']);
  });

  it('refuses bytes that are no UTF-8, other types and encodings', async ({ world }) => {
    const post = (headers: Record<string, string>, body: string | Buffer) =>
      world.send('/v1/notes', { method: 'POST', headers, body });
    expect((await post(JSON_TYPE, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).body.error.code).toBe(
      'validation.body_invalid',
    );
    expect((await post({ 'Content-Type': 'text/plain' }, '{}')).body.error.code).toBe('http.415');
    expect((await post({ 'Content-Type': 'application/x-www-form-urlencoded' }, 'text=a')).status).toBe(415);
    expect((await post({ ...JSON_TYPE, 'Content-Encoding': 'gzip' }, '{}')).status).toBe(415);
    expect((await post({ 'Content-Type': 'text/plain' }, '')).status).toBe(201);
  });

  it('takes a body of 1 MiB and refuses a larger one, announced or not', async ({ world }) => {
    const most = JSON.stringify({ text: 'x'.repeat(1_048_576 - 11) });
    expect((await world.json('/v1/notes', most)).status).toBe(201);
    const more = `${most} `;
    expect((await world.json('/v1/notes', more)).body.error.code).toBe('http.413');
    const chunked = world.json('/v1/notes', more, { headers: { 'Transfer-Encoding': 'chunked' } });
    expect(await refusalOf(chunked)).toEqual([413, 'http.413']);
    expect((await world.send('/v1/notes')).status).toBe(200);
  });

  it.for([
    ['a NUL, which one of the databases cannot hold', 'extra.deep.0', '{"extra":{"deep":["a\\u0000b"]}}'],
    ['half of a surrogate pair, which would come back as another character', 'text', '{"text":"\\ud800"}'],
    ['a surrogate pair the wrong way round', 'text', '{"text":"\\udc00\\ud83d"}'],
    ['half of a surrogate pair, however deep', 'extra.deep.0', '{"extra":{"deep":["a\\udfff"]}}'],
    ['a text whose length cannot be compared', 'text', '{"text":{"length":{"valueOf":1,"toString":1}}}'],
    ['a list whose length cannot be compared', 'tags', '{"text":"a","tags":{"length":{"valueOf":1,"toString":1}}}'],
    ['an item whose length cannot be compared', 'tags', '{"tags":["a",{"length":[{"toString":1,"valueOf":1}]}]}'],
  ] as const)('refuses %s', async ([, field, sent], { world }) => {
    const { status, body } = await world.json('/v1/notes', sent);
    expect([status, body.error.code, body.error.meta]).toEqual([400, 'validation.field_invalid', { field }]);
  });

  it('refuses a NUL in an address, and takes a whole surrogate pair', async ({ world }) => {
    for (const path of ['/v1/notes/a%00b', '/v1/notes?search=%00'])
      expect((await world.send(path)).body.error.code).toBe('validation.field_invalid');
    expect((await world.json('/v1/notes', '{"text":"\\ud83d\\ude00"}')).body.input.text).toBe('\u{1f600}');
  });

  it('keeps prototypes out of the input', async ({ world }) => {
    const { body } = await world.json('/v1/notes', '{"__proto__":{"text":"inherited"},"extra":{"__proto__":{"a":1}}}');
    expect(body.input.text).toBeUndefined();
  });

  it('reads a multipart form', async ({ world }) => {
    const form = new FormData();
    form.set('dry_run', '1');
    form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
    const encoded = new Response(form);
    const headers = { 'Content-Type': encoded.headers.get('content-type')! };
    const body = Buffer.from(await encoded.arrayBuffer());
    const { status, body: answered } = await world.send('/v1/notes/upload', { method: 'POST', headers, body });
    expect(status).toBe(201);
    expect(answered).toEqual({
      filename: 'hello.txt',
      content_type: 'text/plain',
      dry_run: true,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    for (const rest of ['', '; boundary=', '; boundary="', '; x="boundary=a"', '; boundary="a; x=;']) {
      const type = { 'Content-Type': `multipart/form-data${rest}` };
      const malformed = await world.send('/v1/notes/upload', { method: 'POST', headers: type, body });
      expect([rest, malformed.status, malformed.body.error.code]).toEqual([rest, 400, 'validation.body_invalid']);
    }
    const json = await world.json('/v1/notes/upload', { file: 'x' });
    expect([json.status, json.body.error.code]).toEqual([400, 'validation.body_invalid']);
    expect(json.body.error.message).toContain('multipart/form-data');
  });
});

describe('who calls', () => {
  it('is asked before the body is read', async ({ world }) => {
    const unread = await world.raw(
      `POST /v1/notes HTTP/1.1\r\nHost: localhost:${world.port}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 1000000\r\nConnection: close\r\n\r\n{"text":',
    );
    expect(unread).toMatch(/^HTTP\/1\.1 401 /);
    expect(unread).toContain('auth.missing_header');
    expect((await world.json('/v1/notes', '{', { anonymous: true })).status).toBe(401);
  });

  it('gets a challenge with auth refusals, and with no other 401', async ({ world }) => {
    const none = await world.send('/v1/notes', { anonymous: true });
    expect(none.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${world.rootUrl}/.well-known/oauth-protected-resource", scope="social:all"`,
    );
    const wrong = await world.send('/v1/notes', { headers: { Authorization: 'Bearer nope' } });
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'auth.invalid_key']);
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"');
    const forbidden = await world.send('/v1/rules');
    expect([forbidden.status, forbidden.body.error.code]).toEqual([403, 'auth.dashboard_only']);
    expect(forbidden.headers['www-authenticate']).toBeUndefined();
  });

  it('is never known by a cookie', async ({ world }) => {
    for (const Cookie of [`token=${KEY}`, `__Host-session=${KEY}`, `Authorization=Bearer ${KEY}`]) {
      const asked = world.send('/v1/notes', { anonymous: true, headers: { Cookie } });
      expect(await refusalOf(asked)).toEqual([401, 'auth.missing_header']);
    }
  });
});

describe('browsers elsewhere', () => {
  it('may call with a token of their own, never with credentials', async ({ world }) => {
    const preflight = await world.send('/v1/notes', {
      method: 'OPTIONS',
      anonymous: true,
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    expect(preflight.headers['access-control-allow-headers']).toContain('Idempotency-Key');
    for (const path of ['/v1/notes', '/v1/notes/none', '/v1/nothing', '/openapi.json']) {
      const { headers } = await world.send(path, { headers: { Origin: 'https://app.example' } });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
    const { headers } = await world.send('/v1/notes', { headers: { Origin: 'https://app.example' } });
    expect(headers['access-control-expose-headers']).toContain('X-Request-ID');
    expect(
      (await world.send('/healthz', { headers: { Origin: 'x' } })).headers['access-control-allow-origin'],
    ).toBeUndefined();
  });

  it('are told to keep nothing', async ({ world }) => {
    expect((await world.send('/v1/notes')).headers['cache-control']).toBe('no-store');
  });
});
