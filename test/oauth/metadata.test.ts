import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryStore } from '../harness/stores/reused.ts';
import { openWorld, type World, type WorldOptions } from '../harness/worlds/oauth.ts';

const it = test.extend('world', () => open());

afterEach(() => void vi.useRealTimers());

async function open(options?: WorldOptions): Promise<World> {
  const store = await openMemoryStore();
  onTestFinished(() => store.close());
  return openWorld(store, options);
}

const serverFields = (root: string) => ({
  issuer: root,
  authorization_endpoint: `${root}/oauth/authorize`,
  token_endpoint: `${root}/oauth/token`,
  registration_endpoint: `${root}/oauth/register`,
  revocation_endpoint: `${root}/oauth/revoke`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  scopes_supported: ['social:all'],
});

describe('the metadata', () => {
  it('of the resource has exactly the fields of the contract, for the server and for MCP', async ({ world }) => {
    for (const path of ['', '/mcp'] as const) {
      const { status, body } = await world.send(`GET /.well-known/oauth-protected-resource${path}`);
      expect(status).toBe(200);
      expect(body).toEqual({
        resource: world.rootUrl + path,
        authorization_servers: [world.rootUrl],
        bearer_methods_supported: ['header'],
        scopes_supported: ['social:all'],
      });
    }
  });

  it('of the authorization server has exactly the fields of the contract', async ({ world }) => {
    const { status, body } = await world.send('GET /.well-known/oauth-authorization-server');
    expect([status, body]).toEqual([200, serverFields(world.rootUrl)]);
  });

  it('says what is switched on', async () => {
    const world = await open({ options: { iss: true, clientIdMetadata: true } });
    expect((await world.send('GET /.well-known/oauth-authorization-server')).body).toEqual({
      ...serverFields(world.rootUrl),
      token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  it('follows ROOT_URL and not the Host header', async () => {
    const world = await open({ rootUrl: 'https://social.example' });
    const { body } = await world.send('GET /.well-known/oauth-authorization-server');
    expect(body.token_endpoint).toBe('https://social.example/oauth/token');
    const headers = { Host: 'evil.example' };
    expect((await world.send('GET /.well-known/oauth-authorization-server', { headers })).status).toBe(421);
  });

  it('publishes the public half of the keys alone', async ({ world }) => {
    const { status, body } = await world.send('GET /.well-known/jwks.json');
    expect([status, body.keys.length]).toEqual([200, 1]);
    expect(body.keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      alg: 'EdDSA',
      kid: expect.any(String),
      x: expect.any(String),
    });
  });

  it.for([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ] as const)('at %s may be read from any site, by HEAD too', async (path, { world }) => {
    const got = await world.send(`GET ${path}`, { headers: { Origin: 'https://app.example' } });
    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([200, '*']);
    const head = await world.send(`HEAD ${path}`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toEqual(String(Buffer.byteLength(got.text)));
    const post = await world.send(`POST ${path}`, { json: {} });
    expect([post.status, post.headers.allow, post.body.error.code]).toEqual([405, 'GET, OPTIONS', 'http.405']);
  });

  const forms = ['/oauth/register', '/oauth/token', '/oauth/revoke'] as const;
  it.for(forms)('lets browsers ask for %s', async (path, { world }) => {
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
    const asked = await world.send(`OPTIONS ${path}`, { headers });
    expect([asked.status, asked.text]).toEqual([204, '']);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('Authorization, Content-Type'),
    });
    expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    const got = await world.send(`GET ${path}`);
    expect([got.status, got.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    expect(got.headers['access-control-allow-origin']).toBe('*');
  });

  it.for([
    '/.well-known/openid-configuration',
    '/oauth/_end',
    '/oauth/_end/confirm',
    '/session/end',
    '/me',
    '/reg',
    '/token',
    '/jwks',
    '/request',
    '/oauth/register/client_1',
    '/interaction/abc',
    '/oauth',
  ] as const)('leaves %s of the provider shut', async (path, { world }) => {
    for (const method of ['GET', 'POST'] as const) {
      const { status, body } = await world.send(`${method} ${path}`);
      expect([status, body.error.code]).toEqual([404, 'http.404']);
    }
  });
});
