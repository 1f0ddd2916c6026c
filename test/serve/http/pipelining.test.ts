import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { readBytes } from '#kernel/body.ts';
import { openWorld } from '../../harness/worlds/http.ts';

const it = test.extend('echo', () => openEcho());

const MEGABYTE = 'x'.repeat(1_000_000);

/** A world whose `/n/…` answers its own path and the size of its body, and notes what began and what ran at once. */
async function openEcho() {
  const begun: string[] = [];
  const seen = { running: 0, most: 0 };
  const echo: Koa.Middleware = async (ctx, next) => {
    if (ctx.path === '/large') {
      begun.push(ctx.path);
      ctx.body = MEGABYTE;
      return;
    }
    if (!ctx.path.startsWith('/n/')) return next();
    begun.push(ctx.path);
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    const body = await readBytes(ctx.req, { limit: 5_000_000 });
    await setImmediate();
    seen.running -= 1;
    ctx.body = `<${ctx.path} ${body.length}>`;
  };
  const world = await openWorld({ mounts: [echo] });
  const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost:${world.port}\r\n${more}\r\n`;
  return {
    begun,
    seen,
    world,
    get: (path: string, more?: string) => head(`GET ${path}`, more),
    post: (path: string, body: string) => head(`POST ${path}`, `Content-Length: ${body.length}\r\n`) + body,
    open: () => connect(world.port, '127.0.0.1'),
  };
}

/** Reads until a text has been received. */
async function until(socket: Socket, text: string): Promise<string> {
  let received = '';
  while (!received.includes(text)) received += String((await once(socket, 'data'))[0]);
  return received;
}

const answersIn = (text: string) => [...text.matchAll(/<\/n\/(\d+) (\d+)>/g)].map(([, n, size]) => [+n!, +size!]);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
/** Numbered requests, one behind the other. */
const many = (count: number, requestOf: (n: number) => string) => numbers(count).map(requestOf).join('');

describe('requests pipelined on one connection', () => {
  it('are served one at a time and answered in order', async ({ echo }) => {
    const socket = echo.open();
    socket.write(many(200, (n) => (n % 3 === 2 ? echo.post(`/n/${n}`, 'b'.repeat(n)) : echo.get(`/n/${n}`))));
    const answers = answersIn(await until(socket, '</n/199 '));
    expect(answers).toEqual(numbers(200).map((n) => [n, n % 3 === 2 ? n : 0]));
    expect(echo.seen.most).toBe(1);
    // The connection is as good as any afterwards.
    socket.write(echo.get('/n/200'));
    expect(answersIn(await until(socket, '</n/200 '))).toEqual([[200, 0]]);
    socket.destroy();
  });

  it('may be cut anywhere on their way', async ({ echo }) => {
    const sizes = numbers(12).map((n) => (n * 7919) % 300_000);
    const requestOf = (n: number) =>
      n % 2 === 0 ? echo.post(`/n/${n}`, '\r\n\r\n'.repeat(sizes[n]! / 4)) : echo.get(`/n/${n}`);
    const bytes = Buffer.from(many(12, requestOf));
    const expected = sizes.map((size, n) => [n, n % 2 === 0 ? 4 * Math.floor(size / 4) : 0]);
    for (const length of [1_000_003, 65_537, 4_099, 997]) {
      const socket = echo.open();
      const answered = until(socket, '</n/11 ');
      for (let from = 0; from < bytes.length; from += length) {
        socket.write(bytes.subarray(from, from + length));
        await setImmediate();
      }
      expect([length, answersIn(await answered)]).toEqual([length, expected]);
      socket.destroy();
    }
  });

  it('leave the others their turn', async ({ echo }) => {
    const socket = echo.open();
    socket.resume();
    await once(socket, 'connect');
    socket.write(many(1000, (n) => echo.get(`/n/${n}`)));
    while (echo.begun.length === 0) await setImmediate();
    expect((await echo.world.send('/healthz', { anonymous: true })).status).toBe(200);
    expect(echo.begun.length).toBeLessThan(500);
    socket.destroy();
  });

  it('cost later connections few calls of the parser, whatever they bring', async ({ echo }) => {
    const pair = echo.open();
    pair.write(echo.get('/n/0') + echo.get('/n/1'));
    await until(pair, '</n/1 ');
    pair.destroy();
    // Node calls its own listener once per parse; this one stands beside it.
    let parses = 0;
    echo.world.server.prependListener('connection', (socket: Socket) => socket.on('data', () => (parses += 1)));
    const ends = '\r\n\r\n'.repeat(250_000);
    for (const [bytes, size] of [
      [echo.post('/n/2', ends), ends.length],
      [ends + echo.get('/n/2'), 0],
    ] as const) {
      parses = 0;
      const socket = echo.open();
      socket.write(bytes);
      expect(answersIn(await until(socket, '</n/2 '))).toEqual([[2, size]]);
      expect(parses).toBeGreaterThan(0);
      expect(parses).toBeLessThan(5_000);
      socket.destroy();
    }
  });

  it('wait while their client takes no answer', async ({ echo }) => {
    const sockets = numbers(5).map(() => echo.open());
    for (const socket of sockets) {
      socket.pause();
      socket.write(echo.get('/large').repeat(200));
    }
    let before = -1;
    while (echo.begun.length > before) {
      before = echo.begun.length;
      for (let probe = 0; probe < 50; probe += 1) await echo.world.send('/healthz', { anonymous: true });
    }
    // What the system buffers of five connections, and no answer more.
    expect(echo.begun.length).toBeGreaterThanOrEqual(5);
    expect(echo.begun.length).toBeLessThan(100);
    for (const socket of sockets.slice(1)) socket.destroy();
    // A client that begins to read gets all of them.
    let received = 0;
    sockets[0]!.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    while (received < 200 * MEGABYTE.length) await once(sockets[0]!, 'data');
    sockets[0]!.destroy();
  });

  it('are all answered when their client sends no more', async ({ echo }) => {
    // The first connection is the one that makes the server read request by request.
    for (const count of [4, 4, 500]) {
      const requests = many(count, (n) => echo.post(`/n/${n}`, 'b'.repeat(n)));
      // Ends when the server has ended its side too.
      expect(answersIn(await echo.world.raw(requests))).toEqual(numbers(count).map((n) => [n, n]));
    }
    // Answered before it ends its side: nothing is owed any more.
    const idle = echo.open();
    idle.write(echo.get('/n/0') + echo.get('/n/1'));
    await until(idle, '</n/1 ');
    idle.resume().end();
    await once(idle, 'end');
  });

  it('are dropped behind the last answer of a connection', async ({ echo }) => {
    for (const last of [echo.get('/n/1', 'Connection: close\r\n'), `${echo.get('/n/1')}no HTTP\r\n\r\n`]) {
      echo.begun.length = 0;
      const socket = echo.open();
      socket.write(`${echo.get('/n/0')}${last}${echo.get('/n/2').repeat(500)}`);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answersIn(answer)).toEqual([
        [0, 0],
        [1, 0],
      ]);
      expect(echo.begun).toEqual(['/n/0', '/n/1']);
    }
  });

  it('disturb no body on another connection', async ({ echo }) => {
    const upload = echo.open();
    const body = 'x'.repeat(3_000_000);
    const [first, rest] = [echo.post('/n/7', body).slice(0, 1_500_000), echo.post('/n/7', body).slice(1_500_000)];
    upload.write(first);
    while (!echo.begun.includes('/n/7')) await setImmediate();
    const socket = echo.open();
    socket.write(many(3, (n) => echo.get(`/n/${n}`)));
    await until(socket, '</n/2 ');
    upload.write(rest);
    expect(answersIn(await until(upload, '</n/7 '))).toEqual([[7, body.length]]);
    socket.destroy();
    upload.destroy();
  });
});
