import { describe, expect } from 'vitest';
import { it, makeWorld, type World } from '../harness/world.ts';
import { bare, DOORS } from '../harness/calls/operations.ts';

const answer = async (world: World, headers: Record<string, string>, path: `/${string}` = '/v1/brands') => {
  const { status, body } = await world.rest(`GET ${path}`, undefined, { key: null, headers });
  return [status, body.error?.code];
};

describe('a token', () => {
  it('is read from the Authorization header alone', async ({ world }) => {
    const missing = [401, 'auth.missing_header'];
    expect(await answer(world, {})).toEqual(missing);
    expect(await answer(world, { 'X-API-Key': world.key })).toEqual(missing);
    expect(await answer(world, { 'Proxy-Authorization': `Bearer ${world.key}` })).toEqual(missing);
    expect(await answer(world, {}, `/v1/brands?access_token=${world.key}`)).toEqual(missing);
    expect(await answer(world, {}, `/v1/brands?api_key=${world.key}&token=${world.key}`)).toEqual(missing);
  });

  it.for([
    ['Bearer', 'auth.empty_token'],
    ['bearer   ', 'auth.empty_token'],
    ['Token x', 'auth.empty_token'],
    [`Bearer a${' '.repeat(9000)}b`, 'auth.invalid_token'],
    ['rostra_key_', 'auth.empty_token'],
    ['Bearer rostra_key_', 'auth.invalid_key'],
    [`Bearer rostra_key_${'0'.repeat(62)}`, 'auth.invalid_key'],
    [`Bearer rostra_key_${'x'.repeat(8000)}`, 'auth.invalid_key'],
    ['Bearer two words', 'auth.invalid_token'],
    [`Bearer rostra_key_${'0'.repeat(62)} words`, 'auth.invalid_token'],
    ['Bearer words', 'auth.invalid_token'],
    ['Bearer a.b.c', 'auth.invalid_token'],
  ] as const)('is refused as %s', async ([Authorization, code], { world }) => {
    for (const via of DOORS) {
      const refused = await bare(world, via, 'list_brands', {}, Authorization);
      expect([via, refused.status, refused.code]).toEqual([via, 401, code]);
    }
  });

  it('may be announced in any case and with any room before it', async ({ world }) => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  '])
      expect((await answer(world, { Authorization: `${scheme} ${world.key}` }))[0]).toBe(200);
  });

  it('is looked at before the body, and before the input', async ({ world }) => {
    const { status, body } = await world.rest('POST /v1/brands', '{"broken', { key: null });
    expect([status, body.error.code]).toEqual([401, 'auth.missing_header']);
  });
});

describe('a refusal', () => {
  it('names the request and where tokens come from', async ({ world }) => {
    const { headers, body } = await world.rest('GET /v1/brands', undefined, {
      key: null,
      headers: { 'X-Request-ID': 'mine-1' },
    });
    expect(body).toEqual({
      error: { code: 'auth.missing_header', message: expect.stringMatching(/Authorization/) },
      request_id: 'mine-1',
    });
    expect(headers.get('x-request-id')).toBe('mine-1');
    expect(headers.get('www-authenticate')).toContain(`${world.root}/.well-known/oauth-protected-resource`);
  });
});

describe('a key', () => {
  it('dies at once everywhere when it is revoked, however often it was used at that moment', async ({ world }) => {
    const { body } = await world.rest('POST /v1/keys', { name: 'busy' });
    const use = () => world.rest('GET /v1/brands', undefined, { key: body.raw_key });
    await use();
    const busy = Promise.all(Array.from({ length: 30 }, use));
    await world.rest(`DELETE /v1/keys/${body.id}`);
    await busy;
    for (const via of DOORS) {
      const refused = await bare(world, via, 'list_brands', {}, `Bearer ${body.raw_key}`);
      expect([refused.status, refused.code]).toEqual([401, 'auth.invalid_key']);
    }
  });

  it('dies with its user', async ({ world }) => {
    const other = await world.newKey({ scopes: ['accounts:read'] });
    await world.rest('DELETE /v1/users/me');
    for (const key of [world.key, other])
      expect((await answer(world, { Authorization: `Bearer ${key}` }))[0]).toBe(401);
  });

  it('of another server is unknown', async () => {
    const [world, elsewhere] = [await makeWorld(), await makeWorld()];
    expect(await answer(world, { Authorization: `Bearer ${elsewhere.key}` })).toEqual([401, 'auth.invalid_key']);
  });
});

describe('pages', () => {
  it('read no bearer token', async ({ world }) => {
    const { auth_url } = (await world.rest('GET /v1/oauth/url?platform=bluesky')).body;
    const { handle, credentials } = world.product.sandbox!.people()[0]!;
    const posted = await fetch(auth_url, {
      method: 'POST',
      redirect: 'manual',
      headers: { Authorization: `Bearer ${world.key}`, Origin: world.root },
      body: new URLSearchParams({ identifier: handle, app_password: credentials['app_password']! }),
    });
    expect(posted.status).toBe(403);
    expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
  });
});
