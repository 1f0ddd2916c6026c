import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '#db/store/open.ts';
import { resealRows } from '#db/upkeep/reseal.ts';
import { makeSealer } from '#kernel/seal.ts';
import type { PushTarget } from '#platforms/push.ts';
import {
  accountPush,
  commented,
  inboundPlatform,
  makeInboundScript,
  requestOf,
  SECRET,
  type InboundScript,
  sendPush,
} from '../../harness/platforms/inbound.ts';
import { makeWorld, type World, type WorldOptions } from '../../harness/world.ts';
import { serveTest } from '../../harness/sockets.ts';

const SLUG = 'pinterest';

const worldOf = (script: Partial<InboundScript>, { surroundings, ...options }: WorldOptions = {}) =>
  makeWorld({
    ...options,
    surroundings: {
      ...surroundings,
      platforms: new Map([[SLUG, inboundPlatform(SLUG, { ...makeInboundScript(), ...script })]]),
    },
  });

async function connect(world: World, who: string): Promise<string> {
  const { status, body } = await world.rest('POST /v1/accounts/connect', { platform: SLUG, metadata: { who } });
  expect([status, body]).toEqual([201, expect.anything()]);
  await world.settle();
  return body.account_id as string;
}

const stored = async ({ product: { store } }: World) => {
  const waiting = await store.db.selectFrom('pushes').select('id').execute();
  const comments = await store.db
    .selectFrom('comments')
    .select(['account_id', 'platform_id'])
    .orderBy('platform_id')
    .execute();
  return [waiting.length, comments.map(({ account_id, platform_id }) => `${account_id} ${platform_id}`)];
};

it('an account has an address and a secret of its own, and nobody else can push to it', async () => {
  const { push, targets } = accountPush();
  const world = await worldOf({ push });
  const [ann, bob] = [await connect(world, 'ann'), await connect(world, 'bob')];
  const [to, other] = targets as [PushTarget, PushTarget];
  expect(to.callback).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/push/${SLUG}/[0-9a-f]{40}$`));
  expect(to.secret).toMatch(/^[0-9a-f]{64}$/);
  expect([to.callback === other.callback, to.secret === other.secret]).toEqual([false, false]);

  const told = [{ event: commented('c1') }];
  for (const secret of ['guess', other.secret!, SECRET, '']) {
    expect((await sendPush(to.callback, told, secret)).status).toBe(403);
  }
  expect((await sendPush(to.callback.replace(/.$/, '_'), told, to.secret)).status).toBe(404);
  expect((await sendPush(to.callback.replace(/\/[^/]*$/, ''), told, to.secret)).status).toBe(404);
  expect(await stored(world)).toEqual([0, []]);

  // Whoever it says it is about: the address says whose it is.
  expect((await sendPush(to.callback, [...told, { user: 'bob', event: commented('c2') }], to.secret)).status).toBe(200);
  await world.settle();
  expect(await stored(world)).toEqual([0, [`${ann} c1`, `${ann} c2`]]);
  expect(world.log.filter((line) => line.includes(to.secret!) || line.includes(to.callback))).toEqual([]);
  expect(bob).not.toBe(ann);
});

it('the subscription and the address of an account end with it', async () => {
  const { push, targets, ended } = accountPush();
  const world = await worldOf({ push });
  const id = await connect(world, 'ann');
  const [{ callback, secret }] = targets as [PushTarget];
  expect((await world.rest(`DELETE /v1/accounts/${id}`)).status).toBe(200);
  expect(ended).toEqual([{ n: 1 }]);
  expect((await sendPush(callback, [], secret)).status).toBe(404);
  const kept = () => world.product.store.db.selectFrom('subscriptions').select(['state', 'secret']).execute();
  // For a day the platform may ask whether it is to end.
  expect(await kept()).toEqual([{ state: 'ended', secret: null }]);
  await world.pass(25 * 3_600_000);
  expect(await kept()).toEqual([]);

  await connect(world, 'bob');
  const brand = (await world.rest('GET /v1/accounts')).body.data[0].brand_id as string;
  await world.rest(`DELETE /v1/brands/${brand}`);
  expect(ended).toEqual([{ n: 1 }, { n: 2 }]);
});

it('a platform that does not end a subscription keeps no account from going', async () => {
  const { push } = accountPush({ unsubscribe: () => Promise.reject(new Error('down')) });
  const world = await worldOf({ push });
  const id = await connect(world, 'ann');
  expect((await world.rest(`DELETE /v1/accounts/${id}`)).status).toBe(200);
});

it('connecting an account again keeps its address and subscribes anew', async () => {
  const { push, targets } = accountPush();
  const world = await worldOf({ push });
  await connect(world, 'ann');
  await connect(world, 'ann');
  const [first, second] = targets as [PushTarget, PushTarget];
  expect([targets.length, second]).toEqual([2, { ...first, kept: { n: 1 } }]);
});

it('answers what the platform asks for: a JSON handshake, a body of the 200', async () => {
  const { push, targets } = accountPush({
    handshake: {
      challenge: ['challenge'],
      answer: (challenge, _query, { account }) => ({
        type: 'json',
        body: JSON.stringify({ challenge, known: account !== undefined }),
      }),
    },
    reply: () => ({ taken: true }),
  });
  const world = await worldOf({ push });
  await connect(world, 'ann');
  const [{ callback, secret }] = targets as [PushTarget];
  const shaken = await fetch(`${callback}?challenge=42`);
  const { status, headers } = shaken;
  expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'nosniff',
  ]);
  expect(await shaken.json()).toEqual({ challenge: '42', known: true });
  expect((await fetch(callback)).status).toBe(403);
  const answer = await sendPush(callback, [], secret);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { taken: true }]);
});

it('a push signed by a JWT is verified against the keys of its issuer, its audience and its end', async () => {
  const issuer = 'https://issuer.test';
  const [right, wrong] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const keys = { keys: [{ ...(await exportJWK(right.publicKey)), kid: 'k1', alg: 'RS256' }] };
  const jwksUrl = `${await serveTest(createServer((_req, res) => res.end(JSON.stringify(keys))))}/keys`;
  const { push, targets } = accountPush({
    async verify({ headers }, { jwt, callback }) {
      const token = headers['authorization']?.replace('Bearer ', '') ?? '';
      const claims = await jwt(token, { jwksUrl, issuer, audience: callback });
      return claims?.['email'] === 'pusher@issuer.test';
    },
  });
  const world = await worldOf({ push });
  await connect(world, 'ann');
  const [{ callback }] = targets as [PushTarget];
  const now = Math.floor(world.clock.now() / 1000);
  const sign = (claims: Readonly<{ aud?: string; exp?: number; email?: string }> = {}, key = right.privateKey) =>
    new SignJWT({ email: claims.email ?? 'pusher@issuer.test' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience(claims.aud ?? callback)
      .setExpirationTime(claims.exp ?? now + 60)
      .sign(key);
  const post = async (token: string) => {
    const { body } = requestOf([{ event: commented('c1') }]);
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(callback, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> })).status;
  };
  for (const token of [
    'no token',
    await sign({ aud: 'https://elsewhere.test' }),
    await sign({ exp: now - 3600 }),
    await sign({ email: 'somebody@issuer.test' }),
    await sign({}, wrong.privateKey),
  ]) {
    expect(await post(token)).toBe(403);
  }
  expect(await stored(world)).toEqual([0, []]);
  expect(await post(await sign())).toBe(200);
  await world.settle();
  expect((await stored(world))[1]).toHaveLength(1);
});

it('the secret of another app of the same owner signs too, where the platform says so', async () => {
  const env = { FACEBOOK_CLIENT_ID: 'app', FACEBOOK_CLIENT_SECRET: SECRET, SANDBOX: 'off' };
  const world = await worldOf({ push: { signedBy: ['facebook'] } }, { env });
  expect((await sendPush(`${world.root}/push/${SLUG}`, [], SECRET)).status).toBe(200);
  expect((await sendPush(`${world.root}/push/${SLUG}`, [], 'guess')).status).toBe(403);
  const without = await worldOf({}, { env });
  expect((await sendPush(`${without.root}/push/${SLUG}`, [], SECRET)).status).toBe(403);
});

it('rotating the master key breaks no push', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-rotation-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'rostra.db');
  const [old, young] = ['11'.repeat(32), '22'.repeat(32)];
  const { push, targets } = accountPush();
  const start = async (keys: readonly string[], after?: World) =>
    worldOf(
      { push },
      {
        ...(after && { after }),
        surroundings: { sealer: makeSealer(keys), store: await openStore({ file }) },
      },
    );
  const before = await start([old]);
  await connect(before, 'ann');
  const [{ callback, secret, verifyToken }] = targets as [PushTarget];
  const path = new URL(callback).pathname;
  expect(verifyToken).toMatch(/^[0-9a-f]{64}$/);

  const during = await start([young, old], before);
  expect((await sendPush(during.root + path, [], secret)).status).toBe(200);
  expect((await sendPush(during.root + path, [], 'guess')).status).toBe(403);
  await resealRows(during.product.store, makeSealer([young, old]));
  const after = await start([young], before);
  expect((await sendPush(after.root + path, [], secret)).status).toBe(200);
});

it('the address of an app still knows the verify token of before a rotation', async () => {
  const script = makeInboundScript();
  const before = await worldOf(script);
  await connect(before, 'ann');
  const [{ callback, verifyToken }] = script.registered as [{ callback: string; verifyToken: string }];
  const during = await worldOf({}, { surroundings: { sealer: makeSealer(['22'.repeat(32), '11'.repeat(32)]) } });
  const ask = `${during.root}${new URL(callback).pathname}?token=${verifyToken}&challenge=42`;
  expect([(await fetch(ask)).status, (await fetch(ask.replace('token=', 'token=0'))).status]).toEqual([200, 403]);
});
