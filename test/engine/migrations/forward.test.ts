import { describe, expect, it } from 'vitest';
import { exchange } from '../../harness/sockets.ts';
import type { Json } from '../../harness/world.ts';
import { insertPage } from '#db/access/pages.ts';
import { account, KEY, migrationWorld, operationsOf, send, startedWorld } from './world.ts';

const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as Json).error.code];

describe('the base URL of a migration', () => {
  it('passes requests on with everything the client sent, and answers on as they are', async () => {
    const { world, asked, get } = await startedWorld();
    const path = '/v1/posts/p%2F1?x=1&y=%20&x=2';
    const own = { 'idempotency-key': 'k1', 'x-custom': 'yes', 'user-agent': 'theirs/1' };
    const headers = { 'content-type': 'application/json', ...own };
    const answer = await send(world, path, { method: 'PATCH', headers, body: '{"text":"Grüße"}' });
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '59']);
    expect(await answer.json()).toEqual({ method: 'PATCH', url: `/api${path}`, got: '{"text":"Grüße"}' });
    expect(asked[0]!.headers).toMatchObject({ authorization: `Bearer ${KEY}`, ...headers });
    expect((await get()).forwarded_calls).toBe(1);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])('passes %s on', async (method) => {
    const { world, asked } = await startedWorld();
    const size = method === 'PUT' ? 200_000 : 0;
    const answer = await send(world, '/v1/things', { method, ...(size > 0 && { body: 'x'.repeat(size) }) });
    expect([answer.status, asked.map((one) => [one.method, one.body.length])]).toEqual([200, [[method, size]]]);
  });

  it('keeps to itself what is about this server, and takes nothing that would change it', async () => {
    const { world, asked, plays } = await startedWorld();
    const { host, port } = new URL(world.root);
    const headers = {
      host,
      authorization: `bearer ${KEY}`,
      cookie: 'rostra=secret',
      connection: 'close, x-hop',
      'x-hop': '1',
      'x-forwarded-for': '10.0.0.1',
      te: 'trailers',
    };
    await exchange({ port, path: '/migrate/zernio/v1/posts', headers });
    const got = asked[0]!.headers;
    for (const name of ['cookie', 'x-hop', 'x-forwarded-for', 'te', 'x-request-id'])
      expect(got).not.toHaveProperty(name);
    expect(got.host).not.toBe(headers.host);
    expect(got.authorization).toBe(`Bearer ${KEY}`);

    plays.instead = (_req, res) =>
      void res
        .writeHead(201, {
          'set-cookie': 'rostra=theirs',
          'strict-transport-security': 'max-age=1',
          'clear-site-data': '"*"',
          'access-control-allow-origin': '*',
          'x-request-id': 'theirs',
          location: 'https://zernio.com/x',
          'content-security-policy': 'default-src *',
          'x-odd': 'caf\xe9',
          connection: 'close',
        })
        .end('<script>alert(1)</script>');
    const answer = await send(world, '/v1/posts');
    expect(answer.status).toBe(201);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f]{12}$/),
      location: 'https://zernio.com/x',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    const ours = ['strict-transport-security', 'clear-site-data', 'access-control-allow-origin'];
    for (const name of ['set-cookie', 'content-type', ...ours])
      expect([name, answer.headers.get(name)]).toEqual([name, null]);
  });

  it.each([204, 304, 400, 404, 429, 500])('answers %i as the provider did', async (status) => {
    const { world, plays } = await startedWorld();
    const text = [204, 304].includes(status) ? '' : '{"error":"theirs"}';
    plays.instead = (_req, res) => void res.writeHead(status, { 'retry-after': '7' }).end(text);
    const answer = await send(world, '/v1/posts');
    expect([answer.status, await answer.text(), answer.headers.get('retry-after')]).toEqual([status, text, '7']);
  });

  it('stays below the address of the provider', async () => {
    const { world, asked } = await startedWorld();
    const { host, port } = new URL(world.root);
    const headers = { host, authorization: `Bearer ${KEY}` };
    for (const path of ['/../admin', '/v1/../../admin', '/%2e%2e/admin', '/v1/%2E%2E/%2e%2e/admin', '/..\\admin']) {
      const { status } = await exchange({ port, path: `/migrate/zernio${path}`, headers });
      expect([path, status]).toEqual([path, 404]);
    }
    expect(asked).toEqual([]);
    await exchange({ port, path: '/migrate/zernio//elsewhere.example/x', headers });
    await exchange({ port, path: '/migrate/zernio?x=1', headers });
    expect(asked.map(({ url }) => url)).toEqual(['/api//elsewhere.example/x', '/api?x=1']);
  });

  it('knows no request without the key of a started migration', async () => {
    const { world, asked, get } = await startedWorld();
    const bearers = [`${KEY}x`, world.key, 'k'.repeat(2000)].map((key) => `Bearer ${key}`);
    const authorizations = ['', KEY, `Basic ${KEY}`, ...bearers];
    const refused = [{}, ...authorizations.map((authorization) => ({ authorization }))];
    for (const headers of refused as Record<string, string>[])
      expect(await errorOf(await send(world, '/v1/posts', { headers }, null))).toEqual([404, 'resource.not_found']);
    const headers = { authorization: `Bearer ${KEY}` };
    const other = await fetch(`${world.root}/migrate/elsewhere/v1/posts`, { headers });
    expect(await errorOf(other)).toEqual([404, 'http.404']);
    expect([asked.length, (await get()).forwarded_calls]).toEqual([0, 0]);
  });

  it('makes a network wait that sends many unknown keys, but nobody in it whose key is known', async () => {
    const { world } = await startedWorld();
    expect((await send(world, '/v1/posts')).status).toBe(200);
    const guess = (at: number) => send(world, '/v1/posts', {}, `sk_guess_${at}`);
    for (let at = 0; at < 100; at += 1) expect((await guess(at)).status).toBe(404);
    const refused = await guess(100);
    expect([await errorOf(refused), refused.headers.get('retry-after')]).toEqual([[429, 'http.429'], '1']);
    expect((await send(world, '/v1/posts')).status).toBe(200);
    world.clock.move(1000);
    expect((await guess(101)).status).toBe(404);
  });

  it('counts for every workspace that moves with a key, and ends with the last of them', async () => {
    const { world, get, stop } = await startedWorld();
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const theirs = await operationsOf(world, other.userId);
    expect((await theirs.start()).status).toBe(201);
    await Promise.all(Array.from({ length: 10 }, () => send(world, '/v1/posts')));
    expect([(await get()).forwarded_calls, (await theirs.get()).forwarded_calls]).toEqual([10, 10]);
    await stop();
    expect((await send(world, '/v1/posts')).status).toBe(200);
    await theirs.stop();
    expect((await send(world, '/v1/posts')).status).toBe(404);
  });

  it('ends with the workspace, whose key goes at once', async () => {
    const { world } = await startedWorld();
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    expect((await send(world, '/v1/posts')).status).toBe(404);
    expect(await world.product.store.db.selectFrom('migrations').selectAll().execute()).toEqual([]);
  });
});

describe('accounts that are cut over', () => {
  it('are those of the list that are connected here, until they are disconnected', async () => {
    const { world, plays, start, get } = await migrationWorld();
    const { handle } = world.product.sandbox!.people()[0]!;
    const theirs = account('bluesky', 'pro-1', { username: `@${handle.toUpperCase()}` });
    plays.accounts = [theirs, account('telegram', 'pro-1', { username: handle })];
    expect((await start()).body.cut_over).toBe(0);
    await world.product.store.write(({ db }) => db.updateTable('migrations').set({ network: 'sandbox' }).execute());
    const first = await world.connect(0);
    expect((await get()).cut_over).toBe(1);
    await world.rest(`DELETE /v1/accounts/${first.id}`);
    expect((await get()).cut_over).toBe(0);
  });

  it.each([
    ['a user name', { username: 'Our.Page' }, 1],
    ['the id of a number', { metadata: { phoneNumberId: '1064', displayPhoneNumber: '+49 30 1' } }, 1],
    ['a number', { metadata: { displayPhoneNumber: '+49 (170) 123' } }, 1],
    ['an address', { profileUrl: 'http://facebook.com/ourpage?ref=x' }, 1],
    ['the name of a page', { username: 'Our second page' }, 1],
    ['an address of a page', { profileUrl: 'https://www.facebook.com/second/' }, 1],
    ['a page that is off', { username: 'Third page' }, 0],
    ['nothing', { username: ' ', profileUrl: null, metadata: null }, 0],
    ['an account of ads', { username: 'Our.Page', platform: 'metaads' }, 0],
  ])('are known by %s', async (_, given, cut) => {
    const { world, plays, start } = await migrationWorld();
    const { id } = await world.connect();
    const ids = { profile_url: 'https://www.Facebook.com/OurPage', platform_user_id: '49170123' };
    const real = { platform: 'facebook', network: 'real', username: 'our.page', name: '1064', ...ids } as const;
    const page = { account_id: id, workspace_id: world.workspaceId, is_default: 0, is_missing: 0 } as const;
    const times = { enriched_at: 0, created_at: 0, updated_at: 0 };
    const second = { name: 'Our second page', platform_page_id: '2', facts: { link: 'https://facebook.com/second' } };
    const third = { name: 'Third page', platform_page_id: '3', facts: {} };
    await world.product.store.write(async ({ db }) => {
      await db.updateTable('accounts').set(real).execute();
      await insertPage(db, { id: 'page_2', ...page, ...times, ...second, is_active: 1 });
      await insertPage(db, { id: 'page_3', ...page, ...times, ...third, is_active: 0 });
    });
    plays.accounts = [account('facebook', 'pro-1', { username: undefined, ...given })];
    expect((await start()).body.cut_over).toBe(cut);
  });
});
