import { createServer } from 'node:http';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '#kernel/errors.ts';
import type { RequestState, Route } from '#kernel/route.ts';
import { AREAS, areaOf, isAfterSignIn, isPage } from '#serve/http/areas.ts';
import { makeRouter } from '#serve/http/router.ts';
import { exchange, serveTest } from '../harness/sockets.ts';

/** Serves a table and asks it; a request no route takes is answered `none`. */
async function serve(routes: readonly Route[]) {
  const app = new Koa<RequestState>();
  app.use(async (ctx, next) => {
    await next().catch((error: ApiError) => {
      ctx.status = error.status;
      ctx.body = error.code;
    });
    ctx.set('X-Route', ctx.state.route ?? '');
  });
  app.use(makeRouter(routes));
  app.use((ctx) => {
    ctx.body = 'none';
  });
  const listener = app.callback();
  const { port } = new URL(await serveTest(createServer((req, res) => void listener(req, res))));
  return async (call: string) => {
    const [method, path] = call.split(' ');
    const { status, text, headers } = await exchange({ port, method, path });
    return { status, text, allow: headers.allow, route: headers['x-route'] };
  };
}

const says =
  (word: string): Route['GET'] =>
  (ctx, params) => {
    ctx.body = [word, ...Object.values(params)].join(' ');
  };

describe('the router', () => {
  it('takes the most specific route, in whatever order they stand', async () => {
    const ask = await serve([
      { path: '/a/*', ANY: says('below') },
      { path: '/a/{uid}/c', GET: says('parameter') },
      { path: '/a/b/c', GET: says('fixed') },
    ]);
    expect((await ask('GET /a/b/c')).text).toBe('fixed');
    expect((await ask('GET /a/x/c')).text).toBe('parameter x');
    expect((await ask('DELETE /a/x/d')).text).toBe('below x/d');
    for (const path of ['/a', '/a/']) expect((await ask(`GET ${path}`)).text).toBe('below');
    expect((await ask('GET /ab')).text).toBe('none');
    expect((await ask('GET /A/b/c')).text).toBe('none');
  });

  it('names the methods of a route that does not take the one asked for', async () => {
    const ask = await serve([
      { path: '/read', GET: says('read') },
      { path: '/both', GET: says('get'), HEAD: false, POST: says('post') },
      { path: '/told', PUT: says('put'), allow: 'PUT, OTHER' },
    ]);
    expect(await ask('POST /read')).toMatchObject({ status: 405, text: 'http.405', allow: 'GET, HEAD' });
    expect(await ask('HEAD /read')).toMatchObject({ status: 200, text: '' });
    expect(await ask('HEAD /both')).toMatchObject({ status: 405, allow: 'GET, POST' });
    expect(await ask('GET /told')).toMatchObject({ status: 405, allow: 'PUT, OTHER' });
  });

  it('knows no address whose parameter has the wrong shape', async () => {
    const ask = await serve([{ path: '/push/{platform}', GET: says('push') }]);
    expect(await ask('GET /push/test')).toMatchObject({ text: 'push test', route: '/push/{platform}' });
    for (const path of ['/push/Test', '/push/t.t', `/push/${'a'.repeat(21)}`, '/push/%ff'])
      expect(await ask(`GET ${path}`)).toMatchObject({ status: 404, text: 'http.404', route: '' });
  });

  it('takes one slash at the end unless the route says otherwise', async () => {
    const ask = await serve([
      { path: '/open', GET: says('open') },
      { path: '/exact', trailingSlash: false, GET: says('exact') },
    ]);
    const asked = ['/open', '/open/', '/open//', '/exact', '/exact/'];
    const texts = await Promise.all(asked.map(async (path) => (await ask(`GET ${path}`)).text));
    expect(texts).toEqual(['open', 'open', 'none', 'exact', 'none']);
  });

  it('takes linear time for a path of any length', async () => {
    const match = makeRouter([
      { path: '/connect/{platform}/form', GET: says('form') },
      { path: '/push/{platform}/deletion/{code}', GET: says('code') },
      { path: '/sandbox/*', ANY: says('sandbox') },
    ]);
    for (const path of ['/', '/push/a', '/connect//', '/sandbo', '/push/a/deletion/a']) {
      const long = path + '/a'.repeat(500_000) + '!';
      const began = performance.now();
      await match({ method: 'GET', path: long, host: '', request: {}, state: {} } as never, async () => {});
      expect(performance.now() - began).toBeLessThan(2000);
    }
  });
});

describe('the areas', () => {
  it('hold those inside another after it, each once', () => {
    const paths = AREAS.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)].toSorted());
    expect(paths.map((path) => areaOf(path)?.path)).toEqual(paths);
    expect(areaOf('/oauth/consent/u?a=/')?.path).toBe('/oauth/consent');
    expect(areaOf('/oauth/token')?.path).toBe('/oauth');
    expect([areaOf('/dashboardish'), areaOf('//'), areaOf('*')]).toEqual([undefined, undefined, undefined]);
  });

  it('say what people open', () => {
    for (const page of [
      '/',
      '/?a',
      '/setup?token=1',
      '/join?via=link',
      '/sandbox/',
      '/connect/x/form',
      '/oauth/consent/u',
    ])
      expect([page, isPage(page)]).toEqual([page, true]);
    for (const other of ['/v1', '/sandbox/x/y', '/oauth/token', '/setup/x', '/join/x', '/healthz', '//', '/a'])
      expect([other, isPage(other)]).toEqual([other, false]);
  });

  it('say where sign-in may lead', () => {
    for (const page of [
      '/',
      '/dashboard',
      '/dashboard/keys',
      '/dashboard/posts/p_1?view=a',
      `/dashboard/inbox?q=it's/so,${'%E3%83%91'.repeat(25)}`,
      '/oauth/consent/u',
      '/sandbox',
      '/sandbox/x/y',
    ])
      expect([page, isAfterSignIn(page)]).toEqual([page, true]);
    const others = ['', '//evil.example', 'https://evil.example', '/v1', '/oauth/consent', '/oauth/authorize/u'];
    for (const other of [
      ...others,
      '/dashboard/a/b/c',
      '/dashboard/v1/posts',
      '/dashboard//x',
      '/dashboard?<x>',
      '/sandbox//x',
      '/\\evil.example',
      '/sign-out',
    ])
      expect([other, isAfterSignIn(other)]).toEqual([other, false]);
  });
});
