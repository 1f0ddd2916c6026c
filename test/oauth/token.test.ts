import { expect } from 'vitest';
import {
  basic,
  CALLBACK,
  describeServer,
  pkce,
  type Answer,
  type Client,
  type World,
} from '../harness/worlds/oauth.ts';

const given = {
  access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: expect.stringMatching(/^[\w-]{43}$/),
  scope: 'social:all',
};
const expectTokens = ({ status, body }: Answer) => expect([status, body.error ?? body]).toEqual([200, given]);

const expectError = (answer: Answer, status: number, error: string) => {
  expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }]);
  expect(answer.headers['content-type']).toContain('application/json');
  expect(answer.headers['cache-control']).toBe('no-store');
};

/** A client and a code of its own. */
async function ready(world: World) {
  const client = await world.register();
  return { client, ...(await world.codeFor(client)) };
}

describeServer('a code', ({ it: base }) => {
  const it = base.extend('granted', ({ world }) => ready(world));

  it('is exchanged for exactly the five fields', async ({ world, granted: { client, code, verifier } }) => {
    const answer = await world.exchange(client, { code, verifier });
    expect([answer.status, answer.body]).toEqual([200, given]);
    expect(Object.keys(answer.body)).toEqual(Object.keys(given));
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'access-control-allow-origin': '*',
    });
  });

  it('may come with redirect_uri and client_secret, which are then checked', async ({ world, client }) => {
    const right = { redirect_uri: CALLBACK, client_secret: client.client_secret };
    expectTokens(await world.exchange(client, await world.codeFor(client), right));
    for (const redirect_uri of [`${CALLBACK}/`, 'https://evil.example/', 'x'])
      expectError(await world.exchange(client, await world.codeFor(client), { redirect_uri }), 400, 'invalid_grant');
    const second = await world.register({ redirect_uris: [CALLBACK, 'http://localhost/cb'] });
    const elsewhere = { redirect_uri: 'http://localhost/cb' };
    expectError(await world.exchange(second, await world.codeFor(second), elsewhere), 400, 'invalid_grant');
    for (const client_secret of ['wrong', second.client_secret, `${client.client_secret} `])
      expectError(await world.exchange(client, await world.codeFor(client), { client_secret }), 401, 'invalid_client');
  });

  it('works once', async ({ world, granted: { client, code, verifier } }) => {
    const first = await world.exchange(client, { code, verifier });
    expect(first.status).toBe(200);
    expectError(await world.exchange(client, { code, verifier }), 400, 'invalid_grant');
    // By default a second use ends nothing of what the first one gave.
    expect((await world.whoIs(first.body.access_token)).status).toBe(200);
    expect((await world.refresh(client, first.body.refresh_token)).status).toBe(200);
  });

  it('is consumed by an exchange that fails after the client was let in', async ({ world, client }) => {
    const thief = await world.register();
    const wrongs: ((code: { code: string; verifier: string }) => Promise<Answer>)[] = [
      (code) => world.exchange(thief, code),
      (code) => world.exchange(client, code, { redirect_uri: 'https://evil.example/' }),
      ({ code }) => world.exchange(client, { code, verifier: pkce().verifier }),
      ({ code }) => world.exchange(client, { code, verifier: 'short' }),
      ({ code }) => world.exchange(client, { code, verifier: 'x'.repeat(129) }),
      ({ code }) => world.exchange(client, { code, verifier: `${'x'.repeat(43)}!` }),
    ];
    for (const wrong of wrongs) {
      const issued = await world.codeFor(client);
      expectError(await wrong(issued), 400, 'invalid_grant');
      expectError(await world.exchange(client, issued), 400, 'invalid_grant');
    }
  });

  it('is not consumed before that', async ({ world, granted: { client, code, verifier } }) => {
    expectError(await world.exchange(client, { code, verifier }, { client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await world.exchange({ client_id: 'nobody' }, { code, verifier }), 401, 'invalid_client');
    expectError(await world.exchange(client, { code, verifier: '' }), 400, 'invalid_request');
    expectError(await world.token({ grant_type: 'authorization_code', code }), 400, 'invalid_request');
    expectTokens(await world.exchange(client, { code, verifier }));
  });

  it('is never a refresh token, nor the other way round', async ({ world, granted: { client, code, verifier } }) => {
    expectError(await world.refresh(client, code), 400, 'invalid_grant');
    const { body } = await world.exchange(client, { code, verifier });
    expectError(await world.exchange(client, { code: body.refresh_token, verifier }), 400, 'invalid_grant');
    expectError(await world.refresh(client, body.access_token), 400, 'invalid_grant');
    expect((await world.refresh(client, body.refresh_token)).status).toBe(200);
  });

  it('is kept as a hash, like every token', async ({ world, granted: { client, code, verifier } }) => {
    const { body } = await world.exchange(client, { code, verifier });
    const rows = JSON.stringify(await world.store.db.selectFrom('oauth_records').selectAll().execute());
    const keys = JSON.stringify(await world.store.db.selectFrom('oauth_keys').selectAll().execute());
    for (const secret of [code, verifier, body.refresh_token, body.access_token, client.client_secret]) {
      for (const place of [rows, keys, world.log.join('\n')]) expect(place).not.toContain(secret);
    }
    expect(keys).not.toContain('"d"');
  });
});

describeServer('a refresh token', ({ it }) => {
  it('works once, and gives the next one', async ({ world, client }) => {
    let { refresh_token } = await world.tokensFor(client);
    for (let round = 0; round < 5; round++) {
      const answer = await world.refresh(client, refresh_token);
      expectTokens(answer);
      expect(answer.body.refresh_token).not.toBe(refresh_token);
      expectError(await world.refresh(client, refresh_token), 400, 'invalid_grant');
      expect((await world.whoIs(answer.body.access_token)).status).toBe(200);
      refresh_token = answer.body.refresh_token;
    }
  });

  it('needs no secret, but a secret that is sent must be right', async ({ world, client }) => {
    const { refresh_token } = await world.tokensFor(client);
    expectError(await world.refresh(client, refresh_token, { client_secret: 'wrong' }), 401, 'invalid_client');
    expectTokens(await world.refresh(client, refresh_token, { client_secret: client.client_secret }));
  });

  it('belongs to one client, and another one does not spend it', async ({ world, client }) => {
    const thief = await world.register();
    const { refresh_token } = await world.tokensFor(client);
    for (const other of [thief, { client_id: 'nobody', client_secret: 'x' }]) {
      const { client_secret } = other;
      expectError(await world.refresh(other, refresh_token), 400, 'invalid_grant');
      expectError(await world.refresh(other, refresh_token, { client_secret }), 400, 'invalid_grant');
    }
    expect((await world.refresh(client, refresh_token)).status).toBe(200);
    expectError(await world.refresh(client, 'unknown'), 400, 'invalid_grant');
  });

  it('ignores what else is asked for', async ({ world, client }) => {
    const { refresh_token } = await world.tokensFor(client);
    const answer = await world.refresh(client, refresh_token, {
      scope: 'openid everything',
      resource: 'https://elsewhere.example/',
      code_verifier: 'x',
      redirect_uri: 'x',
    });
    expectTokens(answer);
  });

  it('ends with its user', async ({ world, client, userId }) => {
    const { refresh_token } = await world.tokensFor(client, userId);
    const issued = await world.codeFor(client, userId);
    await world.store.write(({ db }) => db.deleteFrom('users').where('id', '=', userId).execute());
    expectError(await world.refresh(client, refresh_token), 400, 'invalid_grant');
    expectError(await world.exchange(client, issued), 400, 'invalid_grant');
    expect(await world.store.db.selectFrom('oauth_records').select('id').execute()).toEqual([]);
  });
});

describeServer('the token endpoint', ({ it: base }) => {
  const it = base.extend('granted', ({ world }) => ready(world));

  it('answers every row of the error table', async ({ world, granted: { client, code, verifier } }) => {
    const { client_id } = client;
    const exchange = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: 'unknown' };
    const cases: [Record<string, string>, number, string][] = [
      [{}, 400, 'invalid_request'],
      [{ client_id, code }, 400, 'invalid_request'],
      [{ ...exchange, grant_type: '' }, 400, 'invalid_request'],
      [{ ...exchange, grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'constructor', client_id: 'nobody' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'password', client_id: 'nobody' }, 400, 'unsupported_grant_type'],
      [{ ...exchange, code: '' }, 400, 'invalid_request'],
      [{ ...exchange, client_id: '' }, 400, 'invalid_request'],
      [{ ...exchange, code_verifier: '' }, 400, 'invalid_request'],
      [{ ...exchange, client_id: 'nobody', code: '' }, 400, 'invalid_request'],
      [{ ...refresh, refresh_token: '' }, 400, 'invalid_request'],
      [{ ...refresh, client_id: '' }, 400, 'invalid_request'],
      [{ ...exchange, client_id: 'nobody' }, 401, 'invalid_client'],
      [{ ...exchange, client_id: 'no\u0000body' }, 401, 'invalid_client'],
      [{ ...exchange, client_id: 'https://client.example/metadata' }, 401, 'invalid_client'],
      [{ ...exchange, client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ ...refresh, client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ ...exchange, code: 'unknown' }, 400, 'invalid_grant'],
      [refresh, 400, 'invalid_grant'],
      [{ ...refresh, client_id: 'nobody' }, 400, 'invalid_grant'],
    ];
    for (const [form, status, error] of cases) {
      const answer = await world.token(form, { Accept: 'text/html' });
      expect([form, answer.status, answer.body?.error]).toEqual([form, status, error]);
      expectError(answer, status, error);
    }
    expectTokens(await world.exchange(client, { code, verifier }));
  });

  it('refuses a field that is sent twice', async ({ world, granted: { client, code, verifier } }) => {
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
      client_secret: client.client_secret,
    });
    for (const name of form.keys()) {
      const twice = `${form.toString()}&${name}=${encodeURIComponent(form.get(name)!)}`;
      expectError(await world.send('POST /oauth/token', { form: twice }), 400, 'invalid_request');
    }
    expect((await world.send('POST /oauth/token', { form: form.toString() })).status).toBe(200);
  });

  /** Exchanges a fresh code of the client with headers, and a form that names no client by itself. */
  const exchangeAs =
    (world: World, client: Client) =>
    async (headers: Record<string, string>, extra = {}) => {
      const { code, verifier } = await world.codeFor(client);
      return world.token({ grant_type: 'authorization_code', code, code_verifier: verifier, ...extra }, headers);
    };

  it('takes the client from HTTP Basic', async ({ world, client }) => {
    const { client_id, client_secret } = client;
    const exchange = exchangeAs(world, client);
    expectTokens(await exchange(basic(client_id, client_secret)));
    expectTokens(await exchange(basic(client_id, client_secret), { client_id }));
    expectTokens(await exchange(basic(client_id, '')));
    const { refresh_token } = await world.tokensFor(client);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    expectTokens(await world.token(refresh, basic(client_id, client_secret)));
    for (const answer of [
      await exchange(basic(client_id, 'wrong')),
      await exchange(basic(client_id, 'wrong'), { client_id }),
      await exchange(basic('nobody', client_secret)),
    ]) {
      expectError(answer, 401, 'invalid_client');
      expect(answer.headers['www-authenticate']).toBe(`Basic realm="${world.rootUrl}"`);
    }
    for (const Authorization of ['Basic', 'Basic !!', 'Basic bm8gY29sb24=', 'Bearer x', 'Basic Og==']) {
      expectError(await exchange({ Authorization }), 400, 'invalid_request');
      expectTokens(await exchange({ Authorization }, { client_id }));
    }
  });

  it('lets the body win over Basic', async ({ world, client }) => {
    const other = await world.register();
    const right = { client_id: client.client_id, client_secret: client.client_secret };
    const exchange = exchangeAs(world, client);
    expectTokens(await exchange(basic('nobody', 'wrong'), right));
    expectTokens(await exchange(basic(client.client_id, 'wrong'), right));
    expectTokens(await exchange(basic(client.client_id, 'wrong'), { client_secret: client.client_secret }));
    expectTokens(await exchange(basic(other.client_id, 'wrong'), { client_id: client.client_id }));
    const wrong = await exchange(basic(client.client_id, client.client_secret), { ...right, client_secret: 'wrong' });
    expectError(wrong, 401, 'invalid_client');
    const foreign = await exchange(basic(client.client_id, client.client_secret), { client_id: other.client_id });
    expectError(foreign, 400, 'invalid_grant');
  });

  it('takes a JSON body where there is no form with a grant_type', async ({ world, client }) => {
    const body = async () => {
      const { code, verifier } = await world.codeFor(client);
      return { grant_type: 'authorization_code', client_id: client.client_id, code, code_verifier: verifier };
    };
    expectTokens(await world.send('POST /oauth/token', { json: await body() }));
    const types = ['application/x-www-form-urlencoded', 'text/plain', 'application/json; charset=utf-8', ''];
    for (const type of types) {
      const sent = { raw: JSON.stringify(await body()), headers: { 'Content-Type': type } };
      expectTokens(await world.send('POST /oauth/token', sent));
    }
    const secret = { ...(await body()), client_secret: null, redirect_uri: null, extra: { deep: [1] } };
    expectTokens(await world.send('POST /oauth/token', { json: secret }));
    const basicJson = { ...(await body()), client_id: undefined };
    const headers = basic(client.client_id, client.client_secret);
    expectTokens(await world.send('POST /oauth/token', { json: basicJson, headers }));
    const { refresh_token } = await world.tokensFor(client);
    const json = { grant_type: 'refresh_token', client_id: client.client_id, refresh_token };
    expectTokens(await world.send('POST /oauth/token', { json }));
  });

  it('refuses JSON whose fields are no text', async ({ world, granted: { client, code, verifier } }) => {
    const good = { grant_type: 'authorization_code', client_id: client.client_id, code, code_verifier: verifier };
    for (const bad of [
      { ...good, grant_type: 1 },
      { ...good, code: [code] },
      { ...good, client_id: { id: client.client_id } },
      { ...good, code_verifier: true },
      { ...good, client_secret: 5 },
      { ...good, redirect_uri: [CALLBACK] },
    ])
      expectError(await world.send('POST /oauth/token', { json: bad }), 400, 'invalid_request');
    for (const raw of ['', '{', '[]', '"x"', 'null', '{"__proto__":{"grant_type":"refresh_token"}}'])
      expectError(await world.send('POST /oauth/token', { raw }), 400, 'invalid_request');
    expectTokens(await world.send('POST /oauth/token', { json: good }));
  });

  it('reads neither the query nor large bodies', async ({ world, granted: { client, code, verifier } }) => {
    const form = { grant_type: 'authorization_code', client_id: client.client_id, code, code_verifier: verifier };
    const query = new URLSearchParams(form).toString();
    expectError(await world.send(`POST /oauth/token?${query}`, { form: '' }), 400, 'invalid_request');
    for (const size of [17_000, 3_000_000])
      expectError(await world.token({ ...form, padding: 'x'.repeat(size) }), 413, 'invalid_request');
    expectTokens(await world.token(form));
  });

  it('says server_error, and nothing of ours, when the store fails', async ({ world }) => {
    const { client, code, verifier } = await ready(world);
    await world.store.write(({ db }) => db.schema.alterTable('users').renameTo('gone').execute());
    const answer = await world.exchange(client, { code, verifier });
    expectError(answer, 500, 'server_error');
    expect(answer.text).not.toMatch(/users|no such table|relation/);
    expect(world.log.join('\n')).toContain('the OAuth provider failed');
    await world.store.write(({ db }) => db.schema.alterTable('oauth_clients').renameTo('gone too').execute());
    expectError(await world.exchange(client, { code, verifier }), 500, 'server_error');
    expect(world.log.join('\n')).toContain('the token endpoint failed');
  });
});
