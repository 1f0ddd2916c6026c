import { SECOND } from '#kernel/clock.ts';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { makePasswords } from '#engine/signin/passwords.ts';
import type { OutboundAnswer, OutboundOptions } from '#kernel/net/request.ts';
import { makeCertificates } from '../../harness/certificates.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, START, until } from '../../harness/worlds/delivery.ts';
import { receiverCertificates, receiverClient, serveTls } from '../../harness/worlds/outbound.ts';

const KEPT = 16_384;
const CHUNK = 65_536;
const GIGABYTE = 2 ** 30;
/** Packed it is a little larger than what is read of it, and a thousand times that when unpacked. */
const BOMB = gzipSync(Buffer.alloc(24 * 2 ** 20), { level: 1 });
const DEADLINE_MS = 1000;
/** A real HTTPS receiver; `ended` settles when the connection of the first request is gone. */
async function receive(answer: (response: ServerResponse) => void) {
  const gone = Promise.withResolvers<void>();
  const port = await serveTls(receiverCertificates, (request, response) => {
    request.socket.once('close', () => gone.resolve());
    response.on('error', () => {});
    answer(response);
  });
  return { url: `https://receiver.test:${port}/`, gone: gone.promise };
}

/** The real client, with what it brought back. */
function client(options: Partial<OutboundOptions> = {}) {
  const answers: OutboundAnswer[] = [];
  const outbound = receiverClient(options);
  const send: typeof outbound.send = async (request) => {
    const answer = await outbound.send(request);
    answers.push(answer);
    return answer;
  };
  return { answers, outbound: { ...outbound, send } };
}

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse, left: number, chunk: Buffer): void {
  while (left > 0 && !response.destroyed) {
    left -= chunk.length;
    if (!response.write(chunk)) return void response.once('drain', () => pour(response, left, chunk));
  }
  response.end();
}

type Ending = Readonly<{ status: string; code: number | null; error: RegExp | null; kept: number }>;

/** What a hostile receiver does, and what becomes of the attempt. */
const HOSTILE: Readonly<Record<string, readonly [(response: ServerResponse) => void, Ending]>> = {
  'a gigabyte': [
    (response) => {
      response.writeHead(200, { 'content-length': GIGABYTE });
      pour(response, GIGABYTE, Buffer.alloc(CHUNK, 'x'));
    },
    { status: 'delivered', code: 200, error: null, kept: KEPT },
  ],
  'a byte a second': [
    (response) => {
      response.writeHead(200, { 'content-length': GIGABYTE });
      const drip = setInterval(() => response.write('x'), 1000);
      response.write('x');
      response.once('close', () => clearInterval(drip));
    },
    { status: 'pending', code: null, error: /no complete answer came in time/, kept: 0 },
  ],
  'headers a byte at a time': [
    (response) => {
      const { socket } = response;
      socket!.write('HTTP/1.1 200 OK\r\nx: ');
      const drip = setInterval(() => socket!.write('x'), 10);
      socket!.once('close', () => clearInterval(drip));
    },
    { status: 'pending', code: null, error: /no complete answer came in time/, kept: 0 },
  ],
  'ten thousand header lines': [
    ({ socket }) => {
      const lines = Array.from({ length: 10_000 }, (_, n) => `x-${n}: y\r\n`);
      socket!.end(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`);
    },
    { status: 'pending', code: null, error: /the answer is too large/, kept: 0 },
  ],
  'a packed bomb': [
    (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': BOMB.length }).end(BOMB);
    },
    { status: 'delivered', code: 200, error: null, kept: KEPT },
  ],
};

describeStores('a receiver that answers with', { kinds: ['memory'] }, (stores) => {
  it.each(Object.entries(HOSTILE))('%s ends its attempt, and leaves little behind', async (_, [answer, ending]) => {
    const { outbound, answers } = client();
    const world = await makeWorld(stores, { outbound, deadlineMs: DEADLINE_MS });
    const { url, gone } = await receive(answer);
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    await world.deliver();
    const error_message = ending.error && expect.stringMatching(ending.error);
    const ended = { status: ending.status, attempt_count: 1, response_status_code: ending.code, error_message };
    expect(await world.rows(id)).toMatchObject([ended]);
    expect(answers.reduce((sum, { body }) => sum + body.length, 0)).toBe(ending.kept);
    // Seen at all was little more: what is not wanted is not read.
    for (const { bytes } of answers) expect(bytes).toBeLessThan(KEPT + 2 * CHUNK);
    await gone;
  });
});

/** A name server on this machine that takes questions and answers none; the product's own look-ups go to it. */
async function silentNameServer() {
  const asked = new Set<string>();
  const server = createSocket('udp4');
  server.on('message', (message) => {
    const name = message.subarray(12).toString('latin1');
    asked.add(name.replace(/\0[^]*$/, ''));
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => void server.close(resolve)));
  const address = `127.0.0.1:${server.address().port}`;
  // Asked for first, on a resolver of its own for each name: the other family then goes to the same server.
  const original = Resolver.prototype.resolve4;
  Resolver.prototype.resolve4 = function resolve4(this: Resolver, ...asking: unknown[]) {
    this.setServers([address]);
    return Reflect.apply(original, this, asking) as Promise<string[]>;
  } as typeof original;
  onTestFinished(() => void (Resolver.prototype.resolve4 = original));
  return asked;
}

describeStores('endpoints whose name server never answers', { kinds: ['memory'] }, (stores) => {
  it('hold up no other delivery, no file and no sign-in', async () => {
    const asked = await silentNameServer();
    // Without `query`: names are looked up as the product does, and `localhost` needs no look-up.
    const local = makeCertificates(['localhost']);
    const port = await serveTls(local, (_, response) => void response.writeHead(204).end());
    const { outbound } = client({ query: undefined, ca: local.ca });
    const world = await makeWorld(stores, { outbound, deadlineMs: 600_000 });
    const lost: string[] = [];
    for (let n = 0; n < 200; n += 1) lost.push(await world.endpoint(`name-${n}.silent.example`, ['post.failed']));
    await world.emit(1, 'post.failed');
    world.delivery.start();
    await until(() => asked.size >= 50);

    const url = `https://localhost:${port}/`;
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    const passwords = makePasswords();
    const signingIn = passwords.hash('a password').then((hash) => passwords.matches('a password', hash));
    await world.emit(20);
    const file = await readFile(import.meta.filename, 'utf8');
    expect(file).toContain('silent.example');
    expect(await signingIn).toBe(true);
    await until(async () => (await world.rows(id)).every(({ status }) => status === 'delivered'));

    // All of that was over before the look-ups were.
    const waiting = await Promise.all(lost.map((one) => world.rows(one)));
    expect(waiting.flat().filter(({ attempt_count }) => attempt_count === 0).length).toBeGreaterThan(0);
    expect(world.clock.now() - START).toBeLessThan(SECOND);
  });
});
