import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makePool, makeSessions } from '../../src/kernel/net/dial.ts';
import { exchange, type Hop } from '../../src/kernel/net/exchange.ts';
import { makeCertificates } from '../harness/certificates.ts';
import { failure, given, listen, outbound, serve, serveTls, type IncomingMessage } from '../harness/worlds/outbound.ts';

/** Every spelling of loopback, link-local and private hosts that a URL parser accepts. */
const FORMS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST.',
  'deep.localhost',
];

describe('the guard of given addresses', () => {
  it('refuses every spelling of a loopback host, without a connection', async () => {
    let calls = 0;
    const port = await serve((_request, response) => response.end(String((calls += 1))));
    const client = outbound();
    for (const form of FORMS) {
      expect([form, ...(await client.failing(`http://${form}:${port}/`))]).toEqual([form, 'refused_address', false]);
    }
    expect(calls).toBe(0);
  });

  it('refuses other private literals and metadata hosts', async () => {
    const client = outbound();
    for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00:ec2::254]', '[fe80::1]', '100.64.0.1'])
      expect((await failure(client.get(`http://${host}/`))).kind).toBe('refused_address');
  });

  it('refuses what is no address to call', async () => {
    const client = outbound();
    const urls = ['ftp://8.8.8.8/', 'file:///etc/passwd', 'http://8.8.8.8:0/', 'http://256.256.256.256/', 'nonsense'];
    for (const url of urls) expect([url, (await failure(client.get(url))).kind]).toEqual([url, 'bad_url']);
  });

  it('refuses a name when any of its addresses is closed', async () => {
    const client = outbound({
      'mixed.example': ['8.8.8.8', '127.0.0.1'],
      'six.example': ['2606:4700::1', 'fd00::1'],
      'odd.example': ['not an address'],
    });
    for (const name of ['mixed.example', 'six.example', 'odd.example']) {
      expect(await client.failing(`http://${name}/a?b`)).toEqual(['refused_address', false]);
    }
  });

  it('dials the address that was checked, whatever a later look-up says', async () => {
    let calls = 0;
    const port = await serve((_request, response) => response.end(String((calls += 1))));
    const asked: string[] = [];
    const query = async (name: string) => (asked.push(name) === 1 ? ['10.11.12.13'] : ['127.0.0.1']);
    const client = outbound({}, { query, allowPrivate: ['127.0.0.1/32'] });
    expect((await failure(client.get(`http://rebind.example:${port}/`))).kind).toBe('refused_address');
    expect((await failure(client.get(`http://rebind.example:${port}/`))).kind).toBe('refused_address');
    expect([asked.length, calls]).toEqual([1, 0]);
  });

  it('has a second check where the socket is opened', async () => {
    let calls = 0;
    const port = await serve((_request, response) => response.end(String((calls += 1))));
    const hop: Hop = {
      url: new URL(`http://name.example:${port}/`),
      method: 'GET',
      headers: {},
      body: undefined,
      maxBytes: 10,
      overflow: 'truncate',
      sink: undefined,
      signal: new AbortController().signal,
    };
    // Refused before the dial, refused after it, and let through both times.
    for (const [verdicts, kind] of [
      [[false], 'refused_address'],
      [[true, false], 'refused_address'],
      [[true, true], undefined],
    ] as const) {
      const left: boolean[] = [...verdicts];
      const pool = makePool({
        resolve: async () => ['127.0.0.1'],
        origin: 'given',
        permits: () => left.shift() ?? false,
        closing: new AbortController().signal,
        sessions: makeSessions(),
      });
      const seen = await exchange(pool, hop).catch((error: unknown) => error);
      expect([(seen as { kind?: string }).kind, left]).toEqual([kind, []]);
      await pool.destroy();
    }
    expect(calls).toBe(1);
  });

  it('tries two addresses and no more', async () => {
    const port = await serve((_request, response) => response.end('ok'));
    const names = {
      'second.example': ['127.0.0.9', '127.0.0.1'],
      'third.example': ['127.0.0.8', '127.0.0.9', '127.0.0.1'],
    };
    const client = outbound(names, { allowPrivate: 'on' });
    expect((await client.get(`http://second.example:${port}/`)).status).toBe(200);
    expect(await client.failing(`http://third.example:${port}/`)).toEqual(['connect', false]);
  });

  it('leaves names to an explicit proxy, but neither closed literals nor the twin', async () => {
    const asked: (string | undefined)[] = [];
    const port = await serve((request, response) => response.end(request.headers.host));
    const proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
      asked.push(request.url);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(connect(port, '127.0.0.1')).pipe(socket);
    });
    const origin = `http://127.0.0.1:${port}`;
    const options = { proxy: `http://127.0.0.1:${await listen(proxy)}`, trustedOrigins: () => [origin] };
    const client = outbound({}, options);
    for (const freshSocket of [false, true]) {
      const answer = await client.get('http://far.example/', { freshSocket });
      expect(Buffer.from(answer.body).toString()).toBe('far.example');
    }
    expect((await failure(client.get('http://10.0.0.1/'))).kind).toBe('refused_address');
    expect((await client.send({ ...given, given: false, url: origin })).status).toBe(200);
    expect(asked).toEqual(['far.example:80', 'far.example:80']);
  });

  it('opens listed ranges, and says that the answer came from inside', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const client = outbound({ 'inside.example': ['127.0.0.1'] }, { allowPrivate: ['127.0.0.0/8'] });
    const answer = await client.get(`http://inside.example:${port}/`);
    expect([Buffer.from(answer.body).toString(), answer.fromPrivate]).toEqual([`inside.example:${port}`, true]);
    expect((await failure(client.get('http://10.0.0.1/'))).kind).toBe('refused_address');
  });

  it('keeps the own port closed when private addresses are open', async () => {
    const port = await serve((_request, response) => response.end('own'));
    const client = outbound({ 'me.example': ['127.0.0.1'] }, { allowPrivate: 'on', ownPort: () => port });
    for (const host of ['127.0.0.1', 'me.example', 'localhost', '0.0.0.0', '[::1]']) {
      const error = await failure(client.get(`http://${host}:${port}/`));
      expect([host, error.kind]).toEqual([host, 'refused_address']);
    }
    expect((await failure(client.get('http://169.254.169.254/'))).kind).toBe('refused_address');
  });

  it('lets a trusted origin through, but not as a given address and not for its neighbour', async () => {
    const port = await serve((_request, response) => response.end('twin'));
    const origin = `http://127.0.0.1:${port}`;
    const client = outbound({}, { trustedOrigins: () => [origin], ownPort: () => port });
    const call = { ...given, purpose: 'platform', url: `${origin}/x` } as const;
    const answer = await client.send({ ...call, given: false });
    expect([answer.status, answer.fromPrivate]).toEqual([200, false]);
    expect((await failure(client.send(call))).kind).toBe('refused_address');
    const neighbour = { ...call, given: false, url: `http://127.0.0.2:${port}/` };
    expect((await failure(client.send(neighbour))).kind).toBe('refused_address');
  });

  it('checks every redirect again', async () => {
    let inside = 0;
    const secret = await serve((_request, response) => response.end(String((inside += 1))));
    const port = await serve((request, response) => {
      const location = {
        '/out': `http://127.0.0.2:${secret}/`,
        '/name': 'http://closed.example/',
        '/file': 'file:///x',
      };
      response.writeHead(302, { location: location[request.url as '/out'] }).end();
    });
    const client = outbound({ 'closed.example': ['10.0.0.1'] }, { allowPrivate: ['127.0.0.1/32'] });
    for (const [path, kind] of [
      ['/out', 'refused_address'],
      ['/name', 'refused_address'],
      ['/file', 'bad_url'],
    ]) {
      const failed = await client.failing(`http://127.0.0.1:${port}${path}`, { redirects: 3 });
      expect([path, ...failed]).toEqual([path, kind, true]);
    }
    expect(inside).toBe(0);
  });

  it('trusts the extra authority for webhooks only, and checks the name', async () => {
    const certificates = makeCertificates(['hooks.example']);
    const port = await serveTls(certificates, (_request, response) => response.end('secure'));
    const names = { 'hooks.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
    const client = outbound(names, { allowPrivate: 'on', ca: certificates.ca });
    const url = `https://hooks.example:${port}/`;
    expect((await client.get(url)).status).toBe(200);
    expect((await client.get(url, { freshSocket: true })).status).toBe(200);
    for (const attempt of [
      { ...given, url, purpose: 'media' } as const,
      { ...given, url: `https://other.example:${port}/` },
      { ...given, url: `https://127.0.0.1:${port}/` },
    ]) {
      const error = await failure(client.send(attempt));
      expect([attempt.url, error.kind, error.sent]).toEqual([attempt.url, 'tls', false]);
    }
  });
});
