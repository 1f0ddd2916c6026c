import { once } from 'node:events';
import { connect } from 'node:net';
import type Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { exchange } from '../../harness/sockets.ts';
import { openWorld } from '../../harness/worlds/http.ts';

const PATH = '/healthz/proxy';

/** Begins a body of 1,000 bytes; the server waits for it when this is done. */
async function begin(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 100 /);
  return socket;
}

const post = (port: number, bytes: number, encoding = 'identity') => {
  const length = encoding === 'chunked' ? { 'Transfer-Encoding': encoding } : { 'Content-Length': bytes };
  const headers = { Host: `localhost:${port}`, ...length };
  return exchange({ port, path: PATH, method: 'POST', headers }, Buffer.alloc(bytes));
};

test('a body is counted, and one that is too large is read to its end and refused', async () => {
  const { port } = await openWorld();
  expect(await post(port, 2_000_000)).toMatchObject({ status: 200, body: { bytes: 2_000_000 } });
  for (const encoding of ['identity', 'chunked'])
    expect(await post(port, 9_000_000, encoding)).toMatchObject({ status: 413, body: { error: { code: 'http.413' } } });
});

test('a sender that hangs up is no failure of this server', async () => {
  const refused = Promise.withResolvers<unknown>();
  const watching: Koa.Middleware = async (_, next) => {
    try {
      await next();
    } catch (error) {
      refused.resolve(error);
      throw error;
    }
  };
  const { port } = await openWorld({ mounts: [watching] });
  (await begin(port)).destroy();
  expect(await refused.promise).toMatchObject({ code: 'validation.body_invalid' });
});

test('only so many bodies are read at once', async () => {
  const { port } = await openWorld();
  const sockets = await Promise.all(Array.from({ length: 20 }, () => begin(port)));
  expect(await post(port, 10)).toMatchObject({ status: 503 });
  for (const socket of sockets) {
    socket.write('x'.repeat(1000));
    expect(String((await once(socket, 'data'))[0])).toContain('{"bytes":1000}');
  }
  expect(await post(port, 10)).toMatchObject({ status: 200 });
});
