import { once } from 'node:events';
import { connect } from 'node:net';
import type Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { readBytes } from '#kernel/body.ts';
import { bytesOf } from '#serve/http/multipart.ts';
import { fakeClock } from '../../harness/clock.ts';
import { makeWorld } from '../../harness/world.ts';
import { KEY, openWorld } from '../../harness/worlds/http.ts';

const it = test.extend('world', () => openWorld());

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (?!100)(\d{3}) /g)].map(([, status]) => Number(status));

/** A request as it stands on the wire; a body without a length is sent in one chunk. */
function wire(line: string, headers: Record<string, string>, body = '', chunked = false): string {
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = chunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  return `${line} HTTP/1.1\r\n${lines.join('')}${length}\r\n\r\n${sent}`;
}

const part = (size: number) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(size)}\r\n`;
const TWO_FILES = `${part(10)}${part(500_000)}--b--\r\n`;
const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };

/** Sends text on a connection of its own and answers all that comes back until it ends. */
async function speak(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let heard = '';
  for await (const chunk of socket) heard += String(chunk);
  return heard;
}

describe('a body that is refused half-way', () => {
  it('leaves its connection to the next request', async ({ world }) => {
    const headers = { Host: `localhost:${world.port}`, Authorization: `Bearer ${KEY}` };
    const next = wire('GET /v1/notes', { ...headers, Connection: 'close' });
    for (const chunked of [false, true]) {
      const first = wire('POST /v1/notes/upload', { ...headers, ...FORM }, TWO_FILES, chunked);
      expect(statuses(await speak(world.port, first + next))).toEqual([400, 200]);
      const large = wire('POST /v1/notes', headers, 'x'.repeat(2_000_000), chunked);
      expect(statuses(await speak(world.port, large + next))).toEqual([413, 200]);
    }
  });

  it('does so for pages, forms and the token endpoint too', async () => {
    const world = await makeWorld();
    const { host, port, origin } = new URL(world.root);
    const headers = { Host: host, Authorization: `Bearer ${world.key}`, Origin: origin };
    const next = wire('GET /v1/usage', { ...headers, Connection: 'close' });
    const fields = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
    const letters = 'x'.repeat(2_000_000);
    for (const chunked of [false, true]) {
      const texts = [
        wire('POST /v1/media/upload', { ...headers, ...FORM }, TWO_FILES, chunked),
        wire('POST /v1/posts/import', { ...headers, ...FORM }, TWO_FILES, chunked),
        wire('POST /sign-in', fields, letters.slice(0, 200_000), chunked),
        wire('POST /oauth/token', fields, letters, chunked),
        wire('PUT /upload/none', headers, letters, chunked),
      ];
      for (const [index, text] of texts.entries()) {
        const [refused, served] = statuses(await speak(Number(port), text + next));
        expect([index, refused! >= 400, served]).toEqual([index, true, 200]);
      }
    }
  });

  it('is dropped up to a bound', async () => {
    const clock = fakeClock();
    const world = await openWorld({ clock });
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(`POST /v1/none HTTP/1.1\r\nHost: localhost:${world.port}\r\nContent-Length: 90000000\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /);
    await new Promise((resolve) => socket.write('x'.repeat(30_000_000), resolve));
    clock.move(5_000);
    await closed;
  });
});

describe('a body that comes slowly', () => {
  const reading: Koa.Middleware = async (ctx) => {
    const bytes = await readBytes(ctx.req, { limit: 10_000_000 });
    ctx.body = String(bytes.length);
  };

  /** Begins a request; the server has its headers when this is done. */
  async function begin(port: number, line: string, headers = '') {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk)));
    socket.write(
      `${line} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${KEY}\r\n${headers}` +
        'Content-Length: 5000000\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(heard)));
    return { socket, closed };
  }

  it('ends after five seconds with fewer than 10 kB in each', async () => {
    const clock = fakeClock();
    const world = await openWorld({ clock, mounts: [reading] });
    const { closed, socket } = await begin(world.port, 'POST /anything');
    socket.write('x'.repeat(40_000));
    clock.move(5_000);
    expect(await closed).toMatch(/HTTP\/1\.1 408 [^]*"code":"http\.408"/);
    const stalled = await begin(
      world.port,
      'POST /v1/notes/upload',
      'Content-Type: multipart/form-data; boundary=b\r\n',
    );
    clock.move(5_000);
    expect(await stalled.closed).toMatch(/HTTP\/1\.1 408 /);
    expect(clock.timers()).toBe(0);
  });

  it.each(['/text', '/file'])('ends after two minutes unless it is a file: %s', async (path) => {
    const clock = fakeClock();
    const here = Promise.withResolvers<void>();
    const watching: Koa.Middleware = async ({ req }, next) => {
      let size = 0;
      req.on('data', (chunk: Buffer) => (size += chunk.length) >= 2_000_000 && here.resolve());
      if (path === '/file') for await (const _ of bytesOf(req));
      else await next();
    };
    const world = await openWorld({ clock, mounts: [watching, reading] });
    const { closed, socket } = await begin(world.port, `POST ${path}`);
    socket.write('x'.repeat(2_000_000));
    await here.promise;
    clock.move(120_000);
    expect(clock.timers()).toBe(1);
    clock.move(5_000);
    expect(clock.timers()).toBe(path === '/file' ? 1 : 0);
    clock.move(100_000);
    expect(clock.timers()).toBe(0);
    expect(await closed).toMatch(/HTTP\/1\.1 408 /);
  });
});

it('answers a whole request although what stands behind it is none', async ({ world }) => {
  const headers = {
    Host: `localhost:${world.port}`,
    Authorization: `Bearer ${KEY}`,
    'Content-Type': 'application/json',
  };
  const answer = await world.raw(`${wire('POST /v1/notes', headers, '{"text":"a"}')}stray bytes`);
  expect(statuses(answer)).toEqual([201]);
  expect(answer).toMatch(/^connection: close/im);
});
