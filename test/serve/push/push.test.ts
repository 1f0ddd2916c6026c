import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { PushedEvent } from '#platforms/push.ts';
import { platforms } from '#platforms/index.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import {
  commented,
  makeInboundScript,
  said,
  SECRET,
  signatureOf,
  inboundPlatform,
  sendPush,
} from '../../harness/platforms/inbound.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import { makeBillingWorld } from '../../harness/worlds/twins/stripe.ts';

const it = test.extend('opened', () => accountWorld({})).extend('world', ({ opened }) => opened.world);

const push = (world: World, told: readonly PushedEvent[], { path = '', secret = SECRET } = {}) =>
  sendPush(`${world.root}/push/facebook${path}`, told, secret);

const waiting = async (world: World) =>
  (await world.product.store.db.selectFrom('pushes').selectAll().execute()).length;

it('POST /push/{platform} takes what is signed, and notifies receivers', async ({ opened: { world, accountId } }) => {
  const receiver = await world.receive(['comment.received', 'dm.received']);
  const answer = await push(world, [
    { user: 'ann', event: commented('c1') },
    { user: 'ann', event: said('m1') },
  ]);
  expect(answer).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: 'EVENT_RECEIVED' });
  await world.settle();
  const heard = receiver.received.map(({ body }) => body);
  const told = heard.map(({ event, data }) => `${event} ${String(data['account_id'])}`);
  expect(new Set(told)).toEqual(new Set([`comment.received ${accountId}`, `dm.received ${accountId}`]));
  expect(told.length).toBe(2);
  expect(await waiting(world)).toBe(0);
});

it('POST /push/{platform} refuses what is not signed, before it looks at it', async ({ world }) => {
  const refused = { code: 'auth.invalid_secret' };
  const answer = await push(world, [], { secret: 'guess' });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([403, expect.objectContaining(refused)]);
  for (const body of ['', 'no json', '{"a":'.repeat(1000)]) {
    const plain = await fetch(`${world.root}/push/facebook`, { method: 'POST', body });
    expect(plain.status).toBe(403);
    expect(((await plain.json()) as { error: unknown }).error).toEqual(expect.objectContaining(refused));
  }
  expect(await waiting(world)).toBe(0);
});

it('is in the log by its route, and never by its address', async ({ world }) => {
  const lines = world.log.length;
  await push(world, [], { secret: 'guess' });
  const line = world.log.slice(lines).find((text) => text.includes('served'))!;
  expect(JSON.parse(line)).toMatchObject({ route: '/push/{platform}', status: 403 });
});

it('GET /push/{platform} refuses who does not know the token, and repeats nothing', async ({ world }) => {
  const answer = await fetch(`${world.root}/push/facebook?token=guess&challenge=%3Cscript%3E`);
  const text = await answer.text();
  expect([answer.status, JSON.parse(text).error.code]).toEqual([403, 'auth.invalid_secret']);
  expect(text).not.toContain('script');
});

it('registers its address with the token that the handshake asks for', async ({ opened: { world, telling } }) => {
  const [{ callback, verifyToken }] = telling.registered as [{ callback: string; verifyToken: string }];
  expect(callback).toBe(`${world.root}/push/facebook`);
  const asked = `${callback}?token=${verifyToken}&challenge=`;
  const answer = await fetch(`${asked}1158`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe('1158');
  for (const challenge of ['', '%3Cb%3E1158', '{"a":1}', 'x'.repeat(201)])
    expect([challenge, (await fetch(asked + challenge)).status]).toEqual([challenge, 403]);
});

it('refuses other methods, platforms that push nothing, and bodies that are too large', async ({ world }) => {
  const put = await fetch(`${world.root}/push/facebook`, { method: 'PUT', body: 'x' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
  for (const path of ['/push/bluesky', '/push/nothing', '/push/facebook/a/b', '/push'])
    expect([path, (await fetch(world.root + path, { method: 'POST', body: 'x' })).status]).toEqual([path, 404]);
  const large = Buffer.alloc(1_048_577, 'x');
  const headers = { 'x-told-signature': signatureOf(large, SECRET) };
  const answer = await fetch(`${world.root}/push/facebook`, { method: 'POST', body: large, headers });
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([413, 'http.413']);
  expect(await waiting(world)).toBe(0);
});

it('a data-deletion request is answered with an address where its end can be seen', async ({ world }) => {
  const told = [{ user: 'ann', event: { kind: 'deletion' } as const }];
  const answer = await push(world, told, { path: '/deletion' });
  expect([answer.status, answer.type]).toEqual([200, 'application/json; charset=utf-8']);
  const { url, confirmation_code: code } = JSON.parse(answer.text) as { url: string; confirmation_code: string };
  expect(url).toBe(`${world.root}/push/facebook/deletion/${code}`);
  await world.settle();
  const shown = await fetch(url);
  expect(shown.status).toBe(200);
  expect(await shown.json()).toEqual({
    status: 'done',
    message: 'Your data has been deleted.',
    confirmation_code: code,
  });
  const forged = url.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect((await fetch(forged)).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  expect((await world.rest('GET /v1/accounts')).body.count).toBe(0);
});

it('a request whose body never ends holds nobody else up', async ({ world }) => {
  const { port } = new URL(world.root);
  const socket = connect(Number(port), '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(`POST /push/facebook HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 100\r\n\r\nhalf`);
  expect((await push(world, [])).status).toBe(200);
  socket.destroy();
});

const LARGEST = 1_048_576;
const SENT = 500;

/** Begins pushes of the largest size that are sent slowly, one after the other, and waits until each is being read. */
async function dribble(world: World, path: string, times: number, from = '192.0.2.1') {
  const port = Number(new URL(world.root).port);
  const head = `Host: localhost:${port}\r\nX-Forwarded-For: ${from}\r\nContent-Length: ${LARGEST}\r\nExpect: 100-continue`;
  const sockets: Socket[] = [];
  for (let nth = 0; nth < times; nth++) {
    const socket = connect(port, 'localhost');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
    await once(socket, 'data');
    socket.write('x'.repeat(SENT));
    sockets.push(socket);
  }
  return sockets;
}

const answerTo = async (socket: Socket) => String((await once(socket, 'data'))[0]);

/** What is answered to a slow push once it is sent whole. */
async function end(socket: Socket): Promise<string> {
  socket.write('x'.repeat(LARGEST - SENT));
  const answer = await answerTo(socket);
  socket.destroy();
  return answer;
}

it('POST /push/{platform} takes a signed push, however many others are sent slowly', async ({ world }) => {
  const [first, ...others] = await dribble(world, '/push/facebook', 32);
  const evicted = answerTo(first!);
  expect((await push(world, [{ user: 'ann', event: said('m1') }])).status).toBe(200);
  expect(await evicted).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 5\r\n/i);
  first!.destroy();
  for (const socket of others) expect(await end(socket)).toMatch(/^HTTP\/1\.1 403 /);
});

it('POST /push/billing takes an event, however many others are sent slowly', async () => {
  const world = await makeBillingWorld();
  const sockets = await dribble(world, '/push/billing', 16);
  await world.buy('pro');
  expect((await world.me()).plan).toBe('pro');
  for (const socket of sockets) socket.destroy();
});

it('the slow pushes of the network that sends most end first', async () => {
  const { world } = await accountWorld({}, 'facebook', { TRUST_PROXY: '1' });
  const [quiet] = await dribble(world, '/push/facebook', 1);
  const noisy = await dribble(world, '/push/facebook', 31, '192.0.2.2');
  const evicted = answerTo(noisy[0]!);
  expect((await push(world, [])).status).toBe(200);
  expect(await evicted).toMatch(/^HTTP\/1\.1 503 /);
  expect(await end(quiet!)).toMatch(/^HTTP\/1\.1 403 /);
  for (const socket of noisy) socket.destroy();
});

it('POST /push/{platform} verifies only so many large bodies at once', async () => {
  const { promise: verified, resolve: verify } = Promise.withResolvers<boolean>();
  const verifying = vi.fn(() => verified);
  const { world } = await accountWorld({ push: { verify: verifying } });
  const sockets = await dribble(world, '/push/facebook', 32);
  for (const socket of sockets) socket.write('x'.repeat(LARGEST - SENT));
  await expect.poll(() => verifying.mock.calls.length).toBe(32);
  const many = await fetch(`${world.root}/push/facebook`, { method: 'POST', body: 'x' });
  expect([many.status, many.headers.get('retry-after')]).toEqual([503, '5']);
  const answers = Promise.all(sockets.map(answerTo));
  verify(false);
  for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  for (const socket of sockets) socket.destroy();
});

it('POST /push/{platform} takes small pushes in the space of one large one', async () => {
  const { world } = await accountWorld({}, 'facebook', { TRUST_PROXY: '1' });
  const sockets = await dribble(world, '/push/facebook', 31);
  const answers = await Promise.all(Array.from({ length: 64 }, () => push(world, [])));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const socket of sockets) expect(await end(socket)).toMatch(/^HTTP\/1\.1 403 /);
});

it('POST /push/{platform} reads nothing where no secret could be right', async () => {
  const told = inboundPlatform('facebook', makeInboundScript());
  const surroundings = { platforms: new Map([...platforms, ['facebook', told]] as const) };
  const world = await makeWorld({ env: { SANDBOX: 'off' }, surroundings });
  const port = Number(new URL(world.root).port);
  const socket = connect(port, 'localhost');
  socket.write(`POST /push/facebook HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 1000\r\n\r\n`);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 403 [^]*"auth\.invalid_secret"/);
  socket.destroy();
});
