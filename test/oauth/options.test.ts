import { MINUTE } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { makeOutbound, OutboundError, type OutboundAnswer, type OutboundRequest } from '#kernel/net/request.ts';
import { CALLBACK, describeServer, openWorld, pkce, requestOf } from '../harness/worlds/oauth.ts';
import { endGrants, grantsOf } from '../harness/calls/grants.ts';

const ID = 'https://client.example/oauth/client.json';
const document = {
  client_id: ID,
  client_name: 'By document',
  redirect_uris: [CALLBACK],
  // What documents say to other servers.
  grant_types: ['authorization_code'],
  scope: 'social:all offline_access',
  application_type: 'native',
  jwks_uri: 'http://169.254.169.254/',
  contacts: 'nobody',
};

/** A network with documents in it. */
function network(answerTo: (request: OutboundRequest) => Partial<OutboundAnswer> | Error | object) {
  const asked: OutboundRequest[] = [];
  const send = async (request: OutboundRequest): Promise<OutboundAnswer> => {
    asked.push(request);
    const found = answerTo(request);
    if (found instanceof Error) throw found;
    const answer: Partial<OutboundAnswer> =
      'body' in found || 'status' in found ? found : { body: Buffer.from(JSON.stringify(found)) };
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(),
      truncated: false,
      bytes: 0,
      url: String(request.url),
      durationMs: 1,
      fromPrivate: false,
      ...answer,
    };
  };
  return { asked, outbound: { send } };
}

describeServer('the option', ({ it: base, stores }) => {
  const it = base.extend('world', async () => openWorld(await stores.open(), { options: { replayRevokes: true } }));

  it('iss names the server in every redirect', async () => {
    const world = await openWorld(await stores.open(), { options: { iss: true } });
    const client = await world.register();
    const { url } = await world.codeFor(client, undefined, { state: 's' });
    expect([...url.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(url.searchParams.get('iss')).toBe(world.rootUrl);
    const denied = await world.deny(await world.begin(client, pkce().challenge));
    expect(Object.fromEntries(denied.searchParams)).toEqual({ error: 'access_denied', iss: world.rootUrl });
  });

  it('clientIdMetadata lets a client be known by its document', async () => {
    const { asked, outbound } = network(() => document);
    const world = await openWorld(await stores.open(), { options: { clientIdMetadata: true }, outbound });
    const userId = await world.newUser();
    const client = { client_id: ID };
    const { uid, cookie } = await world.begin(client, pkce().challenge);
    expect(await world.oauth.interactions.read(uid, cookie)).toMatchObject({
      client: { id: ID, name: 'By document' },
      redirectHost: 'client.example',
    });
    const { refresh_token } = await world.tokensFor(client, userId);
    const { status, body } = await world.refresh(client, refresh_token);
    expect(status).toBe(200);
    expect((await world.whoIs(body.access_token)).body.user).toBe(userId);
    expect(await grantsOf(world, userId)).toMatchObject([{ client_id: ID, name: null }]);
    expect(await endGrants(world, userId, ID)).toBe(true);
    // Every look is guarded as an address that a stranger gave, and follows no redirect.
    expect(asked[0]).toMatchObject({ given: true, redirects: 0, purpose: 'metadata', overflow: 'refuse' });
    expect(asked[0]!.maxBytes).toBeLessThanOrEqual(5120);
    expect(await world.store.db.selectFrom('oauth_clients').select('id').execute()).toEqual([]);
  });

  it('clientIdMetadata refuses documents that are not what they must be', async () => {
    /** A document that would do at its address, but for what is changed in it. */
    const but = (path: string, changed: object) => ({
      [path]: { ...document, client_id: `https://client.example${path}`, ...changed },
    });
    const answers: Record<string, Partial<OutboundAnswer> | Error | object> = {
      ...but('/other', { client_id: ID }),
      ...but('/secret', { client_secret: 'x' }),
      ...but('/method', { token_endpoint_auth_method: 'client_secret_post' }),
      ...but('/uris', { redirect_uris: [] }),
      ...but('/user', { redirect_uris: [CALLBACK, 'https://user@client.example/'] }),
      ...but('/signs', { redirect_uris: [CALLBACK, 'https://clïent.example/'] }),
      ...but('/native', { redirect_uris: ['myapp://cb'] }),
      ...but('/hidden', { client_name: 'Clau\u200bde' }),
      ...but('/blank', { client_name: ' ' }),
      ...but('/number', { client_name: 5 }),
      ...but('/own', { client_name: 'ROSTRA' }),
      '/text': { body: Buffer.from('no json') },
      '/list': { body: Buffer.from('[]') },
      '/moved': { status: 302, headers: { location: ID } },
      '/empty': { status: 204 },
      '/gone': { status: 404, body: Buffer.from(JSON.stringify(document)) },
      '/large': new OutboundError('too_large', 'client.example'),
      '/private': new OutboundError('refused_address', 'client.example'),
    };
    const { outbound } = network(({ url }) => answers[new URL(String(url)).pathname]!);
    const world = await openWorld(await stores.open(), { options: { clientIdMetadata: true }, outbound });
    for (const path of Object.keys(answers)) {
      const client_id = `https://client.example${path}`;
      const { status, body, headers } = await world.authorize(requestOf(client_id));
      const refused = [path, 400, 'auth.oauth.invalid_client', undefined];
      expect([path, status, body?.error.code, headers.location]).toEqual(refused);
      const exchanged = await world.exchange({ client_id }, { code: 'x', verifier: pkce().verifier });
      expect([exchanged.status, exchanged.body.error]).toEqual([401, 'invalid_client']);
      const refreshed = await world.refresh({ client_id }, 'x');
      expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
    }
    for (const client_id of ['http://client.example/a', 'https://user@client.example/a', 'https://client.example/a#b'])
      expect((await world.authorize(requestOf(client_id))).body.error.code).toBe('auth.oauth.invalid_client');
  });

  it('clientIdMetadata holds a document to its own redirect URIs and gives it no secret', async () => {
    const { outbound } = network(() => document);
    const world = await openWorld(await stores.open(), { options: { clientIdMetadata: true }, outbound });
    const elsewhere = await world.authorize({ ...requestOf(ID), redirect_uri: 'https://evil.example/' });
    expect(elsewhere.body.error.code).toBe('auth.oauth.invalid_redirect');
    const issued = await world.codeFor({ client_id: ID });
    const answer = await world.exchange({ client_id: ID }, issued, { client_secret: 'x' });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  it('clientIdMetadata never reaches into the own network', async () => {
    const outbound = makeOutbound({
      allowPrivate: 'off',
      ownPort: () => undefined,
      trustedOrigins: () => [],
      userAgent: 'test',
      query: () => Promise.reject(new Error('no name is looked up here')),
    });
    const world = await openWorld(await stores.open(), { options: { clientIdMetadata: true }, outbound });
    for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', '10.0.0.1', `127.0.0.1:${world.port}`]) {
      const { body } = await world.authorize(requestOf(`https://${host}/client.json`));
      expect([host, body.error.code]).toEqual([host, 'auth.oauth.invalid_client']);
    }
    await outbound.close();
  });

  it('clientIdMetadata is off unless it is switched on', async () => {
    const { asked, outbound } = network(() => document);
    const world = await openWorld(await stores.open(), { outbound });
    const { body } = await world.authorize(requestOf(ID));
    expect([body.error.code, asked]).toEqual(['auth.oauth.invalid_client', []]);
  });

  it('replayRevokes ends a family when a spent token comes back, but not within a minute', async ({
    world,
    client,
  }) => {
    const first = (await world.tokensFor(client)).refresh_token;
    const other = (await world.tokensFor(client)).refresh_token;
    const { refresh_token: second, access_token } = (await world.refresh(client, first)).body;
    world.clock.move(MINUTE);
    expect((await world.refresh(client, first)).body.error).toBe('invalid_grant');
    const third = (await world.refresh(client, second)).body.refresh_token as string;
    expect((await world.whoIs(access_token)).status).toBe(200);
    world.clock.move(1);
    expect((await world.refresh(client, first)).body.error).toBe('invalid_grant');
    expect((await world.whoIs(access_token)).status).toBe(401);
    expect((await world.refresh(client, third)).body.error).toBe('invalid_grant');
    expect((await world.refresh(client, other)).status).toBe(200);
  });

  it('replayRevokes ends what came of a code that is used again', async ({ world, client }) => {
    const issued = await world.codeFor(client);
    const { refresh_token } = (await world.exchange(client, issued)).body;
    expect((await world.exchange(client, issued)).body.error).toBe('invalid_grant');
    world.clock.move(MINUTE + 1);
    await world.oauth.sweep();
    expect((await world.exchange(client, issued)).body.error).toBe('invalid_grant');
    expect((await world.refresh(client, refresh_token)).body.error).toBe('invalid_grant');
  });

  it('replayRevokes keeps spent tokens for as long as they would have lived', async ({ world, client }) => {
    const first = (await world.tokensFor(client)).refresh_token;
    const second = (await world.refresh(client, first)).body.refresh_token as string;
    world.clock.move(29 * 86_400_000);
    await world.oauth.sweep();
    expect((await world.refresh(client, first)).body.error).toBe('invalid_grant');
    expect((await world.refresh(client, second)).body.error).toBe('invalid_grant');
  });
});
