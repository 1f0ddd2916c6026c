import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makePool, makeSessions } from '#kernel/net/dial.ts';
import { exchange, type Hop } from '#kernel/net/exchange.ts';
import { makeCertificates } from '../harness/certificates.ts';
import {
  counting,
  listen,
  outbound,
  serve,
  serveTls,
  textOf,
  type IncomingMessage,
} from '../harness/worlds/outbound.ts';

/** What fails before anything is dialled. */
const REFUSED = ['refused_address', false];

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
    const { port, calls } = await counting();
    const client = outbound();
    for (const form of FORMS) {
      expect([form, ...(await client.failing(`http://${form}:${port}/`))]).toEqual([form, ...REFUSED]);
    }
    expect(calls()).toBe(0);
  });

  it('refuses other private literals and metadata hosts', async () => {
    const client = outbound();
    for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00:ec2::254]', '[fe80::1]', '100.64.0.1'])
      expect([host, ...(await client.failing(`http://${host}/`))]).toEqual([host, ...REFUSED]);
  });

  it('refuses what is no address to call', async () => {
    const client = outbound();
    const numbers = ['http://8.8.8.8:0/', 'http://256.256.256.256/'];
    const urls = [
      'ftp://8.8.8.8/',
      'file:///etc/passwd',
      'nonsense',
      'http://./',
      'https://a..example.org/',
      ...numbers,
    ];
    for (const url of urls) expect([url, ...(await client.failing(url))]).toEqual([url, 'bad_url', false]);
  });

  it('refuses a name when any of its addresses is closed', async () => {
    const client = outbound({
      'mixed.example': ['8.8.8.8', '127.0.0.1'],
      'six.example': ['2606:4700::1', 'fd00::1'],
      'odd.example': ['not an address'],
    });
    for (const name of ['mixed.example', 'six.example', 'odd.example'])
      expect(await client.failing(`http://${name}/a?b`)).toEqual(REFUSED);
  });

  it('dials the address that was checked, whatever a later look-up says', async () => {
    const { port, calls } = await counting();
    const asked: string[] = [];
    const query = async (name: string) => (asked.push(name) === 1 ? ['10.11.12.13'] : ['127.0.0.1']);
    const client = outbound({}, { query, allowPrivate: ['127.0.0.1/32'] });
    for (let n = 0; n < 2; n += 1) expect(await client.failing(`http://rebind.example:${port}/`)).toEqual(REFUSED);
    expect([asked.length, calls()]).toEqual([1, 0]);
  });

  it('has a second check where the socket is opened', async () => {
    const { port, calls } = await counting();
    const hop: Hop = {
      url: new URL(`http://name.example:${port}/`),
      method: 'GET',
      headers: {},
      body: undefined,
      maxBytes: 10,
      overflow: 'truncate',
      sink: undefined,
      until: Infinity,
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
    expect(calls()).toBe(1);
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
      expect(textOf(answer)).toBe('far.example');
    }
    expect(await client.failing('http://10.0.0.1/')).toEqual(REFUSED);
    expect((await client.get(origin, { given: false })).status).toBe(200);
    expect(asked).toEqual(['far.example:80', 'far.example:80']);
  });

  it('opens listed ranges, and says that the answer came from inside', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const client = outbound({ 'inside.example': ['127.0.0.1'] }, { allowPrivate: ['127.0.0.0/8'] });
    const answer = await client.get(`http://inside.example:${port}/`);
    expect([textOf(answer), answer.fromPrivate]).toEqual([`inside.example:${port}`, true]);
    expect(await client.failing('http://10.0.0.1/')).toEqual(REFUSED);
  });

  it('keeps the own port closed when private addresses are open', async () => {
    const port = await serve((_request, response) => response.end('own'));
    const client = outbound({ 'me.example': ['127.0.0.1'] }, { allowPrivate: 'on', ownPort: () => port });
    for (const host of ['127.0.0.1', 'me.example', 'localhost', '0.0.0.0', '[::1]']) {
      expect([host, ...(await client.failing(`http://${host}:${port}/`))]).toEqual([host, ...REFUSED]);
    }
    expect(await client.failing('http://169.254.169.254/')).toEqual(REFUSED);
  });

  it('lets a trusted origin through, but not as a given address and not for its neighbour', async () => {
    const port = await serve((_request, response) => response.end('twin'));
    const origin = `http://127.0.0.1:${port}`;
    const client = outbound({}, { trustedOrigins: () => [origin], ownPort: () => port });
    const ours = { purpose: 'platform', given: false } as const;
    expect(await client.get(`${origin}/x`, ours)).toMatchObject({ status: 200, fromPrivate: false });
    expect(await client.failing(`${origin}/x`, { purpose: 'platform' })).toEqual(REFUSED);
    expect(await client.failing(`http://127.0.0.2:${port}/`, ours)).toEqual(REFUSED);
  });

  it('checks every redirect again', async () => {
    const { port: secret, calls: inside } = await counting();
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
    expect(inside()).toBe(0);
  });

  it('trusts the extra authority for webhooks only, and checks the name', async () => {
    const certificates = makeCertificates(['hooks.example']);
    const port = await serveTls(certificates, (_request, response) => response.end('secure'));
    const names = { 'hooks.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
    const client = outbound(names, { allowPrivate: 'on', ca: certificates.ca });
    const url = `https://hooks.example:${port}/`;
    expect((await client.get(url)).status).toBe(200);
    expect((await client.get(url, { freshSocket: true })).status).toBe(200);
    expect(await client.failing(url, { purpose: 'media' })).toEqual(['tls', false]);
    for (const other of [`https://other.example:${port}/`, `https://127.0.0.1:${port}/`])
      expect([other, ...(await client.failing(other))]).toEqual([other, 'tls', false]);
  });
});
