import { expect } from 'vitest';
import { CALLBACK, describeServer, openWorld, pkce, requestOf, type World } from '../harness/worlds/oauth.ts';

const wanted = { client_name: 'My client', redirect_uris: [CALLBACK] };

const registerFrom = (world: World, address: string) =>
  world.send('POST /oauth/register', { json: wanted, headers: { 'X-Forwarded-For': address } });

async function expectInvalid(world: World, field: keyof typeof wanted, value: unknown): Promise<void> {
  const { status, body } = await world.send('POST /oauth/register', { json: { ...wanted, [field]: value } });
  const refused = [value, 400, 'validation.field_invalid', { field }];
  expect([value, status, body.error?.code, body.error?.meta]).toEqual(refused);
}

describeServer('registration', ({ it, stores }) => {
  it('needs no key and answers the fields of the contract', async ({ world }) => {
    const { status, headers, body } = await world.send('POST /oauth/register', {
      json: { ...wanted, redirect_uris: [CALLBACK, 'http://localhost:3000/cb?x=1'] },
    });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      client_id: expect.stringMatching(/^client_[0-9a-f]{32}$/),
      client_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      client_id_issued_at: Math.floor(world.clock.now() / 1000),
      client_secret_expires_at: 0,
      client_name: 'My client',
      redirect_uris: [CALLBACK, 'http://localhost:3000/cb?x=1'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    });
  });

  it('takes what assistants send besides, and gives them what everybody gets', async ({ world }) => {
    const body = await world.register({
      grant_types: ['authorization_code'],
      response_types: ['code', 'token'],
      scope: 'social:all offline_access',
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'native',
      client_uri: 'https://client.example',
      logo_uri: 'javascript:alert(1)',
      software_id: 'x',
      jwks_uri: 'http://169.254.169.254/',
    });
    expect(Object.keys(body)).toHaveLength(9);
    expect(body).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(await world.tokensFor(body)).toMatchObject({ scope: 'social:all' });
  });

  it('gives no secret to a client that asks for none', async ({ world }) => {
    const client = await world.register({ token_endpoint_auth_method: 'none' });
    expect(client).toMatchObject({ token_endpoint_auth_method: 'none' });
    expect(Object.keys(client)).not.toContain('client_secret');
    expect(await world.tokensFor(client)).toMatchObject({ scope: 'social:all' });
    const refused = await world.exchange(client, await world.codeFor(client), { client_secret: 'anything' });
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  });

  it('keeps the secret as a hash', async ({ world }) => {
    const { client_secret } = await world.register();
    expect(JSON.stringify(await world.store.db.selectFrom('oauth_clients').selectAll().execute())).not.toContain(
      client_secret,
    );
    expect(world.log.join('\n')).not.toContain(client_secret);
  });

  it('refuses what is missing or malformed', async ({ world }) => {
    const cases: [unknown, string, string][] = [
      [{}, 'validation.field_required', 'client_name'],
      [{ ...wanted, client_name: '' }, 'validation.field_required', 'client_name'],
      [{ ...wanted, client_name: '  ' }, 'validation.field_required', 'client_name'],
      [{ ...wanted, client_name: null }, 'validation.field_required', 'client_name'],
      [{ ...wanted, client_name: 5 }, 'validation.field_invalid', 'client_name'],
      [{ ...wanted, client_name: 'x'.repeat(201) }, 'validation.field_invalid', 'client_name'],
      [{ ...wanted, client_name: 'a\u0000b' }, 'validation.field_invalid', 'client_name'],
      [{ ...wanted, client_name: 'a\u202eb' }, 'validation.field_invalid', 'client_name'],
      [{ client_name: 'x' }, 'validation.field_required', 'redirect_uris'],
      [{ client_name: 'x', redirect_uris: [] }, 'validation.field_required', 'redirect_uris'],
      [{ client_name: 'x', redirect_uris: null }, 'validation.field_required', 'redirect_uris'],
      [{ client_name: 'x', redirect_uris: CALLBACK }, 'validation.field_invalid', 'redirect_uris'],
      [{ client_name: 'x', redirect_uris: [7] }, 'validation.field_invalid', 'redirect_uris'],
      [{ client_name: 'x', redirect_uris: Array(21).fill(CALLBACK) }, 'validation.field_invalid', 'redirect_uris'],
    ];
    for (const [json, code, field] of cases) {
      const { status, body } = await world.send('POST /oauth/register', { json });
      expect([json, status, body.error.code, body.error.meta]).toEqual([json, 400, code, { field }]);
      expect(body.request_id).toEqual(expect.any(String));
    }
  });

  it('refuses names that hide something, and its own', async ({ world }) => {
    const hidden = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u2066', '\u061c', '\u0085', '\u2028'];
    const blank = ['\u3164', '\u2800', '\u115f\u1160', '\u{e0041}', '\u200b\u200c', '\ufe0f'];
    const stacked = [`Clau${'\u0336'.repeat(5)}de`, '\u0301Claude', `C${'\u0301\u0323'.repeat(10)}`];
    const own = [
      'Rostra',
      ' rostra ',
      'R O S T R A',
      'Ｒｏｓｔｒａ',
      'ℝostra',
      'rös-tra',
      'Rostra™',
      '"Rostra"',
      'Ⓡⓞⓢⓣⓡⓐ',
      'R\u043estra',
      'RO\u0405TR\u0391',
      'R0stra',
    ];
    for (const client_name of [...hidden.map((one) => `Clau${one}de`), ...blank, ...stacked, ...own])
      await expectInvalid(world, 'client_name', client_name);
  });

  it('takes names of every script, and emoji', async ({ world }) => {
    const names = [
      'Claude',
      'クロード　アプリ',
      'ကြွေး',
      'תִּרְצָה',
      'Đặng',
      'Dấu\u0323',
      'Aufräumer 👩‍👩‍👧 ❤️',
      'Rostrata',
      'My Rostra client',
    ];
    for (const client_name of names) expect(await world.register({ client_name })).toMatchObject({ client_name });
  });

  it('refuses redirect URIs that are not plain http or https addresses', async ({ world }) => {
    const uris = [
      'ftp://client.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'myapp://callback',
      'client.example/cb',
      '//client.example/cb',
      'http:client.example',
      'https://',
      '',
      'https://user@client.example/cb',
      'https://user:secret@client.example/cb',
      'https://:secret@client.example/cb',
      'https://@client.example/cb',
      'https://client.example/cb#part',
      'https://client.example/cb#',
      ' https://client.example/cb',
      'https://client.example/cb\r\nX-Evil: 1',
      'https://client.example\\@evil.example/cb',
      'https://clïent.example/cb',
      'https://client.example:99999/',
      `https://client.example/${'x'.repeat(2048)}`,
    ];
    for (const uri of uris) await expectInvalid(world, 'redirect_uris', [CALLBACK, uri]);
  });

  it('takes other redirect URIs, and uses them as they were written', async ({ world }) => {
    for (const uri of [
      'http://client.example/cb',
      'http://localhost/',
      'http://127.0.0.1:7777/cb',
      'http://[::1]:7777/cb',
      'https://client.example',
      'HTTPS://Client.Example/CB',
      'https://client.example/cb?a=b&c=%20d',
      'https://client.example/a@b?c=@',
    ]) {
      const client = await world.register({ redirect_uris: [uri] });
      const { uid, browser } = await world.begin(client, pkce().challenge, { redirect_uri: uri });
      const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const path = await world.oauth.interactions.deny(uid, cookie);
      const { headers } = await world.send(`GET ${path as `/${string}`}`, { headers: { Cookie: cookie } });
      expect(headers.location).toBe(`${uri}${uri.includes('?') ? '&' : '?'}error=access_denied`);
    }
  });

  it('refuses a body that is no small JSON object', async ({ world }) => {
    const cases: [string, string, number][] = [
      ['text', 'validation.body_invalid', 400],
      ['[]', 'validation.body_invalid', 400],
      ['null', 'validation.body_invalid', 400],
      ['{"client_name":', 'validation.body_invalid', 400],
      [JSON.stringify({ ...wanted, more: 'x'.repeat(16_384) }), 'http.413', 413],
      [JSON.stringify({ ...wanted, more: 'x'.repeat(3_000_000) }), 'http.413', 413],
    ];
    for (const [raw, code, status] of cases) {
      const answer = await world.send('POST /oauth/register', { raw });
      expect([raw.slice(0, 20), answer.status, answer.body.error.code]).toEqual([raw.slice(0, 20), status, code]);
    }
  });

  it('refuses the 21st client of one address within an hour, and says when to come back', async () => {
    const world = await openWorld(await stores.open(), { trustProxy: 1 });
    const from = (address: string) => registerFrom(world, address);
    for (let n = 0; n < 20; n++) {
      expect((await from('203.0.113.7')).status).toBe(201);
      world.clock.move(60_000);
    }
    const refused = await from('203.0.113.7');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'http.429']);
    expect(refused.headers['retry-after']).toEqual(String(40 * 60));
    expect((await from('203.0.113.8')).status).toBe(201);
    world.clock.move(40 * 60_000 - 1);
    expect((await from('203.0.113.7')).status).toBe(429);
    world.clock.move(1);
    expect((await from('203.0.113.7')).status).toBe(201);
    expect((await from('203.0.113.7')).status).toBe(429);
  });

  it('counts a whole IPv6 network as one', async () => {
    const world = await openWorld(await stores.open(), { trustProxy: 1 });
    const from = (address: string) => registerFrom(world, address);
    for (let n = 1; n <= 20; n++) expect((await from(`2001:db8:1:${n}::${n}`)).status).toBe(201);
    expect((await from('2001:db8:1:ffff::1')).status).toBe(429);
    expect((await from('2001:db8:2::1')).status).toBe(201);
    // An IPv4 address is the same address in its IPv6 dress.
    for (let n = 1; n <= 20; n++) expect((await from('198.51.100.1')).status).toBe(201);
    expect((await from('::ffff:198.51.100.1')).status).toBe(429);
    // What is no address is nobody's in particular, however it is spelt.
    for (let n = 1; n <= 20; n++) expect((await from(`garbage ${n}`)).status).toBe(201);
    expect((await from('garbage')).status).toBe(429);
  });

  it('refuses nobody at 1,000 clients of all within an hour: the noisiest network loses its oldest unused one', async () => {
    const world = await openWorld(await stores.open(), { trustProxy: 1 });
    const from = async (address: string) => {
      const { status, body } = await registerFrom(world, address);
      expect(status).toBe(201);
      world.clock.move(1);
      return body.client_id as string;
    };
    const quiet = await from('203.0.113.1');
    const noisy: string[] = [];
    for (let n = 1; n <= 20; n++) noisy.push(await from(`2001:db8:1:${n}::1`));
    const ask = (client_id: string) => world.authorize(requestOf(client_id));
    // A client whose user is being asked is in use.
    expect((await ask(noisy[0]!)).status).toBe(303);
    const { db } = world.store;
    const id = await from('10.1.0.0');
    const one = await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const others = Array.from({ length: 979 }, (_, n) => ({ ...one, id: `${one.id}${n}`, address: `network ${n}` }));
    await world.store.write((tx) => tx.db.insertInto('oauth_clients').values(others).execute());
    const count = async () => (await db.selectFrom('oauth_clients').select('id').execute()).length;
    expect(await count()).toBe(1001);
    await from('10.2.0.1');
    await from('10.2.0.2');
    expect(await count()).toBe(1001);
    const known = async (id: string) => (await ask(id)).status === 303;
    expect(await Promise.all([quiet, ...noisy.slice(0, 4)].map(known))).toEqual([true, true, false, false, true]);
  });
});

describeServer('registration by two processes at once', { kinds: ['file', 'postgres'] }, ({ it, stores }) => {
  it('lets exactly twenty through', async () => {
    const place = await stores.place();
    const world = await openWorld(await stores.open(place));
    const other = await openWorld(await stores.open(place), { clock: world.clock });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => [world, other][n % 2]!.send('POST /oauth/register', { json: wanted })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});
