import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, type World } from '../../harness/worlds/delivery.ts';
import { listen, receiverCertificates, receiverClient } from '../../harness/worlds/outbound.ts';

/** A real HTTPS receiver whose name only this client knows. */
async function receive(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const sockets = new Set<Socket>();
  const server = createServer(receiverCertificates, (request, response) => void answer(request, response));
  server.on('secureConnection', (socket: Socket) => sockets.add(socket));
  return { url: `https://receiver.test:${await listen(server)}/hook?a=b`, sockets };
}
const subscribe = ({ delivery, authority }: World, url: string) =>
  delivery.endpoints.create(authority, { url, events: ['post.deleted'] });

describeStores('a real receiver', { kinds: ['memory'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores, { outbound: receiverClient() }));

  it('can verify what it gets, and answers over a kept connection', async ({ world }) => {
    const got: { request: IncomingMessage; body: string }[] = [];
    const { url, sockets } = await receive(async (request, response) => {
      got.push({ request, body: await text(request) });
      response.writeHead(200).end('fine');
    });
    const { id, secret } = await subscribe(world, url);
    for (let i = 0; i < 3; i += 1) await world.deliver();
    expect([got.length, sockets.size]).toEqual([3, 1]);
    const rows = await world.rows(id);
    for (const [i, { request, body }] of got.entries()) {
      const { headers } = request;
      const sign = (signed: string) => 'sha256=' + createHmac('sha256', secret).update(signed).digest('hex');
      expect(headers).toMatchObject({
        'x-service-signature-v2': sign(`${String(headers['x-service-timestamp'])}.${body}`),
        'x-socialapi-signature': sign(body),
        'x-service-event': JSON.parse(body).event,
        'x-service-delivery': rows[i]!.id,
        'content-type': 'application/json',
        'user-agent': 'rostra/test',
      });
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
    const { id } = await subscribe(world, url);
    await world.deliver();
    await world.deliver();
    expect(got).toHaveLength(3);
    expect(got[2]).toBe(got[1]);
    expect(sockets.size).toBe(2);
    const ends = (await world.rows(id)).map((row) => `${row.status} ${row.attempt_count}`);
    expect(ends).toEqual(['delivered 1', 'delivered 1']);
  });

  it('that is too slow fails the attempt at the deadline, and is not asked twice', async () => {
    const world = await makeWorld(stores, { outbound: receiverClient(), deadlineMs: 1000 });
    let asked = 0;
    const { url } = await receive(() => void (asked += 1));
    const { id } = await subscribe(world, url);
    await world.deliver();
    expect(asked).toBe(1);
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', attempt_count: 1, response_status_code: null }]);
  });

  it('that redirects has failed, and nobody follows', async ({ world }) => {
    const paths: (string | undefined)[] = [];
    const { url } = await receive((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const { id } = await subscribe(world, url);
    await world.deliver();
    expect(paths).toEqual(['/hook?a=b']);
    expect(await world.rows(id)).toMatchObject([{ attempt_count: 1, response_status_code: 307 }]);
  });

  it('behind a private address is refused at each attempt', async () => {
    const world = await makeWorld(stores, { outbound: receiverClient({ allowPrivate: 'off' }) });
    let asked = 0;
    const { url } = await receive(() => void (asked += 1));
    const { id } = await subscribe(world, url);
    await world.deliver();
    expect(asked).toBe(0);
    const error_message = expect.stringContaining('private');
    expect(await world.rows(id)).toMatchObject([{ status: 'pending', attempt_count: 1, error_message }]);
    const literal = subscribe(world, 'https://192.168.1.1/');
    await expect(literal).rejects.toMatchObject({ code: 'validation.field_invalid' });
  });
});
