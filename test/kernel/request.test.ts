import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { json, type OutboundLine } from '#kernel/net/request.ts';
import { makeCertificates } from '../harness/certificates.ts';
import { freePort } from '../harness/sockets.ts';
import {
  counting,
  failure,
  given,
  outbound,
  serve,
  serveTcp,
  serveTls,
  textOf,
  type IncomingMessage,
} from '../harness/worlds/outbound.ts';

const loopback = { allowPrivate: ['127.0.0.0/8'] } as const;

describe('a request', () => {
  it('carries method, path, headers and body unchanged, and brings the answer', async () => {
    // oxlint-disable-next-line typescript/no-misused-promises -- a failure leaves the request unanswered, which fails the test
    const port = await serve(async (request, response) => {
      const { method, url, headers } = request;
      response.writeHead(201, { 'X-Twice': ['a', 'b'], __proto__: 'x', 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ method, url, agent: headers['user-agent'], own: headers['x-own'], body: await text(request) }),
      );
    });
    const client = outbound({}, loopback);
    for (const body of ['text ✓', Buffer.from('text ✓'), Readable.from(['text', ' ✓'])]) {
      const url = `http://127.0.0.1:${port}/a/b?c=d`;
      const answer = await client.send({ ...given, method: 'POST', url, headers: { 'X-Own': 'yes' }, body });
      expect(answer).toMatchObject({ status: 201, truncated: false, url });
      expect(answer.headers['x-twice']).toBe('a, b');
      expect(json(answer)).toEqual({ method: 'POST', url: '/a/b?c=d', agent: 'test/1', own: 'yes', body: 'text ✓' });
    }
  });

  it('sends user and password of a URL as credentials and never shows them', async () => {
    const port = await serve((request, response) => response.end(request.headers.authorization));
    const client = outbound({}, loopback);
    const answer = await client.get(`http://us%C3%A9r:p%ass@127.0.0.1:${port}/`);
    expect(textOf(answer)).toBe('Basic ' + Buffer.from('usér:p%ass').toString('base64'));
    expect(answer.url).toBe(`http://127.0.0.1:${port}/`);
  });

  it('says nothing of path, query and user in errors and log lines', async () => {
    const lines: OutboundLine[] = [];
    const client = outbound({}, { log: (line) => lines.push(line) });
    const url = 'http://user-secret:word-secret@gone.example/path-secret?key=query-secret';
    const error = await failure(client.send({ ...given, url, pathTemplate: '/{token}' }));
    expect([error.kind, error.sent, error.host]).toEqual(['dns', false, 'gone.example']);
    expect(error.message + error.stack + JSON.stringify(lines)).not.toContain('secret');
    expect(lines).toMatchObject([
      { host: 'gone.example', path: '/{token}', failure: 'dns', sent: false, method: 'GET' },
    ]);
  });

  it('that cannot be written is not sent', async () => {
    const client = outbound({}, loopback);
    const call = { ...given, url: 'http://127.0.0.1:1/' };
    for (const bad of [{ headers: { 'x-a': 'a\r\nb: c' } }, { headers: { 'x a': 'b' } }, { method: 'GE T' }] as const) {
      const error = await failure(client.send({ ...call, ...(bad as object) }));
      expect([error.kind, error.sent, error.because]).toEqual(['protocol', false, 'the request cannot be written']);
    }
  });

  it('keeps connections, and opens a new one when asked to', async () => {
    const ports: (number | undefined)[] = [];
    const port = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('ok');
    });
    const client = outbound({}, loopback);
    const call = { ...given, url: `http://127.0.0.1:${port}/` };
    for (const freshSocket of [false, false, true, true, false]) {
      await client.send({ ...call, freshSocket });
      // A socket is kept for others only after the turn its answer ended in.
      await new Promise(setImmediate);
    }
    const [first, second, third, fourth, fifth] = ports;
    expect([second, fifth]).toEqual([first, first]);
    expect(new Set([first, third, fourth]).size).toBe(3);
  });

  it('follows redirects of reads, and shows credentials to the first origin only', async () => {
    const seen: (readonly [string | undefined, IncomingMessage['headers']])[] = [];
    const other = await serve((request, response) => {
      seen.push([request.url, request.headers]);
      response.end('there');
    });
    const port = await serve((request, response) => {
      seen.push([request.url, request.headers]);
      const location = request.url === '/a' ? '/b' : `http://user:word@127.0.0.1:${other}/c?d`;
      response.writeHead(request.url === '/a' ? 301 : 307, { location }).end('moved');
    });
    const client = outbound({}, loopback);
    const headers = { authorization: 'Bearer x', cookie: 'c=1', 'x-api-key': 'k', accept: 'image/*' };
    const call = { ...given, url: `http://127.0.0.1:${port}/a`, headers };
    const unfollowed = await client.send({ ...call, redirects: 0 });
    expect([unfollowed.status, unfollowed.headers['location']]).toEqual([301, '/b']);
    expect((await client.send({ ...call, method: 'POST', redirects: 3 })).status).toBe(301);
    expect((await failure(client.send({ ...call, redirects: 1 }))).kind).toBe('protocol');
    seen.length = 0;
    const answer = await client.send({ ...call, redirects: 3 });
    expect([answer.url, textOf(answer)]).toEqual([`http://127.0.0.1:${other}/c?d`, 'there']);
    expect(seen.map(([path]) => path)).toEqual(['/a', '/b', '/c?d']);
    expect(seen[1]?.[1]).toMatchObject(headers);
    const { accept, host, connection, ...rest } = seen[2]?.[1] ?? {};
    expect(accept).toBe('image/*');
    expect(host).toEqual(`127.0.0.1:${other}`);
    expect(connection).toBe('keep-alive');
    expect(rest).toEqual({ 'user-agent': 'test/1' });
  });

  it('pours a good answer into a sink at the pace of the sink', async () => {
    const port = await serve((request, response) => {
      response.writeHead(request.url === '/bad' ? 500 : 200).end(Buffer.alloc(300_000, 'x'));
    });
    const client = outbound({}, loopback);
    let working = 0;
    let most = 0;
    let poured = 0;
    const sink = async (chunk: Uint8Array) => {
      most = Math.max(most, (working += 1));
      await new Promise(setImmediate);
      poured += chunk.length;
      working -= 1;
    };
    const call = { ...given, url: `http://127.0.0.1:${port}/`, sink, maxBytes: 400_000, overflow: 'refuse' } as const;
    const answer = await client.send(call);
    expect([answer.bytes, answer.body.length, poured, most]).toEqual([300_000, 0, 300_000, 1]);
    expect((await failure(client.send({ ...call, maxBytes: 100_000 }))).kind).toBe('too_large');
    poured = 0;
    const cut = await client.send({ ...call, maxBytes: 100_000, overflow: 'truncate' });
    expect([cut.truncated, poured]).toEqual([true, 100_000]);
    const bad = await client.send({ ...call, url: `http://127.0.0.1:${port}/bad` });
    expect([bad.status, bad.truncated, bad.body.length, poured]).toEqual([500, true, 65_536, 100_000]);
    const full = await failure(client.send({ ...call, sink: () => Promise.reject(new Error('disk full')) }));
    expect([full.kind, (full.cause as Error).message]).toEqual(['aborted', 'disk full']);
  });

  it('waits for the rest of an answer whose first part the sink has taken', async () => {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 20 }).write(Buffer.alloc(10, 'a'));
      const rest = () => response.end(Buffer.alloc(10, 'b'));
      void taken.then(() => setImmediate(rest));
    });
    const client = outbound({}, loopback);
    const sizes: number[] = [];
    const sink = async (chunk: Uint8Array) => {
      sizes.push(chunk.length);
      take();
    };
    await client.get(`http://127.0.0.1:${port}/`, { sink, maxBytes: 100 });
    expect(sizes).toEqual([10, 10]);
  });

  it('reads JSON, and refuses it cut, broken or deeply nested', async () => {
    const bodies: Record<string, string> = {
      '/good': '\uFEFF{"a":["]}\\"[",1]}',
      '/broken': '{"a":',
      '/deep': '['.repeat(200_000) + ']'.repeat(200_000),
      '/long': JSON.stringify('x'.repeat(500_000)),
    };
    const port = await serve((request, response) => response.end(bodies[request.url ?? '']));
    const client = outbound({}, loopback);
    const get = (path: string) => client.get(`http://127.0.0.1:${port}${path}`, { maxBytes: 450_000 });
    expect(json(await get('/good'))).toEqual({ a: [']}"[', 1] });
    for (const [path, kind] of [
      ['/broken', 'protocol'],
      ['/deep', 'protocol'],
      ['/long', 'too_large'],
    ] as const) {
      const error = await failure(get(path).then(json));
      expect([path, error.kind, error.sent]).toEqual([path, kind, true]);
    }
  });
});

it('reads an answer that came in time before it looks at a deadline that passed while the process was busy', async () => {
  const port = await serve((_request, response) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    response.end('in time');
  });
  const answer = await outbound({}, loopback).get(`http://127.0.0.1:${port}/`, { deadlineMs: 100 });
  expect(textOf(answer)).toBe('in time');
});

it('begins nothing after its deadline, if the process was frozen while it connected', async () => {
  const { port, calls } = await counting();
  const query = async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    return ['127.0.0.1'];
  };
  const client = outbound({}, { ...loopback, query });
  expect(await client.failing(`http://late.example:${port}/`, { deadlineMs: 100 })).toEqual(['timeout', false]);
  expect(calls()).toBe(0);
});

it('begins nothing after its deadline, if the machine slept while it connected', async () => {
  const { port, calls } = await counting();
  const now = vi.spyOn(Date, 'now');
  onTestFinished(() => now.mockRestore());
  const query = async () => {
    now.mockReturnValue(Date.now() + 60_000);
    return ['127.0.0.1'];
  };
  const client = outbound({}, { ...loopback, query });
  expect(await client.failing(`http://late.example:${port}/`, { deadlineMs: 60_000 })).toEqual(['timeout', false]);
  expect(calls()).toBe(0);
});

it('takes up the TLS session of a server again on a new socket, and of none but that one', async () => {
  const certificates = makeCertificates(['one.example', 'other.example']);
  const port = await serveTls(certificates, ({ socket }, response) => {
    response.end(String((socket as TLSSocket).isSessionReused()));
  });
  const names = { 'one.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
  const client = outbound(names, { allowPrivate: 'on', ca: certificates.ca });
  const reused: string[] = [];
  for (const host of ['one', 'one', 'other']) {
    const url = `https://${host}.example:${port}/`;
    reused.push(textOf(await client.get(url, { freshSocket: true })));
  }
  expect(reused).toEqual(['false', 'true', 'false']);
});

describe('a hostile answer', () => {
  it('that drips is ended by the deadline, in headers and in the body', async () => {
    const drips: NodeJS.Timeout[] = [];
    const port = await serveTcp((socket) => {
      socket.once('data', (request) => {
        socket.write(request.includes('/body') ? 'HTTP/1.1 200 OK\r\n\r\n' : 'HTTP/1.1 200 OK\r\nx: ');
        drips.push(setInterval(() => socket.write('x'), 5));
      });
    });
    const client = outbound({}, loopback);
    for (const path of ['/body', '/headers']) {
      const failed = await client.failing(`http://127.0.0.1:${port}${path}`, { deadlineMs: 100 });
      expect([path, ...failed]).toEqual([path, 'timeout', true]);
    }
    for (const drip of drips) clearInterval(drip);
  });

  it('without an end is read to the cap and no further', async () => {
    let written = 0;
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const chunk = Buffer.alloc(65_536, 'x');
    const port = await serve((_request, response) => {
      const pump = () => {
        do written += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pump).on('close', closed);
      pump();
    });
    const client = outbound({}, loopback);
    const answer = await client.get(`http://127.0.0.1:${port}/`);
    expect([answer.truncated, answer.body.length, answer.status]).toEqual([true, 16_384, 200]);
    await gone;
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('longer than allowed is refused, by its announced length already', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/announced') response.writeHead(200, { 'content-length': 2 ** 30 }).flushHeaders();
      else response.end(Buffer.alloc(20_000));
    });
    const client = outbound({}, loopback);
    for (const path of ['/announced', '/plain']) {
      const failed = await client.failing(`http://127.0.0.1:${port}${path}`, { overflow: 'refuse' });
      expect([path, ...failed]).toEqual([path, 'too_large', true]);
    }
    const exact = await client.get(`http://127.0.0.1:${port}/plain`, { maxBytes: 20_000, overflow: 'refuse' });
    expect(exact).toMatchObject({ bytes: 20_000, truncated: false });
  });

  it('that is a packed bomb stays packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const port = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const answer = await outbound({}, loopback).get(`http://127.0.0.1:${port}/`);
    expect(Buffer.from(answer.body).equals(bomb)).toBe(true);
  });

  it('with ten thousand header lines, or none that parse, ends the attempt', async () => {
    const port = await serveTcp((socket) => {
      socket.once('data', (request) => {
        const lines = request.includes('/many') ? 'x-header: value\r\n'.repeat(10_000) : '';
        socket.end(request.includes('/garbage') ? 'no http at all\r\n\r\n' : `HTTP/1.1 200 OK\r\n${lines}\r\n`);
      });
    });
    const client = outbound({}, loopback);
    expect(await client.failing(`http://127.0.0.1:${port}/many`)).toEqual(['too_large', true]);
    expect(await client.failing(`http://127.0.0.1:${port}/garbage`)).toEqual(['protocol', true]);
  });
});

describe('what left the machine', () => {
  it('is nothing when the connection was never made', async () => {
    const closedPort = await freePort();
    expect(await outbound({}, loopback).failing(`http://127.0.0.1:${closedPort}/`)).toEqual(['connect', false]);
  });

  it('may be all of it when the peer closes after the request', async () => {
    const port = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const half = await serveTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'));
    });
    const client = outbound({}, loopback);
    for (const to of [port, half]) {
      const url = `http://127.0.0.1:${to}/`;
      expect(await client.failing(url, { method: 'POST', body: 'x' })).toEqual(['reset', true]);
    }
  });

  it('is nothing when the handshake fails, and a request given up during it never leaves', async () => {
    const certificates = makeCertificates(['late.example']);
    let calls = 0;
    const secure = await serveTls(certificates, (_request, response) => response.end(String((calls += 1))));
    const refusing = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const names = { 'late.example': ['127.0.0.1'] };
    const client = outbound(names, { allowPrivate: 'on', ca: certificates.ca });
    expect(await client.failing(`https://late.example:${refusing}/`)).toEqual(['tls', false]);

    const held: Socket[] = [];
    let holding = true;
    const letThrough = (socket: Socket) => {
      const inner = connect(secure, '127.0.0.1');
      socket
        .on('close', () => inner.destroy())
        .pipe(inner)
        .pipe(socket);
    };
    const gate = await serveTcp((socket) => (holding ? held.push(socket.pause()) : letThrough(socket)));
    const url = `https://late.example:${gate}/`;
    const effect = { method: 'POST', body: 'effect' } as const;
    expect(await client.failing(url, { ...effect, deadlineMs: 80 })).toEqual(['timeout', false]);
    holding = false;
    const gone = Promise.all(held.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    held.forEach(letThrough);
    // The handshake now succeeds, and the connection is dropped without a request on it.
    await gone;
    expect([held.length, calls]).toEqual([1, 0]);
    const answer = await client.get(url, effect);
    expect([textOf(answer), calls]).toEqual(['1', 1]);
  });

  it('is nothing when the name server hangs, and the look-up ends with the deadline', async () => {
    let cancelled = false;
    const query = (_name: string, signal: AbortSignal) =>
      new Promise<readonly string[]>(() => signal.addEventListener('abort', () => (cancelled = true)));
    const body = Readable.from(['never read']);
    const call = { method: 'POST', body, deadlineMs: 500 } as const;
    const failed = await outbound({}, { query }).failing('http://hangs.example/', call);
    expect([...failed, cancelled, body.destroyed]).toEqual(['timeout', false, true, true]);
  });

  it('is stopped by the caller and by closing the client', async () => {
    let arrived: () => void = () => {};
    const port = await serve(() => arrived());
    const client = outbound({}, loopback);
    const stop = new AbortController();
    for (const end of [() => stop.abort(), () => void client.close()]) {
      const reached = new Promise<void>((resolve) => (arrived = resolve));
      const signal = stop.signal.aborted ? undefined : stop.signal;
      const failing = client.failing(`http://127.0.0.1:${port}/`, { signal });
      await reached;
      end();
      expect(await failing).toEqual(['aborted', true]);
    }
    expect(await client.failing(`http://127.0.0.1:${port}/`)).toEqual(['aborted', false]);
  });

  it('ends when the source of the body fails', async () => {
    const port = await serve(() => {});
    const body = new Readable({ read() {} });
    body.push('begun');
    const failing = outbound({}, loopback).failing(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    setImmediate(() => body.destroy(new Error('disk')));
    expect((await failing)[0]).toBe('aborted');
  });
});
