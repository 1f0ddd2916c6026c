import { auth, UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import * as oauth from 'oauth4webapi';
import { describe, expect } from 'vitest';
import { it, type World } from '../harness/world.ts';
import { cookieFor, keep, type Browser } from '../harness/worlds/oauth.ts';
import { refusalOf } from '../harness/calls/rest.ts';
import { endGrants } from '../harness/calls/grants.ts';

const CALLBACK = 'http://localhost:7777/callback';

/** What a person does in a browser: opens the address, approves, and is sent back to the client. */
async function consent(world: World, address: URL): Promise<URL> {
  const browser: Browser = { cookies: [] };
  const visit = async (url: URL): Promise<string> => {
    const headers = { Cookie: cookieFor(browser, url.pathname) };
    const response = await fetch(url, { redirect: 'manual', headers });
    expect([response.status, await response.text()]).toEqual([303, '']);
    keep(browser, { headers: { 'set-cookie': response.headers.getSetCookie() } });
    return response.headers.get('location')!;
  };
  const page = await visit(address);
  const uid = page.slice('/oauth/consent/'.length);
  const back = await world.product.oauth.interactions.approve(uid, cookieFor(browser, page), world.userId);
  return new URL(await visit(new URL(back, world.root)));
}

/** An assistant's memory, and where it wants to send its person. */
function assistant() {
  const seen: { opened: URL[] } = { opened: [] };
  const kept: {
    client?: OAuthClientInformationMixed | undefined;
    tokens?: OAuthTokens | undefined;
    verifier?: string;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void seen.opened.push(url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    invalidateCredentials(scope) {
      if (scope === 'tokens' || scope === 'all') kept.tokens = undefined;
    },
  };
  return { provider, kept, opened: seen.opened };
}

const connect = async (world: World, authProvider: OAuthClientProvider) => {
  const transport = new StreamableHTTPClientTransport(new URL(`${world.root}/mcp`), { authProvider });
  const client = new Client({ name: 'test', version: '1' });
  return { transport, client, start: () => client.connect(transport) };
};

describe('the official MCP client', () => {
  it('goes from 401 to a tool result, through expiry and revocation', async ({ world }) => {
    const { provider, kept, opened } = assistant();

    // 401, discovery, registration, PKCE.
    const first = await connect(world, provider);
    await expect(first.start()).rejects.toThrow(UnauthorizedError);
    expect(opened).toHaveLength(1);
    expect(Object.fromEntries(opened[0]!.searchParams)).toMatchObject({
      scope: 'social:all',
      resource: `${world.root}/mcp`,
      code_challenge_method: 'S256',
    });
    const back = await consent(world, opened[0]!);
    expect(back.searchParams.get('state')).toBe('a state');
    await first.transport.finishAuth(back.searchParams.get('code')!);

    const second = await connect(world, provider);
    await second.start();
    const listBrands = () => second.client.callTool({ name: 'list_brands', arguments: {} });
    const called = await listBrands();
    expect([called.isError ?? false, called.structuredContent]).toEqual([false, expect.objectContaining({ count: 1 })]);

    // After an hour the refresh happens by itself.
    const old = kept.tokens!;
    world.clock.move(3_600_000);
    expect((await listBrands()).isError ?? false).toBe(false);
    expect(kept.tokens!.access_token).not.toBe(old.access_token);
    expect(kept.tokens!.refresh_token).not.toBe(old.refresh_token);

    // Revoked, it asks its person again, and goes on with the same client.
    const clientId = kept.client!.client_id;
    expect(await endGrants({ store: world.product.store, clock: world.clock }, world.userId, clientId)).toBe(true);
    world.clock.move(3_600_000);
    await expect(listBrands()).rejects.toThrow(UnauthorizedError);
    expect(opened).toHaveLength(2);
    const again = await consent(world, opened[1]!);
    const answered = { serverUrl: `${world.root}/mcp`, authorizationCode: again.searchParams.get('code')! };
    expect(await auth(provider, answered)).toBe('AUTHORIZED');
    expect((await listBrands()).isError ?? false).toBe(false);
    expect(kept.client!.client_id).toBe(clientId);
    await Promise.all([second.client.close(), first.client.close()]);
  });
});

describe('an independent client library', () => {
  it('discovers, registers, authorises, calls, refreshes and revokes', async ({ world }) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the library marks what belongs to tests this way
    const plain = { [oauth.allowInsecureRequests]: true } as const;
    const resource = new URL(`${world.root}/mcp`);
    const about = await oauth.resourceDiscoveryRequest(resource, plain);
    const described = await oauth.processResourceDiscoveryResponse(resource, about);
    const issuer = new URL(described.authorization_servers![0]!);
    const discovered = await oauth.discoveryRequest(issuer, { ...plain, algorithm: 'oauth2' });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const metadata = { client_name: 'Independent', redirect_uris: [CALLBACK] };
    const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, plain);
    const client = (await oauth.processDynamicClientRegistrationResponse(registered)) as oauth.Client;

    const methods = [
      oauth.ClientSecretPost(client['client_secret'] as string),
      oauth.ClientSecretBasic(client['client_secret'] as string),
      oauth.None(),
    ];
    for (const method of methods) {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const address = new URL(server.authorization_endpoint!);
      address.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }).toString();
      const params = oauth.validateAuthResponse(server, client, await consent(world, address), state);
      const grant = oauth.authorizationCodeGrantRequest(server, client, method, params, CALLBACK, verifier, plain);
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, await grant);
      const brands = new URL(`${world.root}/v1/brands`);
      const { access_token } = tokens;
      const asked = await oauth.protectedResourceRequest(access_token, 'GET', brands, undefined, undefined, plain);
      expect([asked.status, await asked.json()]).toEqual([200, expect.objectContaining({ count: 1 })]);
      const refresh = async (token: string) => {
        const answer = await oauth.refreshTokenGrantRequest(server, client, method, token, plain);
        return oauth.processRefreshTokenResponse(server, client, answer);
      };
      const next = (await refresh(tokens.refresh_token!)).refresh_token!;
      await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, method, next, plain));
      await expect(refresh(next)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    }
  });
});

describe('the whole product', () => {
  it('tells a client without a token where to go, and refuses whatever is no token', async ({ world }) => {
    const bare = await world.rest('GET /v1/brands', undefined, { key: null });
    expect(bare.headers.get('www-authenticate')).toContain(
      `resource_metadata="${world.root}/.well-known/oauth-protected-resource"`,
    );
    for (const key of ['a.b.c', 'words', 'x'.repeat(8000)]) {
      expect(await refusalOf(world.rest('GET /v1/brands', undefined, { key }))).toEqual([401, 'auth.invalid_token']);
    }
  });

  it('ends the tokens of a user who leaves', async ({ world }) => {
    const { token } = await world.product.oauth.signDashboardToken(world.userId);
    const asked = () => world.rest('GET /v1/users/me', undefined, { key: token });
    expect((await asked()).status).toBe(200);
    expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
    expect(await refusalOf(asked())).toEqual([401, 'auth.not_provisioned']);
  });
});
