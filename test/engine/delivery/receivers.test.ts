import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { makeOutbound } from '../../../src/kernel/net/request.ts';
import { makeCertificates } from '../../harness/certificates.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld } from '../../harness/worlds/delivery.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const certificates = makeCertificates(['receiver.test']);

/** A real HTTPS receiver whose name only this client knows. */
async function receive(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ url: string; sockets: Set<Socket> }> {
  const server = createServer(certificates, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://receiver.test:${(server.address() as AddressInfo).port}/hook?a=b`, sockets };
}

function client(allowPrivate: 'on' | 'off') {
  const outbound = makeOutbound({
    allowPrivate,
    ownPort: () => undefined,
    trustedOrigins: () => [],
    userAgent: 'unused/0',
    ca: certificates.ca,
    query: async (name) => (name === 'receiver.test' ? ['127.0.0.1'] : []),
  });
  closing.push(() => outbound.close());
  return outbound;
}

describeStores('a real receiver', { kinds: ['memory'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores, { outbound: client('on') }));

  it('can verify what it gets, and answers over a kept connection', async ({ world }) => {
    const got: { request: IncomingMessage; body: string }[] = [];
    const { url, sockets } = await receive(async (request, response) => {
      got.push({ request, body: await text(request) });
      response.writeHead(200).end('fine');
    });
    const { id, secret } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    for (let i = 0; i < 3; i += 1) {
      await world.emit();
      await world.delivery.idle();
    }
    expect(got).toHaveLength(3);
    expect(sockets.size).toBe(1);
    const rows = await world.rows(id);
    for (const [i, { request, body }] of got.entries()) {
      const { headers } = request;
      const sign = (signed: string) => 'sha256=' + createHmac('sha256', secret).update(signed).digest('hex');
      expect(headers['x-service-signature-v2']).toBe(sign(`${String(headers['x-service-timestamp'])}.${body}`));
      expect(headers['x-socialapi-signature']).toBe(sign(body));
      expect(headers['x-service-event']).toBe(JSON.parse(body).event);
      expect(headers['x-service-delivery']).toBe(rows[i]!.id);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['user-agent']).toBe('rostra/test');
      expect(request.url).toBe('/hook?a=b');
    }
  });

  it('that drops the connection gets the same request once more, on a fresh one', async ({ world }) => {
    const got: string[] = [];
    const { url, sockets } = await receive(async (request, response) => {
      got.push(JSON.stringify([request.headers['x-service-timestamp'], await text(request)]));
      if (got.length === 2) request.socket.destroy();
      else response.writeHead(204).end();
    });
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    await world.emit();
    await world.delivery.idle();
    await world.emit();
    await world.delivery.idle();
    expect(got).toHaveLength(3);
    expect(got[2]).toBe(got[1]);
    expect(sockets.size).toBe(2);
    const ends = (await world.rows(id)).map((row) => `${row.status} ${row.attempt_count}`);
    expect(ends).toEqual(['delivered 1', 'delivered 1']);
  });

  it('that is too slow fails the attempt at the deadline, and is not asked twice', async () => {
    const world = await makeWorld(stores, { outbound: client('on'), deadlineMs: 100 });
    let asked = 0;
    const { url } = await receive(() => void (asked += 1));
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    await world.emit();
    await world.delivery.idle();
    expect(asked).toBe(1);
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', attempt_count: 1, response_status_code: null }]);
  });

  it('that redirects has failed, and nobody follows', async ({ world }) => {
    const paths: (string | undefined)[] = [];
    const { url } = await receive((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    await world.emit();
    await world.delivery.idle();
    expect(paths).toEqual(['/hook?a=b']);
    expect(await world.rows(id)).toMatchObject([{ attempt_count: 1, response_status_code: 307 }]);
  });

  it('behind a private address is refused at each attempt', async () => {
    const world = await makeWorld(stores, { outbound: client('off') });
    let asked = 0;
    const { url } = await receive(() => void (asked += 1));
    const { id } = await world.delivery.endpoints.create(world.authority, { url, events: ['post.deleted'] });
    await world.emit();
    await world.delivery.idle();
    expect(asked).toBe(0);
    const [row] = await world.rows(id);
    expect(row).toMatchObject({
      status: 'pending',
      attempt_count: 1,
      error_message: expect.stringContaining('private'),
    });
    const literal = { url: 'https://192.168.1.1/', events: ['post.deleted'] };
    await expect(world.delivery.endpoints.create(world.authority, literal)).rejects.toMatchObject({
      code: 'validation.field_invalid',
    });
  });
});
