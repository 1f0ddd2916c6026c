import type Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { openWorld } from '../../harness/worlds/http.ts';

const it = test.extend('world', () => openWorld());

const from = (Host: string) => ({ anonymous: true, headers: { Host } });

describe('the Host header', () => {
  it('must name this server, on every route', async ({ world }) => {
    const paths = [
      '/v1/notes',
      '/mcp',
      '/sandbox',
      '/',
      '/healthz',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/none',
    ];
    const strangers = [
      'evil.example',
      `evil.example:${world.port}`,
      `localhost.evil.example:${world.port}`,
      `127.0.0.1.evil.example:${world.port}`,
      `localhost:${world.port}@evil.example`,
      `0.0.0.0:${world.port}`,
      `localhost:${world.port === 1 ? 2 : 1}`,
      'localhost',
      'a b',
    ];
    for (const path of paths) {
      for (const stranger of strangers) {
        const { status, body } = await world.send(path, from(stranger));
        expect([path, stranger, status, body?.error.code]).toEqual([path, stranger, 421, 'http.421']);
      }
    }
  });

  it('is looked at before the token', async ({ world }) => {
    expect((await world.send('/v1/notes', { headers: { Host: 'evil.example' } })).status).toBe(421);
  });

  it('may be any loopback name with our port, upper case too', async ({ world }) => {
    for (const name of ['127.0.0.1', '[::1]', 'localhost', 'LocalHost'])
      expect((await world.send('/v1/notes', { headers: { Host: `${name}:${world.port}` } })).status).toBe(200);
  });

  it('may be a loopback name with the port of ROOT_URL where that maps to ours', async () => {
    const world = await openWorld({ config: { rootUrl: 'http://localhost:49999' } });
    for (const host of ['localhost:49999', '127.0.0.1:49999', `127.0.0.1:${world.port}`])
      expect((await world.send('/v1/notes', { headers: { Host: host } })).status).toBe(200);
  });

  it('may be the public name with its port said or left out, or a listed name', async () => {
    const world = await openWorld({
      config: { rootUrl: 'https://social.example.org', allowedHosts: ['inside.example', 'other.example:8443'] },
    });
    const status = async (Host: string) => (await world.send('/v1/notes', { headers: { Host } })).status;
    expect(await status('social.example.org')).toBe(200);
    expect(await status('SOCIAL.example.org:443')).toBe(200);
    expect(await status('social.example.org:80')).toBe(421);
    expect(await status('inside.example')).toBe(200);
    expect(await status('inside.example:9000')).toBe(200);
    expect(await status('other.example:8443')).toBe(200);
    expect(await status('other.example')).toBe(421);
    expect(await status(`localhost:${world.port}`)).toBe(200);
    expect(await status('localhost:443')).toBe(421);
  });

  it('is taken from a whole URL in the request line', async ({ world }) => {
    const get = (target: string) =>
      world.raw(`GET ${target} HTTP/1.1\r\nHost: localhost:${world.port}\r\nConnection: close\r\n\r\n`);
    expect(await get('http://evil.example/healthz')).toMatch(/^HTTP\/1\.1 421 /);
    expect(await get(`http://localhost:${world.port}/healthz`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await world.raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /);
    for (const target of ['http://', 'http://[::1/v1', 'ws://[::1/v1', 'ftp://localhost/v1']) {
      const answer = await get(target);
      expect([target, answer.slice(0, 12)]).toEqual([target, 'HTTP/1.1 400']);
      expect(answer).toContain('"code":"validation.field_invalid"');
    }
  });

  it('stands there once, and is the host of a whole URL in the request line', async ({ world }) => {
    const ours = `Host: localhost:${world.port}\r\n`;
    const refused: [string, string][] = [
      ['GET /healthz HTTP/1.1', ''],
      ['GET /healthz HTTP/1.1', `${ours}${ours}`],
      ['GET /healthz HTTP/1.1', `${ours}Accept: */*\r\nHOST: evil.example\r\n`],
      ['GET /healthz HTTP/1.1', `host: evil.example\r\n${ours}`],
      ['GET /healthz HTTP/1.0', `${ours}${ours}`],
      ['POST /mcp HTTP/1.1', `${ours}${ours}`],
      [`GET http://localhost:${world.port}/healthz HTTP/1.1`, ''],
      [`GET http://localhost:${world.port}/healthz HTTP/1.1`, `Host: 127.0.0.1:${world.port}\r\n`],
      [`GET http://localhost:${world.port}/healthz HTTP/1.1`, 'Host: evil.example\r\n'],
    ];
    for (const [line, headers] of refused) {
      const answer = await world.raw(`${line}\r\n${headers}Connection: close\r\n\r\n`);
      expect([line, headers, answer.slice(0, 12)]).toEqual([line, headers, 'HTTP/1.1 400']);
      expect(answer).toContain('"meta":{"field":"Host"}');
    }
    const whole = `GET http://LOCALHOST:${world.port}/healthz HTTP/1.1\r\n${ours}Connection: close\r\n\r\n`;
    expect(await world.raw(whole)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is never overruled by X-Forwarded-Host', async () => {
    const seen: string[] = [];
    const mount: Koa.Middleware = async (ctx, next) => {
      seen.push(ctx.host, ctx.hostname, ctx.protocol, ctx.ip);
      await next();
    };
    const world = await openWorld({ config: { trustProxy: 1 }, mounts: [mount] });
    const headers = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-For': '6.6.6.6, 9.9.9.9',
      'X-Forwarded-Proto': 'https',
    };
    await world.send('/none', { headers });
    expect(seen).toEqual([`localhost:${world.port}`, 'localhost', 'https', '9.9.9.9']);
    const forged = { Host: 'evil.example', 'X-Forwarded-Host': `localhost:${world.port}` };
    expect((await world.send('/none', { headers: forged })).status).toBe(421);
  });
});

describe('another name of this machine', () => {
  it.for([
    '/',
    '/?a=1',
    '/forgot',
    '/join',
    '/new-password',
    '/setup',
    '/sign-in?next=/',
    '/dashboard',
    '/dashboard/keys',
    '/sandbox',
    '/connect/result',
    '/invite/t',
  ])('sends a visitor of %s to ROOT_URL', async (path, { world }) => {
    const { status, headers } = await world.send(path, from(`127.0.0.1:${world.port}`));
    expect([status, headers.location]).toEqual([307, `${world.rootUrl}${path}`]);
  });

  it.for(['/v1/notes', '/sandbox/bluesky/xrpc/x', '/media/t/a.png', '/push/facebook', '/healthz', '/dashboardish'])(
    'serves %s as it is',
    async (path, { world }) => {
      const { status } = await world.send(path, { headers: { Host: `127.0.0.1:${world.port}` } });
      expect([307, 421]).not.toContain(status);
    },
  );

  it('is given the address of MCP, because tokens are issued for one address only', async ({ world }) => {
    for (const path of ['/mcp', '/mcp/x/posts']) {
      const { status, body } = await world.send(`${path}?a=1`, { method: 'POST', ...from(`127.0.0.1:${world.port}`) });
      expect(status).toBe(421);
      expect(body.error.message).toContain(`${world.rootUrl}${path}`);
    }
    expect((await world.send('/mcp', from(`localhost:${world.port}`))).status).toBe(404);
  });
});

describe('mounts', () => {
  it('come after the operations and before the probes, know the request id, and may refuse by throwing', async () => {
    const mount: Koa.Middleware = async (ctx, next) => {
      if (!['/v1/notes/latest', '/notes', '/healthz'].includes(ctx.path)) return next();
      ctx.body = { id: ctx.state['requestId'] };
    };
    const broken: Koa.Middleware = async (ctx, next) => {
      if (ctx.path === '/broken') throw new TypeError('inner words');
      await next();
    };
    const world = await openWorld({ mounts: [mount, broken] });
    expect((await world.send('/v1/notes/latest')).body).toEqual({ latest: true });
    for (const path of ['/notes', '/healthz']) {
      const mounted = await world.send(path);
      expect(mounted.body).toEqual({ id: mounted.headers['x-request-id'] });
    }
    const failed = await world.send('/broken');
    expect([failed.status, failed.body.error.code]).toEqual([500, 'system.internal']);
    expect(failed.text).not.toContain('inner words');
  });
});

describe('probes', () => {
  it('say that the process lives and whether it is ready', async () => {
    let problems: readonly string[] = [];
    const world = await openWorld({ health: async () => problems });
    expect((await world.send('/healthz', { anonymous: true })).body).toEqual({ status: 'ok' });
    expect((await world.send('/readyz', { anonymous: true })).status).toBe(200);
    problems = ['the queue stands still'];
    const { status, body } = await world.send('/readyz', { anonymous: true });
    expect([status, body]).toEqual([503, { status: 'unavailable', problems }]);
    expect((await world.send('/healthz', { method: 'POST' })).headers.allow).toBe('GET, HEAD');
  });

  it('is not ready when readiness cannot be determined', async () => {
    const world = await openWorld({ health: () => Promise.reject(new Error('no store')) });
    expect((await world.send('/readyz')).status).toBe(500);
  });

  it('count what was served, by route and never by address', async ({ world }) => {
    await world.send('/v1/notes/one');
    await world.send('/v1/notes/two');
    const counted = 'rostra_http_requests_total{facade="rest",method="GET",route="/v1/notes/{note_id}",status="200"} 2';
    const { text, headers } = await world.send('/metrics', { anonymous: true });
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain(counted);
    expect(text).toContain('process_resident_memory_bytes');
    expect((await world.send('/metrics', { anonymous: true })).text).toContain(counted);
  });

  it('shows metrics to this machine alone, or to the holder of the token', async () => {
    const world = await openWorld({ config: { metricsToken: 'a-token' } });
    const status = async (headers: Record<string, string>) =>
      (await world.send('/metrics', { anonymous: true, headers })).status;
    expect(await status({})).toBe(200);
    expect(await status({ Authorization: 'Bearer a-token', 'X-Forwarded-For': '1.2.3.4' })).toBe(200);
    for (const header of ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'])
      expect([header, await status({ [header]: 'x' })]).toEqual([header, 403]);
    const wrong = await world.send('/metrics', { anonymous: true, headers: { Authorization: 'Bearer other' } });
    expect([wrong.status, wrong.body.error.code]).toEqual([403, 'auth.invalid_secret']);
    const tokenless = await openWorld();
    expect((await tokenless.send('/metrics')).status).toBe(403);
  });
});
