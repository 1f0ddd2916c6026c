import { expect } from 'vitest';
import { ApiError } from '#kernel/errors.ts';
import {
  CALLBACK,
  cookieFor,
  describeServer,
  openWorld,
  pkce,
  requestOf,
  type World,
} from '../harness/worlds/oauth.ts';
import { grantsOf } from '../harness/calls/grants.ts';

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const [{ reason }] = (await Promise.allSettled([promise])) as [{ reason?: unknown }];
  return reason instanceof ApiError ? reason.code : String(reason);
};

const { challenge } = pkce();

/** A request with everything in it. */
async function complete(world: World) {
  const { client_id } = await world.register();
  return { ...requestOf(client_id, challenge), response_type: 'code', scope: 'social:all', state: 'abc' };
}

const without = (params: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(params).filter(([key]) => key !== name));

describeServer('the authorization endpoint', ({ it, stores }) => {
  it('sends the browser to the consent page and remembers the request for it alone', async ({ world }) => {
    const { status, headers, text } = await world.authorize(await complete(world));
    expect([status, text]).toEqual([303, '']);
    expect(headers.location).toMatch(/^\/oauth\/consent\/[\w-]{43}$/);
    expect(headers['cache-control']).toBe('no-store');
    const uid = headers.location!.slice('/oauth/consent/'.length);
    const cookies = headers['set-cookie']!;
    const names = cookies.map((line) => line.split('=')[0]!);
    expect(names.toSorted()).toEqual(['oauth_i', 'oauth_i.sig', 'oauth_r', 'oauth_r.sig']);
    for (const line of cookies) {
      expect(line).toMatch(/; httponly/i);
      expect(line).toMatch(/; samesite=lax/i);
      expect(line).not.toMatch(/; (?:domain|secure)/i);
      const path = line.startsWith('oauth_i') ? `/oauth/consent/${uid}` : `/oauth/authorize/${uid}`;
      expect(line).toContain(`path=${path};`);
    }
  });

  it('marks its cookies as secure behind TLS, whatever the inner connection is', async () => {
    const world = await openWorld(await stores.open(), { rootUrl: 'https://social.example' });
    const { uid, browser } = await world.begin(await world.register(), challenge);
    for (const { line } of browser.cookies) expect(line).toMatch(/; secure/i);
    const cookie = cookieFor(browser, `/oauth/consent/${uid}`);
    const path = await world.oauth.interactions.approve(uid, cookie, await world.newUser());
    expect((await world.finish(browser, path)).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it('takes a request without response_type, scope and state', async ({ world }) => {
    const params = await complete(world);
    const bare = ['response_type', 'scope', 'state'].reduce(without, params as Record<string, string>);
    expect((await world.authorize(bare)).status).toBe(303);
    const { code, verifier, url } = await world.codeFor({ client_id: params.client_id });
    expect([...url.searchParams.keys()]).toEqual(['code']);
    const { body } = await world.exchange({ client_id: params.client_id }, { code, verifier });
    expect(body.scope).toBe('social:all');
  });

  it('refuses what is wrong as JSON and never by a redirect', async ({ world }) => {
    const params = await complete(world);
    const required = 'validation.field_required';
    const invalid = 'validation.field_invalid';
    const cases: [Record<string, string>, string, string?][] = [
      [{}, required, 'client_id'],
      [without(params, 'client_id'), required, 'client_id'],
      [{ ...params, client_id: '' }, required, 'client_id'],
      [without(params, 'redirect_uri'), required, 'redirect_uri'],
      [without(params, 'code_challenge'), required, 'code_challenge'],
      [without(params, 'code_challenge_method'), invalid, 'code_challenge_method'],
      [{ ...params, code_challenge_method: 'plain' }, invalid, 'code_challenge_method'],
      [{ ...params, code_challenge_method: 's256' }, invalid, 'code_challenge_method'],
      [{ ...params, code_challenge: 'short' }, invalid, 'code_challenge'],
      [{ ...params, code_challenge: `${challenge.slice(1)}+` }, invalid, 'code_challenge'],
      [{ ...params, response_type: 'token' }, invalid, 'response_type'],
      [{ ...params, response_type: 'code id_token' }, invalid, 'response_type'],
      [{ ...params, resource: 'https://elsewhere.example/' }, invalid, 'resource'],
      [{ ...params, resource: `${world.rootUrl}/mcp#x` }, invalid, 'resource'],
      [{ ...params, resource: 'mcp' }, invalid, 'resource'],
      [{ ...params, client_id: 'client_unknown' }, 'auth.oauth.invalid_client'],
      [{ ...params, client_id: 'null\u0000' }, 'auth.oauth.invalid_client'],
      [{ ...params, client_id: 'x'.repeat(3000) }, 'auth.oauth.invalid_client'],
      [{ ...params, client_id: 'https://client.example/metadata' }, 'auth.oauth.invalid_client'],
      [{ ...params, redirect_uri: `${CALLBACK}/` }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: `${CALLBACK}?x=1` }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: CALLBACK.toUpperCase() }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: 'https://evil.example/' }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: '//evil.example/' }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: 'javascript:alert(1)' }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
      [{ ...params, redirect_uri: 'not an address' }, 'auth.oauth.invalid_redirect', 'redirect_uri'],
    ];
    for (const [query, code, field] of cases) {
      // A browser asks for HTML; the answer is JSON all the same.
      const { status, headers, body } = await world.authorize(query, { Accept: 'text/html' });
      expect([query, status, body?.error.code, body?.error.meta?.field]).toEqual([query, 400, code, field]);
      expect([headers.location, headers['set-cookie']]).toEqual([undefined, undefined]);
      // What a client can do about it; a dashboard does not know its addresses.
      if (field === 'redirect_uri' && code !== required)
        expect(body.error.message).toMatch(/ register it again at \/oauth\/register with this one\.$/);
    }
    expect(await world.store.db.selectFrom('oauth_records').select('id').execute()).toEqual([]);
  });

  it('refuses a parameter that is sent twice, but for resource', async ({ world }) => {
    const params = await complete(world);
    for (const name of Object.keys(params)) {
      const query = `${new URLSearchParams(params).toString()}&${name}=again`;
      const { status, body } = await world.send(`GET /oauth/authorize?${query}`);
      expect([status, body.error.code, body.error.meta.field]).toEqual([400, 'validation.field_invalid', name]);
    }
    const resource = encodeURIComponent(`${world.rootUrl}/mcp`);
    const query = `${new URLSearchParams(params).toString()}&resource=${resource}&resource=${resource}`;
    expect((await world.send(`GET /oauth/authorize?${query}`)).status).toBe(303);
  });

  it('ignores parameters it does not know, those of OpenID included', async ({ world }) => {
    const params = await complete(world);
    const extras: Record<string, string>[] = [
      { prompt: 'none' },
      { max_age: '0' },
      { nonce: 'n' },
      { claims: '{' },
      { request: 'a.b.c' },
      { request_uri: 'https://x' },
      { response_mode: 'form_post' },
      { response_mode: 'fragment' },
      { address: 'forged' },
      { scope: 'openid profile' },
      { scope: 'posts:read' },
      { login_hint: 'x' },
      { web_message_uri: 'x' },
    ];
    for (const extra of extras) {
      const { status, text } = await world.authorize({ ...params, ...extra });
      expect([extra, status, text]).toEqual([extra, 303, '']);
    }
  });

  it('takes only GET', async ({ world }) => {
    const query = new URLSearchParams(await complete(world)).toString();
    for (const method of ['POST', 'HEAD', 'PUT', 'OPTIONS'] as const) {
      const { status, headers } = await world.send(`${method} /oauth/authorize?${query}`);
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET']);
    }
    expect(await world.store.db.selectFrom('oauth_records').select('id').execute()).toEqual([]);
  });

  it.for([
    ['long', 'x'.repeat(3000)],
    ['unicode', 'Grüße, 世界 🎉 \u202e'],
    ['long and unicode', 'ß世🎉'.repeat(1000)],
    ['signs', `+ & % " # = ? / \\ ' < > ; %20 %zz ~`],
    ['json', JSON.stringify({ back: 'https://x.example/?a=b&c=d#e', n: [1, null, 'é'] })],
    ['line ends', 'a\r\nSet-Cookie: evil=1\r\n\r\nb\u0000'],
  ] as const)('returns the state unchanged: %s', async ([, state], { world, client }) => {
    const { url } = await world.codeFor(client, undefined, { state });
    expect([...url.searchParams.keys()]).toEqual(['code', 'state']);
    expect(url.searchParams.get('state')).toBe(state);
    const denied = await world.deny(await world.begin(client, challenge, { state }));
    expect(Object.fromEntries(denied.searchParams)).toEqual({ error: 'access_denied', state });
  });

  it('refuses more open requests than a person starts, and lets others in', async () => {
    const world = await openWorld(await stores.open(), { trustProxy: 1 });
    const params = await complete(world);
    expect((await world.authorize(params)).status).toBe(303);
    const [seen] = await world.store.db.selectFrom('oauth_records').selectAll().execute();
    const others = Array.from({ length: 299 }, (_, n) => ({ ...seen!, id: `r${n}` }));
    await world.store.write(({ db }) => db.insertInto('oauth_records').values(others).execute());
    const refused = await world.authorize(params);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'http.429']);
    expect(refused.headers['retry-after']).toBe('3600');
    expect((await world.authorize(params, { 'X-Forwarded-For': '203.0.113.9' })).status).toBe(303);
    world.clock.move(3_600_000);
    expect((await world.authorize(params)).status).toBe(303);
  });

  it('refuses nobody at 10,000 open requests of all: the noisiest network loses its oldest one', async () => {
    const world = await openWorld(await stores.open(), { trustProxy: 1 });
    const params = await complete(world);
    const { db } = world.store;
    const begin = async (address: string) => {
      const before = new Set((await db.selectFrom('oauth_records').select('id').execute()).map(({ id }) => id));
      expect((await world.authorize(params, { 'X-Forwarded-For': address })).status).toBe(303);
      world.clock.move(1000);
      const after = await db.selectFrom('oauth_records').select('id').execute();
      return after.map(({ id }) => id).find((id) => !before.has(id))!;
    };
    const quiet = await begin('203.0.113.1');
    const noisy = [await begin('2001:db8:1:1::1'), await begin('2001:db8:1:2::1')];
    const [seen] = await db.selectFrom('oauth_records').selectAll().execute();
    const others = Array.from({ length: 9997 }, (_, n) => ({
      ...seen!,
      id: `r${n}`,
      address: `address ${n}`,
      expires_at: world.clock.now() + 3_600_000,
    }));
    await world.store.write(async (tx) => {
      for (let start = 0; start < others.length; start += 500) {
        const rows = others.slice(start, start + 500);
        await tx.db.insertInto('oauth_records').values(rows).execute();
      }
    });
    const latest = await begin('203.0.113.2');
    const left = await db.selectFrom('oauth_records').select('id').execute();
    expect(left).toHaveLength(10_000);
    const ids = new Set(left.map(({ id }) => id));
    expect([quiet, ...noisy, latest].map((id) => ids.has(id))).toEqual([true, false, true, true]);
  });
});

const recordsOf = ({ store }: World, model: 'AuthorizationCode' | 'Grant') =>
  store.db.selectFrom('oauth_records').select('id').where('model', '=', model).execute();

describeServer('consent', ({ it }) => {
  it('shows who asks and where the code will go', async ({ world }) => {
    const client = await world.register({ client_name: 'Claude <b>' });
    const { uid, cookie } = await world.begin(client, challenge);
    expect(await world.oauth.interactions.read(uid, cookie)).toEqual({
      uid,
      client: { id: client.client_id, name: 'Claude <b>' },
      redirectUri: CALLBACK,
      redirectHost: 'client.example',
      scope: 'social:all',
    });
  });

  it('redirects with code and state on approval, and with error and state on denial', async ({ world, client }) => {
    const { url } = await world.codeFor(client, undefined, { state: 's' });
    expect(url.href).toBe(`${CALLBACK}?code=${url.searchParams.get('code')}&state=s`);
    const { uid, browser, cookie } = await world.begin(client, challenge, { state: 's' });
    const path = await world.oauth.interactions.deny(uid, cookie);
    expect(path).toBe(`/oauth/authorize/${uid}`);
    expect((await world.finish(browser, path)).href).toBe(`${CALLBACK}?error=access_denied&state=s`);
  });

  it('keeps the query that a redirect URI was registered with', async ({ world }) => {
    const redirect_uri = 'https://client.example/cb?tenant=%7Ba+b%7D';
    const client = await world.register({ redirect_uris: [redirect_uri] });
    const { url } = await world.codeFor(client, undefined, { state: 's', redirect_uri });
    expect(url.href).toBe(`${redirect_uri}&code=${url.searchParams.get('code')}&state=s`);
  });

  it('is for the browser that began, and for one request', async ({ world, client, userId }) => {
    const { interactions } = world.oauth;
    const mine = await world.begin(client, challenge);
    const other = await world.begin(client, challenge);
    const { cookie } = mine;
    const forged = cookie.replace(/oauth_i=[\w-]+/, `oauth_i=${other.uid}`);
    for (const sent of [undefined, '', 'oauth_i=x', other.cookie, forged]) {
      const { read, approve, deny } = interactions;
      const refused = [read(mine.uid, sent), approve(mine.uid, sent, userId), deny(mine.uid, sent)];
      expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'auth.oauth.request_expired'));
    }
    expect(await codeOf(interactions.read('unknown', cookie))).toBe('auth.oauth.request_expired');
    // Another browser that knows the address after the decision gets nothing either.
    const path = await interactions.approve(mine.uid, cookie, userId);
    for (const Cookie of ['', cookieFor(other.browser, `/oauth/authorize/${other.uid}`)]) {
      const { status, body, headers } = await world.send(`GET ${path as `/${string}`}`, { headers: { Cookie } });
      expect([status, body.error.code, headers.location]).toEqual([400, 'auth.oauth.request_expired', undefined]);
    }
  });

  it('is carried out once', async ({ world, client }) => {
    const { uid, browser, cookie } = await world.begin(client, challenge);
    const path = (await world.oauth.interactions.approve(uid, cookie, await world.newUser())) as `/${string}`;
    const headers = { Cookie: cookieFor(browser, path) };
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.send(`GET ${path}`, { headers })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400, 400]);
    expect((await world.send(`GET ${path}`, { headers })).body.error.code).toBe('auth.oauth.request_expired');
    expect(await codeOf(world.oauth.interactions.read(uid, cookie))).toBe('auth.oauth.request_expired');
    expect(await codeOf(world.oauth.interactions.deny(uid, cookie))).toBe('auth.oauth.request_expired');
    expect(await recordsOf(world, 'AuthorizationCode')).toHaveLength(1);
  });

  it('may be sent twice and decided anew until it is carried out', async ({ world, userId }) => {
    const { uid, browser, cookie } = await world.begin(await world.register(), challenge);
    await world.oauth.interactions.approve(uid, cookie, userId);
    await world.oauth.interactions.approve(uid, cookie, userId);
    expect(await recordsOf(world, 'Grant')).toHaveLength(1);
    const path = await world.oauth.interactions.deny(uid, cookie);
    expect((await world.finish(browser, path)).search).toBe('?error=access_denied');
    expect(await grantsOf(world, userId)).toEqual([]);
  });

  it('is asked for again by every request', async ({ world, client }) => {
    const { uid, browser, cookie } = await world.begin(client, challenge);
    await world.finish(browser, await world.oauth.interactions.approve(uid, cookie, await world.newUser()));
    expect(browser.cookies.map(({ name }) => name)).not.toContain('oauth_s');
    const Cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const { headers } = await world.authorize(requestOf(client.client_id, challenge), { Cookie });
    expect(headers.location).toMatch(/^\/oauth\/consent\//);
  });

  it('needs a user who exists, and a client', async ({ world, client }) => {
    const { uid, cookie } = await world.begin(client, challenge);
    expect(await codeOf(world.oauth.interactions.approve(uid, cookie, 'usr_gone'))).toBe('auth.oauth.user_missing');
    await world.store.write(({ db }) => db.deleteFrom('oauth_clients').execute());
    expect(await codeOf(world.oauth.interactions.read(uid, cookie))).toBe('auth.oauth.invalid_client');
  });

  it('says system.internal, and not by a redirect, when the store fails', async ({ world }) => {
    const params = await complete(world);
    await world.store.write(({ db }) => db.schema.alterTable('oauth_clients').renameTo('gone').execute());
    for (const answer of [
      await world.authorize(params),
      await world.send('POST /oauth/register', { json: { client_name: 'x', redirect_uris: [CALLBACK] } }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([500, 'system.internal']);
      expect(answer.headers.location).toBe(undefined);
      expect(answer.text).not.toMatch(/oauth_clients|no such table|relation/);
    }
  });
});
