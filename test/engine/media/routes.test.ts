import { createServer, request, type IncomingMessage } from 'node:http';
import { readdirSync } from 'node:fs';
import { buffer, text } from 'node:stream/consumers';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { envelope } from '#kernel/envelope.ts';
import { ApiError } from '#kernel/errors.ts';
import { mediaRoutes } from '#serve/http/media-routes.ts';
import { makeRouter } from '#serve/http/router.ts';
import { bytesOf, fileBytesOf, readMultipart } from '#serve/http/multipart.ts';
import { makeFolder } from '../../harness/folders.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { gif, mp4, pdf, pieces, png } from '../../harness/media-samples.ts';
import { addressIn, makeWorld, tokenOf, type World } from '../../harness/worlds/media.ts';
import { serveTest } from '../../harness/sockets.ts';
import type { Json } from '../../harness/world.ts';

/** The media routes as the server mounts them: refusals are answered as envelopes. */
async function mount({ media }: World): Promise<string> {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      ctx.status = error.status;
      ctx.body = envelope(error, 'req_1');
    }
  });
  app.use(makeRouter(mediaRoutes(media, { open: () => Promise.reject(new Error('not here')) }, {})));
  const answer = app.callback();
  return serveTest(createServer((req, res) => void answer(req, res)));
}

describeStores('media routes', { kinds: ['memory'] }, ({ open }) => {
  const path = (url: string) => new URL(url).pathname;

  async function shown(bytes: Uint8Array, filename: string) {
    const world = await makeWorld(await open());
    const root = await mount(world);
    const item = await world.media.upload(world.owner, { file: pieces(bytes), filename });
    return { world, url: root + path(item.url), item };
  }

  it('sends pictures in place and guarded', async () => {
    const bytes = png(3, 2, 100);
    const { url } = await shown(bytes, '日 "x".png');
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.byteLength),
      'content-disposition': expect.stringMatching(/^inline; .*filename\*=UTF-8''%E6%97%A5%20%22x%22\.png/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': expect.stringMatching(/^private/),
      'accept-ranges': 'bytes',
    });
    // fetch adds a Cache-Control that asks for the bytes anyway.
    const again = await send(url, 'GET', { 'if-none-match': answer.headers.get('etag')! }, pieces(Buffer.alloc(0)));
    expect(again).toEqual({ status: 304, body: '' });
  });

  it('sends a PDF to be saved, whatever its name says', async () => {
    const { url } = await shown(pdf, 'page.html');
    const answer = await fetch(url);
    await answer.arrayBuffer();
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it('answers HEAD without bytes', async () => {
    const { url, item } = await shown(mp4(), 'a.mp4');
    const answer = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(item.size_bytes));
    expect(answer.headers.get('content-type')).toBe('video/mp4');
  });

  it.each([
    ['bytes=0-9', 206, [0, 10]],
    ['bytes=10-', 206, [10, undefined]],
    ['bytes=-7', 206, [-7, undefined]],
    ['bytes=-999999', 206, [0, undefined]],
    ['bytes=5-999999', 206, [5, undefined]],
    ['bytes=0-0', 206, [0, 1]],
    ['bytes=9-3', 200, [0, undefined]],
    ['bytes=0-1,4-5', 200, [0, undefined]],
    ['bytes=-', 200, [0, undefined]],
    ['lines=1-2', 200, [0, undefined]],
    ['bytes=999999-', 416, undefined],
    ['bytes=-0', 416, undefined],
  ] as const)('answers Range %s with %i', async (range, status, part) => {
    const bytes = png(3, 2, 500);
    const { url } = await shown(bytes, 'a.png');
    const answer = await fetch(url, { headers: { range } });
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(status);
    expect(body.equals(part ? bytes.subarray(part[0], part[1]) : Buffer.alloc(0))).toBe(true);
    expect(answer.headers.get('content-length')).toBe(String(body.byteLength));
    if (status === 416) expect(answer.headers.get('content-range')).toBe(`bytes */${bytes.byteLength}`);
    if (status !== 206) return;
    const from = bytes.indexOf(body);
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${from + body.byteLength - 1}/${bytes.byteLength}`);
  });

  it('honours If-Range', async () => {
    const { url } = await shown(png(3, 2, 500), 'a.png');
    const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag')!;
    const status = async (condition: string) => {
      const answer = await fetch(url, { headers: { range: 'bytes=0-3', 'if-range': condition } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await status(etag)).toBe(206);
    expect(await status('"other"')).toBe(200);
  });

  it('refuses forged, expired and unknown addresses', async () => {
    const { url, world, item } = await shown(png(), 'a.png');
    const forged = await fetch(url.replace(/\/media\/./, '/media/x'));
    expect(forged.status).toBe(403);
    const error = { code: 'auth.invalid_secret', message: expect.any(String) };
    expect(await forged.json()).toEqual({ error, request_id: 'req_1' });
    const other = await fetch(url, { method: 'POST' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    world.clock.move(3_600_000);
    expect((await fetch(url)).status).toBe(403);
    world.clock.move(-3_600_000);
    await world.media.remove(world.authority, item.id);
    expect((await fetch(url)).status).toBe(404);
  });

  it('takes the PUT of an upload address without a token', async () => {
    const world = await makeWorld(await open(), { maxBytes: 200_000 });
    const root = await mount(world);
    const { owner, media } = world;
    const ask = async () => {
      const address = await media.uploadUrl(owner, { media_type: 'image/gif', filename: 'a.gif' });
      return { ...address, url: root + path(address.upload_url) };
    };
    const first = await ask();
    const answer = await fetch(first.url, { method: 'PUT', body: gif() });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ success: true, media_id: first.media_id, size_bytes: gif().byteLength });
    expect((await fetch(first.url, { method: 'PUT', body: gif() })).status).toBe(409);
    expect(await media.verify(owner, first.media_id)).toMatchObject({ status: 'ready' });

    const second = await ask();
    expect((await fetch(second.url, { method: 'PUT', body: Buffer.alloc(200_001) })).status).toBe(413);
    expect((await fetch(second.url, { method: 'PUT' })).status).toBe(400);
    expect((await fetch(second.url)).status).toBe(405);
    world.clock.move(15 * 60_000);
    expect((await fetch(second.url, { method: 'PUT', body: gif() })).status).toBe(403);
  });

  it('stops a body without a length at the cap, and still answers', async () => {
    const world = await makeWorld(await open(), { maxBytes: 50_000 });
    const root = await mount(world);
    const address = await addressIn(world);
    const endless = pieces(Buffer.alloc(3_000_000), 65_536);
    const { status, body } = await send(root + path(address.upload_url), 'PUT', {}, endless);
    expect([status, JSON.parse(body).error.code]).toEqual([413, 'http.413']);
    expect(world.files()).toEqual([]);
  });

  it('keeps nothing of an upload whose sender hangs up', async () => {
    const world = await makeWorld(await open());
    const hungUp = Promise.withResolvers<unknown>();
    const put: World['media']['put'] = (...args) => {
      const answer = world.media.put(...args);
      answer.catch(hungUp.resolve);
      return answer;
    };
    const root = await mount({ ...world, media: { ...world.media, put } });
    const address = await addressIn(world);
    const outgoing = request(root + path(address.upload_url), { method: 'PUT', headers: { 'content-length': 5000 } });
    outgoing.on('error', () => {});
    outgoing.write(png().subarray(0, 40), () => outgoing.destroy());
    expect(await hungUp.promise).toMatchObject({ code: 'validation.body_invalid' });
    expect(world.files()).toEqual([]);
    const { media_id } = address;
    expect(await world.media.put(tokenOf(address.upload_url), pieces(png()))).toMatchObject({ media_id });
  });
});

/** One request with a body in pieces; fetch could not be made to send what these tests need. */
function send(
  url: string,
  method: string,
  headers: Record<string, string | number>,
  body: AsyncIterable<Uint8Array>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject);
    });
    outgoing.on('error', reject);
    const closed = new Promise((done) => outgoing.once('close', done));
    void (async () => {
      for await (const part of body) {
        if (outgoing.destroyed) return;
        if (!outgoing.write(part))
          await Promise.race([new Promise((drained) => outgoing.once('drain', drained)), closed]);
      }
      outgoing.end();
    })();
  });
}

describe('the file of a form that is read as it comes', () => {
  const boundary = 'b';
  const part = (disposition: string, bytes: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  const end = Buffer.from(`--${boundary}--\r\n`);
  const file = (bytes: Uint8Array) => part('name="file"; filename="a"', bytes);

  async function read(body: AsyncIterable<Uint8Array>, most: number, take = Number.POSITIVE_INFINITY) {
    const app = createServer((req, res) => {
      const drain = async () => {
        let size = 0;
        for await (const chunk of fileBytesOf(req, most)) if ((size += chunk.byteLength) >= take) break;
        return String(size);
      };
      void drain().then(
        (size) => res.end(size),
        (error: unknown) => res.writeHead(400).end((error as ApiError).code),
      );
    });
    const url = await serveTest(app);
    return send(url, 'POST', { 'content-type': `multipart/form-data; boundary=${boundary}` }, body);
  }

  const large = Buffer.alloc(3_000_000, 1);

  it.for<[string, readonly Uint8Array[], string]>([
    ['a file', [file(large), end], '3000000'],
    [
      'a file between fields',
      [part('name="a"', Buffer.from('1')), file(large), part('name="b"', Buffer.from('2')), end],
      '3000000',
    ],
    ['an empty file', [file(Buffer.alloc(0)), end], '0'],
    ['no file', [part('name="a"', Buffer.from('1')), end], '0'],
    ['two files', [file(Buffer.from('12')), file(large), end], '2'],
    ['a form that is cut', [file(large).subarray(0, 2_000_000)], 'validation.body_invalid'],
    ['a file without a boundary', [Buffer.from('words')], 'validation.body_invalid'],
  ])('takes %s', async ([, parts, answer]) => {
    expect((await read(pieces(Buffer.concat(parts)), 4_000_000)).body).toBe(answer);
  });

  it('stops where its reader stops, and at what lies around a file', async () => {
    expect((await read(pieces(Buffer.concat([file(large), end])), 4_000_000, 1000)).status).toBe(200);
    const padded = Buffer.concat([part('name="a"', large), file(Buffer.from('1')), end]);
    expect((await read(pieces(padded), 1000)).body).toBe('http.413');
  });
});

describe('multipart forms', () => {
  /** A server that reads one form per request and answers what it saw. */
  async function formServer(maxFileBytes = 1_000_000) {
    const spoolDir = makeFolder();
    const read = async (req: IncomingMessage) => {
      const form = await readMultipart(req, { maxFileBytes, spoolDir });
      const collect = async () => (form.file ? buffer(form.file.stream) : Buffer.alloc(0));
      const [first, second] = [await collect(), await collect()];
      await form.close();
      return {
        fields: { ...form.fields },
        file: form.file && { name: form.file.filename, type: form.file.contentType, size: form.file.size },
        bytes: first.toString('base64'),
        rereads: first.equals(second),
        hash: form.hash,
      };
    };
    const server = createServer((req, res) => {
      read(req).then(
        (answer) => res.end(JSON.stringify(answer)),
        (error: ApiError) => {
          res.statusCode = error.status ?? 500;
          res.end(JSON.stringify({ code: error.code ?? String(error) }));
        },
      );
    });
    return { url: await serveTest(server), spoolDir };
  }

  const post = async (url: string, form: FormData): Promise<Json> => {
    const answer = await fetch(url, { method: 'POST', body: form });
    return { status: answer.status, ...((await answer.json()) as Json) };
  };
  const formOf = (...entries: readonly (readonly [string, string | Blob, string?])[]) => {
    const form = new FormData();
    for (const [name, value, filename] of entries) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, filename);
    }
    return form;
  };

  it('reads fields before and after the file, and the file as often as wanted', async () => {
    const { url, spoolDir } = await formServer();
    const bytes = png(3, 2, 300_000);
    const picture = new Blob([bytes], { type: 'image/png' });
    const seen = await post(url, formOf(['a', 'ü'], ['file', picture, 'dir/ä.png'], ['__proto__', 'x']));
    const file = { name: 'ä.png', type: 'image/png', size: bytes.byteLength };
    expect(seen).toMatchObject({ status: 200, file, bytes: bytes.toString('base64'), rereads: true });
    expect(Object.entries(seen.fields)).toContainEqual(['a', 'ü']);
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('has the same hash for the same parts alone', async () => {
    const { url } = await formServer();
    const hash = async (text: string, field = 'x') =>
      (await post(url, formOf(['f', field], ['file', new Blob([text]), 'a.txt']))).hash;
    expect(await hash('one')).toBe(await hash('one'));
    expect(await hash('one')).not.toBe(await hash('two'));
    expect(await hash('one')).not.toBe(await hash('one', 'y'));
  });

  it('does without a file, and with an empty one', async () => {
    const { url } = await formServer();
    expect(await post(url, formOf(['a', 'b']))).toMatchObject({ status: 200, fields: { a: 'b' } });
    expect(await post(url, formOf(['file', new Blob([]), 'a']))).toMatchObject({ status: 200, file: { size: 0 } });
  });

  it.each([
    ['two files', 400, formOf(['file', new Blob(['a']), 'a'], ['more', new Blob(['b']), 'b'])],
    ['21 parts', 400, formOf(...Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'] as const))],
    ['a long field', 400, formOf(['a', 'x'.repeat(65_537)])],
    ['a large file', 413, formOf(['file', new Blob(['x'.repeat(1001)]), 'a'])],
    ['a far too large file', 413, formOf(['file', new Blob(['x'.repeat(5_000_000)]), 'a'])],
  ])('refuses %s', async (_name, status, form) => {
    const { url, spoolDir } = await formServer(1000);
    const code = status === 413 ? 'http.413' : 'validation.body_invalid';
    expect(await post(url, form)).toMatchObject({ status, code });
    expect(readdirSync(spoolDir)).toEqual([]);
    expect(await post(url, formOf(['a', 'b']))).toMatchObject({ status: 200 });
  });

  it('takes a file of exactly the cap', async () => {
    const { url } = await formServer(1000);
    const form = formOf(['file', new Blob(['x'.repeat(1000)]), 'a']);
    expect(await post(url, form)).toMatchObject({ file: { size: 1000 } });
  });

  const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const FIELD = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n';
  it.each([
    ['JSON', 'application/json', '{"file":"multipart"}'],
    ['no boundary', 'multipart/form-data', 'x'],
    ['an empty boundary', 'multipart/form-data; boundary=""', '--\r\n'],
    ['another multipart', 'multipart/mixed; boundary=b', '--b--\r\n'],
    ['a form that ends in its file', 'multipart/form-data; boundary=b', `${FILE}half`],
    ['a form that ends in its header', 'multipart/form-data; boundary=b', FILE.slice(0, 30)],
    ['a form that ends in a field', 'multipart/form-data; boundary=b', `${FIELD}half`],
    ['nothing', 'multipart/form-data; boundary=b', ''],
    ['no form at all', 'multipart/form-data; boundary=b', 'hello'],
  ])('refuses %s', async (_name, type, body) => {
    const { url, spoolDir } = await formServer();
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    const isReadable = type !== 'multipart/mixed; boundary=b';
    const refused = isReadable ? [400, { code: 'validation.body_invalid' }] : [415, { code: 'http.415' }];
    expect([answer.status, await answer.json()]).toEqual(refused);
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('bounds a preamble that never ends', async () => {
    const { url } = await formServer(1000);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const { status } = await send(url, 'POST', headers, pieces(Buffer.alloc(4_000_000, 'x'), 65_536));
    expect(status).toBe(413);
  });

  it('gives the spooled file up when the sender hangs up', async () => {
    const spoolDir = makeFolder();
    const outcome = Promise.withResolvers<unknown>();
    const server = createServer((req) => {
      readMultipart(req, { maxFileBytes: 1000, spoolDir }).then(outcome.resolve, outcome.resolve);
    });
    const url = await serveTest(server);
    const outgoing = request(url, { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    outgoing.on('error', () => {});
    outgoing.write(`${FILE}half`, () => outgoing.destroy());
    expect(await outcome.promise).toMatchObject({ code: 'validation.body_invalid' });
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('leaves the connection usable when reading stops early', async () => {
    const url = await serveTest(
      createServer((req, res) => {
        void (async () => {
          for await (const part of bytesOf(req)) {
            res.end(String(part.byteLength > 0));
            return;
          }
        })();
      }),
    );
    expect(await send(url, 'PUT', {}, pieces(Buffer.alloc(2_000_000), 65_536))).toEqual({ status: 200, body: 'true' });
  });
});
