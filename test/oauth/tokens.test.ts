import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { expect } from 'vitest';
import { makeSealer } from '#kernel/seal.ts';
import { describeServer, openPair, openWorld, type World } from '../harness/worlds/oauth.ts';

/** Signs claims of a user for a minute with the newest key, whose private half only the store and its sealer know. */
async function signerOf({ store, clock, rootUrl }: World, userId: string) {
  const rows = await store.db.selectFrom('oauth_keys').selectAll().orderBy('generation').execute();
  const { kid, sealed } = rows.at(-1)!;
  const jwk = JSON.parse(makeSealer(['11'.repeat(32)]).open(sealed, `oauth_keys.sealed.${kid}`));
  const own = createPrivateKey({ key: jwk, format: 'jwk' });
  const now = Math.floor(clock.now() / 1000);
  const usual = { iss: rootUrl, aud: rootUrl, sub: userId, iat: now, exp: now + 60, jti: 'x' };
  return (claims: object, header: object = {}, key: KeyObject | Uint8Array = own) =>
    new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header }).sign(key);
}

const codeOf = async (world: World, bearer: string) => {
  const { status, body } = await world.whoIs(bearer);
  return status === 200 ? 'ok' : `${status} ${body.error.code}`;
};
const INVALID = '401 auth.invalid_token';

describeServer('an access token', ({ it }) => {
  it('is an EdDSA JWT that says for whom, by whom and until when', async ({ world, userId, client }) => {
    const { access_token } = await world.tokensFor(client, userId);
    const { body: jwks } = await world.send('GET /.well-known/jwks.json');
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: jwks.keys[0].kid });
    const now = Math.floor(world.clock.now() / 1000);
    expect(decodeJwt(access_token)).toEqual({
      iss: world.rootUrl,
      aud: world.rootUrl,
      sub: userId,
      client_id: client.client_id,
      scope: 'social:all',
      iat: now,
      exp: now + 3600,
      jti: expect.any(String),
      grant: expect.any(String),
    });
  });

  it('opens every public operation to the account of its user, with no limits', async ({ world, userId }) => {
    const { access_token } = await world.tokensFor(await world.register(), userId);
    const { status, body } = await world.whoIs(access_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'oauth', user: userId, workspace: world.users[0]!.workspaceId });
    expect(await world.oauth.verifyToken(access_token)).toMatchObject({
      authority: { scopes: undefined, brands: undefined, admin: true },
      id: decodeJwt(access_token)['grant'],
    });
  });

  it('opens nothing that is for the dashboard', async ({ world }) => {
    const { access_token } = await world.tokensFor(await world.register());
    const { status, body } = await world.whoIs(access_token, '/v1/dashboard-only');
    expect([status, body.error.code]).toEqual([403, 'auth.requires_dashboard_auth']);
  });

  it('is checked without a look at who holds what', async ({ world }) => {
    const { access_token } = await world.tokensFor(await world.register());
    await world.store.write(async ({ db }) => {
      await db.deleteFrom('oauth_records').execute();
      await db.deleteFrom('oauth_clients').execute();
    });
    expect(await codeOf(world, access_token)).toBe('ok');
  });

  it('ends with its user, at once where the user is removed and elsewhere within a second', async ({
    world,
    userId,
  }) => {
    const { access_token } = await world.tokensFor(await world.register(), userId);
    expect(await codeOf(world, access_token)).toBe('ok');
    await world.store.write(({ db }) => db.deleteFrom('users').where('id', '=', userId).execute());
    world.oauth.forget();
    expect(await codeOf(world, access_token)).toBe('401 auth.user_not_found');
  });

  it('is nothing else than what we signed, for us, of this kind', async ({ world, userId }) => {
    const { access_token } = await world.tokensFor(await world.register(), userId);
    const sign = await signerOf(world, userId);
    const now = Math.floor(world.clock.now() / 1000);
    expect(await codeOf(world, await sign({}))).toBe('ok');

    const stranger = generateKeyPairSync('ed25519').privateKey;
    const secret = new TextEncoder().encode('x'.repeat(32));
    const forged = [
      await sign({}, {}, stranger),
      await sign({}, { kid: 'unknown' }),
      await sign({}, { kid: undefined }),
      await sign({}, { kid: { toString: 1 } }),
      await sign({}, { typ: 'JWT' }),
      await sign({}, { typ: undefined }),
      await sign({}, { typ: 'constructor' }),
      await sign({}, { alg: 'HS256' }, secret),
      await sign({ iss: 'https://evil.example' }),
      await sign({ iss: undefined }),
      await sign({ aud: 'https://evil.example' }),
      await sign({ aud: `${world.rootUrl}/mcp` }),
      await sign({ aud: undefined }),
      await sign({ exp: now }),
      await sign({ exp: undefined }),
      await sign({ exp: 'soon' }),
      await sign({ nbf: now + 10 }),
      await sign({ sub: undefined }),
      await sign({ jti: undefined }),
      `${access_token.split('.').slice(0, 2).join('.')}.`,
      `${access_token.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`,
      `${access_token}x`,
      `${access_token}.x`,
      access_token.split('.').slice(0, 2).join('.'),
      `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${access_token.split('.')[1]}.`,
      `${Buffer.from('{').toString('base64url')}.e30.e30`,
      `${Buffer.from('[]').toString('base64url')}.e30.e30`,
      `${Buffer.from('null').toString('base64url')}.e30.e30`,
      'a.b.c',
      'x'.repeat(5000),
      '...',
    ];
    for (const token of forged) expect([token, await codeOf(world, token)]).toEqual([token, INVALID]);
    expect(await codeOf(world, await sign({ sub: 'usr_gone' }))).toBe('401 auth.user_not_found');
  });

  it('of one server is nothing to another', async ({ world }) => {
    const other = await openWorld(world.store, { clock: world.clock, rootUrl: 'https://other.example' });
    const { access_token } = await world.tokensFor(await world.register());
    expect(await codeOf(other, access_token)).toBe(INVALID);
    const { message } = (await other.whoIs(access_token)).body.error;
    expect(message).toMatch(`issued while ROOT_URL was ${world.rootUrl}.`);
  });

  it('is distinguished from a failure of ours', async ({ world }) => {
    const { access_token } = await world.tokensFor(await world.register());
    await world.store.write(({ db }) => db.schema.alterTable('users').renameTo('gone').execute());
    world.oauth.forget();
    expect(await codeOf(world, access_token)).toBe('500 system.internal');
  });

  it('is remembered in bounds', async ({ world, userId }) => {
    await world.send('GET /.well-known/jwks.json');
    const sign = await signerOf(world, userId);
    const tokens = await Promise.all(Array.from({ length: 1005 }, (_, n) => sign({ jti: `${n}` })));
    for (const token of [...tokens, ...tokens.slice(0, 5)])
      expect((await world.oauth.verifyToken(token)).userId).toBe(userId);
  });
});

describeServer('a dashboard token', ({ it }) => {
  it('is another type of JWT, good for fifteen minutes', async ({ world, userId }) => {
    const { token, expiresAt } = await world.oauth.signDashboardToken(userId);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'EdDSA', typ: 'dashboard+jwt' });
    expect(expiresAt).toBe(world.clock.now() + 15 * 60_000);
    const { status, body } = await world.whoIs(token);
    expect([status, body]).toEqual([200, expect.objectContaining({ kind: 'dashboard', user: userId })]);
    expect((await world.whoIs(token, '/v1/dashboard-only')).status).toBe(200);
    world.clock.move(15 * 60_000 - 1000);
    expect(await codeOf(world, token)).toBe('ok');
    world.clock.move(1000);
    expect(await codeOf(world, token)).toBe(INVALID);
  });

  it('says who it is about, and no access token does', async ({ world, userId }) => {
    const { token } = await world.oauth.signDashboardToken(userId);
    expect(await world.oauth.readDashboardToken(token)).toEqual({
      userId,
      name: 'User 1',
      email: `${userId}@example.org`,
    });
    const { access_token } = await world.tokensFor(await world.register(), userId);
    await expect(world.oauth.readDashboardToken(access_token)).rejects.toMatchObject({ code: 'auth.invalid_token' });
  });

  it('needs a user: to be made, and to be used', async ({ world, userId }) => {
    await expect(world.oauth.signDashboardToken('usr_gone')).rejects.toMatchObject({ code: 'auth.user_not_found' });
    const { token } = await world.oauth.signDashboardToken(userId);
    await world.store.write(({ db }) => db.deleteFrom('users').where('id', '=', userId).execute());
    world.oauth.forget();
    expect(await codeOf(world, token)).toBe('401 auth.not_provisioned');
    expect((await world.oauth.readDashboardToken(token)).userId).toBe(userId);
  });
});

describeServer('signing keys', { kinds: ['file', 'postgres'] }, ({ it, stores }) => {
  const MINUTE = 60_000;

  it('are sealed, and open nowhere else', async ({ world }) => {
    await world.send('GET /.well-known/jwks.json');
    const { sealed, kid } = await world.store.db.selectFrom('oauth_keys').selectAll().executeTakeFirstOrThrow();
    expect(() => makeSealer(['22'.repeat(32)]).open(sealed, `oauth_keys.sealed.${kid}`)).toThrow('not in the ring');
    expect(() => makeSealer(['11'.repeat(32)]).open(sealed, 'oauth_keys.sealed.other')).toThrow('does not open');
  });

  it('are replaced while two processes run, and nobody has to sign in again', async () => {
    const [first, second] = await openPair(stores);
    const client = await first.register();
    const kidOf = (token: string) => decodeProtectedHeader(token).kid!;
    const published = async (world: World) =>
      ((await world.send('GET /.well-known/jwks.json')).body.keys as { kid: string }[]).map(({ kid }) => kid);
    const before = await first.tokensFor(client);
    const [old] = await published(second);
    const begun = await first.codeFor(client);

    await first.oauth.rotateKeys();
    first.clock.move(MINUTE);
    // Published everywhere before it signs anywhere.
    const [, fresh] = await published(second);
    expect([await published(first), fresh]).toEqual([[old, fresh], expect.any(String)]);
    expect(kidOf((await second.tokensFor(client)).access_token)).toBe(old);

    first.clock.move(4 * MINUTE);
    const exchanged = (await second.exchange(client, begun)).body;
    expect(kidOf(exchanged.access_token)).toBe(fresh);
    const refreshed = (await first.refresh(client, before.refresh_token)).body;
    expect(kidOf(refreshed.access_token)).toBe(fresh);
    for (const token of [before.access_token, exchanged.access_token, refreshed.access_token])
      expect([await codeOf(first, token), await codeOf(second, token)]).toEqual(['ok', 'ok']);

    // The old key verifies until its last token has ended, and then goes.
    const last = (await first.oauth.signDashboardToken(first.users[0]!.userId)).token;
    expect(kidOf(last)).toBe(fresh);
    first.clock.move(59 * MINUTE);
    await first.oauth.sweep();
    expect(await published(second)).toEqual([old, fresh]);
    first.clock.move(10 * MINUTE);
    await first.oauth.sweep();
    expect([await published(first), await published(second)]).toEqual([[fresh], [fresh]]);
    expect(await first.store.db.selectFrom('oauth_keys').select('kid').execute()).toEqual([{ kid: fresh }]);
    expect(await codeOf(first, (await second.refresh(client, refreshed.refresh_token)).body.access_token)).toBe('ok');
  });

  it('are found by a process that has not looked for a while', async () => {
    const [first, second] = await openPair(stores);
    const userId = await first.newUser();
    await second.send('GET /.well-known/jwks.json');
    await first.oauth.rotateKeys();
    const sign = await signerOf(first, userId);
    const token = await sign({});
    expect(await codeOf(second, token)).toBe(INVALID);
    first.clock.move(1000);
    expect(await codeOf(second, token)).toBe('ok');
  });

  it('are replaced by themselves after ninety days, once', async () => {
    const [first, second] = await openPair(stores);
    await first.oauth.sweep();
    first.clock.move(90 * 86_400_000 - 1);
    await first.oauth.sweep();
    const count = async () => (await first.store.db.selectFrom('oauth_keys').select('kid').execute()).length;
    expect(await count()).toBe(1);
    first.clock.move(1);
    await Promise.all([first.oauth.sweep(), second.oauth.sweep()]);
    expect(await count()).toBe(2);
    await second.oauth.sweep();
    expect(await count()).toBe(2);
  });
});
