import { MINUTE } from '#kernel/clock.ts';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { SignJWT } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { accessToken } from '../harness/calls/authorize.ts';
import { setUp } from '../harness/calls/browser.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { makeWorld, type World } from '../harness/world.ts';
import { dashboardToken } from '../harness/calls/dashboard.ts';
import { block, call, callMcp, expectInvalid } from '../harness/calls/operations.ts';
import {
  AUDIENCE,
  codeOf,
  hostKey,
  ISSUER,
  openIdentity,
  secondsOf,
  settingsFor,
  startHost,
  token,
  type Algorithm,
} from '../harness/worlds/identity.ts';

const withHost = test.extend('key', () => hostKey('first')).extend('host', ({ key }) => startHost(key));
/** The world is a server that knows the identity host with its one key. */
const it = withHost.extend('world', ({ host }) => makeWorld({ env: settingsFor(host) }));

afterEach(() => void vi.useRealTimers());

const INVALID = '401 auth.invalid_token';

/** A token that says what everybody can know, to be signed. */
const known = (world: World) =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, email: 'owner@example.org', exp: secondsOf(world) + 60 });

describe('a token of the identity host', () => {
  it.each<Algorithm>(['EdDSA', 'ES256', 'RS256', 'PS256'])('opens the dashboard when signed by %s', async (alg) => {
    const key = hostKey('k', alg);
    const world = await makeWorld({ env: settingsFor(await startHost(key)) });
    const bearer = await token(world, key);
    const { status, body } = await call(world, 'get_me', {}, { key: bearer });
    expect([status, body.id, body.email]).toEqual([200, world.userId, 'owner@example.org']);
    expect(await codeOf(world, bearer, 'list_redirect_uris')).toBe('ok');
    expect((await callMcp(world, 'list_brands', {}, { key: bearer })).body.data).toMatchObject([{ id: world.brandId }]);
  });

  it('may say the same in other ways', async ({ world, key }) => {
    const now = secondsOf(world);
    const claims = [
      { email: ' OWNER@Example.ORG ' },
      { email_verified: true },
      { email_verified: 'true' },
      { aud: ['other', AUDIENCE] },
      { nbf: now, sub: undefined, iat: undefined },
      // Clocks differ a little.
      { exp: now - 29 },
      { nbf: now + 30 },
    ];
    for (const given of claims)
      expect([given, await codeOf(world, await token(world, key, given))]).toEqual([given, 'ok']);
    for (const header of [{ typ: undefined }, { typ: 'at+jwt' }, { typ: 'application/jwt' }, { kid: undefined }])
      expect([header, await codeOf(world, await token(world, key, {}, header))]).toEqual([header, 'ok']);
  });

  it('is nothing that somebody else made, for somebody else, or at another time', async ({ world, key }) => {
    const now = secondsOf(world);
    expect(await codeOf(world, await token(world, key))).toBe('ok');
    const wrong = {
      iss: ['https://identity.example', 'https://evil.example/', [ISSUER], undefined, world.root],
      aud: ['another-app', ['another-app'], undefined],
      exp: [now - 30, undefined, 'later'],
      nbf: [now + 31, 'later'],
      email: [undefined, 'no address', ['owner@example.org']],
      email_verified: [false, 'false', null, 0],
    };
    const claims = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
    for (const given of claims)
      expect([given, await codeOf(world, await token(world, key, given))]).toEqual([given, INVALID]);
    const types = ['logout+jwt', 'dashboard+jwt', 'dpop+jwt'].map((typ) => ({ typ }));
    for (const header of [...types, { kid: 'unknown' }, { kid: 7, jku: 'http://127.0.0.1/' }])
      expect([header, await codeOf(world, await token(world, key, {}, header))]).toEqual([header, INVALID]);
    const [head, body, signature] = (await token(world, key)).split('.') as [string, string, string];
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: key.kid })).toString('base64url');
    for (const forged of [
      await token(world, hostKey(key.kid)),
      await token(world, hostKey(key.kid, 'ES256')),
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}.${'A'.repeat(86)}`,
      `${head}.${body}.${signature}x`,
      `${head}.${Buffer.from(JSON.stringify({ iss: ISSUER, aud: AUDIENCE })).toString('base64url')}.${signature}`,
      `${head}.e30.${signature}`,
      `e30.${body}.${signature}`,
      `x.${body}.${signature}`,
      `${head}.${body}`,
      await token(world, key, { padding: 'x'.repeat(8192) }),
    ])
      expect([forged, await codeOf(world, forged)]).toEqual([forged, INVALID]);
  });

  it('cannot be made with what everybody knows', async () => {
    for (const alg of ['EdDSA', 'RS256'] as const) {
      const key = hostKey('k', alg);
      const host = await startHost(key);
      const world = await makeWorld({ env: settingsFor(host) });
      const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }) as string;
      const secrets = [pem, pem.trim(), JSON.stringify(key.jwk), key.jwk.x ?? key.jwk.n!];
      const bytes = [...secrets.map((text) => Buffer.from(text)), Buffer.from(secrets[3]!, 'base64url')];
      for (const secret of bytes) {
        const forged = await known(world).setProtectedHeader({ alg: 'HS256', kid: 'k' }).sign(secret);
        expect(await codeOf(world, forged)).toBe(INVALID);
      }
      // A shared secret that stands among the keys is no key.
      host.publish({ kty: 'oct', k: Buffer.alloc(32).toString('base64url'), kid: 's', alg: 'HS256' });
      world.clock.move(10 * MINUTE);
      const shared = await known(world).setProtectedHeader({ alg: 'HS256', kid: 's' }).sign(Buffer.alloc(32));
      expect(await codeOf(world, shared)).toBe(INVALID);
    }
  });

  it('is signed in one of four ways', async ({ world, host }) => {
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const others = { ES384: curve, RS512: rsa, PS384: rsa };
    for (const [alg, { privateKey, publicKey }] of Object.entries(others)) {
      host.publish({ ...publicKey.export({ format: 'jwk' }), kid: alg });
      world.clock.move(10 * MINUTE);
      const bearer = await token(world, { ...hostKey(alg), privateKey }, {}, { alg });
      expect([alg, await codeOf(world, bearer)]).toEqual([alg, INVALID]);
    }
  });

  it('is given the reason where the address is the matter', async ({ world, key }) => {
    const unverified = await token(world, key, { email_verified: false });
    const { body } = await call(world, 'get_me', {}, { key: unverified });
    expect(body.error.message).toContain('This token has no verified e-mail address. ');
  });

  it('is never taken for one of ours, nor ours for one of it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 15, 9) });
    const { world, host, key } = await openIdentity();
    const browser = await setUp(world);
    const oauth = await accessToken(world, browser);
    const own = await dashboardToken(world);
    expect(await codeOf(world, oauth)).toBe('ok');
    expect(await codeOf(world, oauth, 'list_redirect_uris')).toBe('403 auth.requires_dashboard_auth');
    expect(await codeOf(world, own, 'list_redirect_uris')).toBe('ok');
    expect(await codeOf(world, world.key, 'list_redirect_uris')).toBe('403 auth.dashboard_only');
    expect(host.asked()).toBe(0);

    const claims = { iss: world.root, aud: world.root, sub: world.userId, jti: 'x' };
    for (const typ of ['at+jwt', 'dashboard+jwt', 'JWT'])
      expect(await codeOf(world, await token(world, key, claims, { typ }))).toBe(INVALID);
    expect(host.asked()).toBe(0);
    // Our own public key is published, and no key of the host.
    const { body } = await world.rest('GET /.well-known/jwks.json', undefined, { key: null });
    const [, payload] = (await token(world, key)).split('.');
    const [head, , signature] = own.split('.');
    expect(await codeOf(world, `${head}.${payload}.${signature}`)).toBe(INVALID);
    expect(await codeOf(world, await token(world, key, {}, { kid: body.keys[0].kid }))).toBe(INVALID);
  });

  it('is nothing where no host is set', async () => {
    const world = await makeWorld();
    expect(await codeOf(world, await token(world, hostKey('k')))).toBe(INVALID);
  });

  it('waits for payment like everybody', async ({ world, key }) => {
    const bearer = await token(world, key);
    expect(await codeOf(world, bearer, 'list_redirect_uris')).toBe('ok');
    await block(world);
    expect(await codeOf(world, bearer, 'list_redirect_uris')).toBe('402 billing.past_due');
    expect(await codeOf(world, bearer, 'provision_user')).toBe('402 billing.past_due');
    expect(await codeOf(world, bearer)).toBe('ok');
  });
});

describe('the keys of the identity host', () => {
  it('are asked for once, by however many at once', async ({ world, host, key }) => {
    const bearer = await token(world, key);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(world, bearer)));
    expect([new Set(codes), host.asked()]).toEqual([new Set(['ok']), 1]);
    world.clock.move(10 * MINUTE - 1);
    expect([await codeOf(world, await token(world, key)), host.asked()]).toEqual(['ok', 1]);
    world.clock.move(1);
    expect([await codeOf(world, await token(world, key)), host.asked()]).toEqual(['ok', 2]);
  });

  it('are asked for once a minute at most, whatever is sent', async ({ world, host, key }) => {
    const flood = async () => {
      const sent = Array.from({ length: 30 }, (_, n) => token(world, hostKey(`made up ${n}`)));
      const codes = await Promise.all(sent.map(async (bearer) => codeOf(world, await bearer)));
      expect(new Set(codes)).toEqual(new Set([INVALID]));
    };
    await flood();
    expect(host.asked()).toBe(1);
    world.clock.move(MINUTE - 1);
    await flood();
    expect(host.asked()).toBe(1);
    world.clock.move(1);
    await flood();
    expect(host.asked()).toBe(2);
    expect(await codeOf(world, await token(world, key))).toBe('ok');
    expect(host.asked()).toBe(2);
  });

  it('are asked for once, however long it takes and whatever the clock does', async ({ world, host, key }) => {
    const held = Promise.withResolvers<() => void>();
    host.answer((_, res) => held.resolve(() => void res.end(JSON.stringify({ keys: [key.jwk] }))));
    const first = codeOf(world, await token(world, key));
    const release = await held.promise;
    world.clock.move(2 * MINUTE);
    const second = codeOf(world, await token(world, key));
    // Whoever is let in after the second has left it waiting.
    expect(await codeOf(world, world.key)).toBe('ok');
    release();
    expect([await first, await second, host.asked()]).toEqual(['ok', 'ok', 1]);
    host.answer();
    world.clock.move(-60 * MINUTE);
    expect([await codeOf(world, await token(world, key)), host.asked()]).toEqual(['ok', 2]);
  });

  it('may be replaced: a new one is found within a minute, one taken back ends within ten', async ({
    world,
    host,
    key,
  }) => {
    const next = hostKey('next');
    expect(await codeOf(world, await token(world, key))).toBe('ok');
    host.publish(key, next);
    expect(await codeOf(world, await token(world, next))).toBe(INVALID);
    world.clock.move(MINUTE);
    expect(await codeOf(world, await token(world, next))).toBe('ok');
    expect(await codeOf(world, await token(world, key))).toBe('ok');
    host.publish(next);
    world.clock.move(10 * MINUTE);
    expect(await codeOf(world, await token(world, key))).toBe(INVALID);
    expect(await codeOf(world, await token(world, next))).toBe('ok');
  });

  it('may be replaced under the same name, or have none', async ({ world, host, key }) => {
    expect(await codeOf(world, await token(world, key, {}, { kid: undefined }))).toBe('ok');
    const next = hostKey(key.kid);
    host.publish(next);
    expect(await codeOf(world, await token(world, next))).toBe(INVALID);
    world.clock.move(MINUTE);
    expect(await codeOf(world, await token(world, next))).toBe('ok');
    // Now that there are two, a token must say which.
    host.publish(next, hostKey('other'));
    world.clock.move(10 * MINUTE);
    expect(await codeOf(world, await token(world, next))).toBe('ok');
    expect(await codeOf(world, await token(world, next, {}, { kid: undefined }))).toBe(INVALID);
  });

  it('may be spoiled without harm to others', async ({ world, host, key }) => {
    const spoiled = [
      { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'point' },
      { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), kid: 'off the curve' },
      { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'short' },
      { kty: 'RSA', n: 7, e: null, kid: 'types' },
      { ...key.jwk, kid: 'for encryption', use: 'enc' },
      { ...key.jwk, kid: 'for another algorithm', alg: 'ES256' },
      { ...key.privateKey.export({ format: 'jwk' }), kid: 'private' },
    ];
    host.publish(key, ...spoiled);
    for (const { kid } of spoiled) {
      for (const signer of [{ ...key, kid }, hostKey(kid, 'ES256'), hostKey(kid, 'RS256')])
        expect([kid, signer.alg, await codeOf(world, await token(world, signer))]).toEqual([kid, signer.alg, INVALID]);
    }
    expect(await codeOf(world, await token(world, key))).toBe('ok');
  });
});

describe('an identity host that fails', () => {
  const FAILURES: Readonly<Record<string, RequestListener>> = {
    'an error': (_, res) => void res.writeHead(500).end('{"keys":[]}'),
    'a redirect': (req, res) =>
      void (req.url === '/moved' ? res.end('{"keys":[]}') : res.writeHead(302, { location: '/moved' }).end()),
    'too much': (_, res) => void res.end(JSON.stringify({ keys: [], padding: 'x'.repeat(65_536) })),
    'no JSON': (_, res) => void res.end('<html>'),
    'no keys': (_, res) => void res.end('{"keys":{}}'),
    'nothing at all': (_, res) => void res.end('null'),
    'a closed connection': (req) => void req.socket.destroy(),
  };

  it.for(Object.entries(FAILURES))(
    'with %s closes its own door alone, and says so once a minute',
    async ([, answer], { world, host, key }) => {
      const said = () => world.log.filter((line) => line.includes('keys of the identity host not read')).length;
      host.answer(answer);
      const bearer = await token(world, key);
      for (let n = 0; n < 3; n++) expect(await codeOf(world, bearer)).toBe(INVALID);
      expect(await codeOf(world, world.key)).toBe('ok');
      expect(await codeOf(world, await dashboardToken(world))).toBe('ok');
      expect([host.asked(), said()]).toEqual([1, 1]);
      world.clock.move(MINUTE);
      expect(await codeOf(world, bearer)).toBe(INVALID);
      expect([host.asked(), said()]).toEqual([2, 2]);
      host.answer();
      world.clock.move(MINUTE);
      expect(await codeOf(world, bearer)).toBe('ok');
      expect(said()).toBe(2);
      // What was known holds for an hour without the host.
      host.answer(answer);
      world.clock.move(59 * MINUTE);
      expect(await codeOf(world, await token(world, key))).toBe('ok');
      world.clock.move(MINUTE);
      expect(await codeOf(world, await token(world, key))).toBe(INVALID);
      expect(world.log.join('')).not.toContain(bearer);
    },
  );

  it.each<[string, RequestListener]>([
    ['silence', () => {}],
    ['half an answer', (_, res) => void res.writeHead(200, { 'content-length': '99' }).write('{"keys"')],
  ])('with %s is given up', async (_, answer) => {
    const { world, host, key } = await openIdentity({ surroundings: { deadlines: { identity: 300 } } });
    host.answer(answer);
    expect(await codeOf(world, await token(world, key))).toBe(INVALID);
    expect(world.log.join('')).toContain('no complete answer came in time');
    expect(await codeOf(world, world.key)).toBe('ok');
  });

  it('keeps nobody else waiting', async ({ world, host, key }) => {
    const held = Promise.withResolvers<() => void>();
    host.answer((_, res) => held.resolve(() => void res.writeHead(500).end()));
    const waiting = codeOf(world, await token(world, key));
    const release = await held.promise;
    expect(await codeOf(world, world.key)).toBe('ok');
    expect(await codeOf(world, await dashboardToken(world))).toBe('ok');
    release();
    expect(await waiting).toBe(INVALID);
  });

  it('or lies inside, is asked only where the private network is open', async () => {
    const key = hostKey('k');
    const host = await startHost(key);
    // That we trust the same place as a platform opens nothing.
    const env = { ALLOW_PRIVATE_NETWORK: 'off', BLUESKY_SERVICE: new URL(host.url).origin, ...settingsFor(host) };
    const world = await makeWorld({ env });
    expect(await codeOf(world, await token(world, key))).toBe(INVALID);
    expect(host.asked()).toBe(0);
    expect(world.log.join('')).toContain('the address is private or reserved and is not called');
  });
});

describeStores('a person of the identity host without a user', (stores) => {
  const it = withHost.extend('world', async ({ host }) =>
    makeWorld({ store: await stores.place(), env: settingsFor(host) }),
  );

  const NEW = { email: 'Nina@Example.org', name: 'Nina \u0000\n Q.' };

  it('may become one, and nothing else', async ({ world, key }) => {
    const bearer = await token(world, key, NEW);
    for (const name of ['get_me', 'list_brands', 'list_redirect_uris', 'delete_me', 'list_plans'])
      expect([name, await codeOf(world, bearer, name)]).toEqual([name, '401 auth.not_provisioned']);
    const { status, body } = await call(world, 'provision_user', {}, { key: bearer });
    expect([status, body]).toMatchObject([201, { email: 'nina@example.org', name: 'Nina Q.', onboarding: true }]);
    expect(body.id).toMatch(/^usr_/);
    expect((await call(world, 'get_me', {}, { key: bearer })).body).toEqual(body);
    expect((await call(world, 'list_brands', {}, { key: bearer })).body.data).toMatchObject([{ name: 'Default' }]);
    expect(await codeOf(world, bearer, 'list_redirect_uris')).toBe('ok');
    const again = await call(world, 'provision_user', { name: 'Other' }, { key: bearer });
    expect([again.status, again.body]).toEqual([200, body]);
    // Another token of the same person, by the same name or not.
    const other = await token(world, key, { ...NEW, sub: 'host|2', name: 7 });
    expect((await call(world, 'get_me', {}, { key: other })).body).toEqual(body);
  });

  it('becomes one user, however often and at once they ask', async ({ world, key }) => {
    const bearer = await token(world, key, NEW);
    const ends = await Promise.all(Array.from({ length: 6 }, () => call(world, 'provision_user', {}, { key: bearer })));
    expect(ends.map(({ status }) => status).toSorted((a, b) => a! - b!)).toEqual([200, 200, 200, 200, 200, 201]);
    const me = (await call(world, 'get_me', {}, { key: bearer })).body;
    for (const { body } of ends) expect(body).toEqual(me);
  });

  it('comes back as somebody new after leaving', async ({ world, key }) => {
    const bearer = await token(world, key, NEW);
    const first = (await call(world, 'provision_user', {}, { key: bearer })).body.id as string;
    expect(await codeOf(world, bearer, 'delete_me')).toBe('ok');
    expect(await codeOf(world, bearer)).toBe('401 auth.not_provisioned');
    const { status, body } = await call(world, 'provision_user', {}, { key: bearer });
    expect([status, body.id === first]).toEqual([201, false]);
  });

  it('takes no address but their own, and nobody takes theirs', async ({ world, key }) => {
    const bearer = await token(world, key, NEW);
    const provision = (input: Readonly<Record<string, unknown>>, by = bearer) =>
      call(world, 'provision_user', input, { key: by });
    for (const email of ['owner@example.org', 'free@example.org', 'no address'])
      await expectInvalid(provision({ email }), 'email');
    // Whoever left with a token of ours at hand could otherwise be there first.
    const leaver = (await world.product.modules.users.create('leaver@example.org', 'Leaver'))!;
    const own = await dashboardToken(world, leaver.userId);
    expect(await codeOf(world, own, 'delete_me')).toBe('ok');
    await expectInvalid(provision({ email: 'nina@example.org' }, own), 'email');
    const back = await provision({ email: 'LEAVER@example.org' }, own);
    expect(back).toMatchObject({ status: 201, body: { id: leaver.userId } });
    const made = await provision({ email: ' nina@example.org', name: 'N.' });
    expect(made).toMatchObject({ status: 201, body: { name: 'N.' } });
  });
});

describe('the settings of the identity host', () => {
  const good = settingsFor({ url: 'https://identity.example/keys' });
  const refusal = (env: Record<string, string>) => {
    try {
      return readConfig([], env).identity;
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
  };

  it('come together', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal(good)).toEqual({ jwksUrl: good.DASHBOARD_JWKS_URL, issuer: ISSUER, audience: AUDIENCE });
    for (const name of Object.keys(good)) {
      const other = Object.keys(good).find((one) => one !== name)!;
      expect(refusal({ ...good, [name]: ' ' })).toBe(`${name} is required together with ${other}`);
    }
  });

  it('name a place that may be believed', () => {
    const url = (DASHBOARD_JWKS_URL: string) => refusal({ ...good, DASHBOARD_JWKS_URL });
    const wrongs = ['http://identity.example/keys', 'http://10.0.0.1/', 'file:///keys', 'identity.example', '/keys'];
    for (const wrong of wrongs)
      expect(url(wrong)).toBe('DASHBOARD_JWKS_URL must be an https URL (http only on this machine)');
    for (const right of ['http://localhost:9/keys/', 'http://127.0.0.1/', 'http://[::1]:9/', 'HTTPS://x.example/?a=b'])
      expect(url(right)).toMatchObject({ jwksUrl: right });
  });

  it('name somebody else', () => {
    const own = { ...good, ROOT_URL: 'https://social.example.org', DASHBOARD_JWT_ISSUER: 'https://social.example.org' };
    expect(refusal(own)).toBe('DASHBOARD_JWT_ISSUER must not be ROOT_URL, which issues tokens of its own');
    expect(refusal({ DASHBOARD_JWK_URL: 'x' })).toContain('DASHBOARD_JWK_URL is not a setting of Rostra');
  });
});
