import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isCidr, isGivenHostRefused, isPrivateAddress, makeGuard } from '#kernel/net/addresses.ts';

const closed = makeGuard('off', () => undefined);
const open = makeGuard('on', () => 8080);

/** First and last address of every denied range, and the neighbours outside. */
const EDGES: readonly Readonly<{ inside: readonly string[]; outside: readonly string[] }>[] = [
  { inside: ['0.0.0.0', '0.255.255.255'], outside: ['1.0.0.0'] },
  { inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
  { inside: ['100.64.0.0', '100.127.255.255'], outside: ['100.63.255.255', '100.128.0.0'] },
  { inside: ['127.0.0.0', '127.255.255.255'], outside: ['126.255.255.255', '128.0.0.0'] },
  { inside: ['169.254.0.0', '169.254.255.255'], outside: ['169.253.255.255', '169.255.0.0'] },
  { inside: ['172.16.0.0', '172.31.255.255'], outside: ['172.15.255.255', '172.32.0.0'] },
  { inside: ['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255'], outside: ['192.0.1.0', '192.0.3.0'] },
  { inside: ['192.88.99.0', '192.88.99.255'], outside: ['192.88.98.255', '192.88.100.0'] },
  { inside: ['192.168.0.0', '192.168.255.255'], outside: ['192.167.255.255', '192.169.0.0'] },
  { inside: ['198.18.0.0', '198.19.255.255'], outside: ['198.17.255.255', '198.20.0.0'] },
  { inside: ['198.51.100.0', '198.51.100.255'], outside: ['198.51.99.255', '198.51.101.0'] },
  { inside: ['203.0.113.0', '203.0.113.255'], outside: ['203.0.112.255', '203.0.114.0'] },
  { inside: ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'], outside: ['223.255.255.255'] },
  { inside: ['::', '::1', '::127.0.0.1', '::808:808'], outside: ['1::1', '::1:0:0:1'] },
  { inside: ['::ffff:8.8.8.8', '::ffff:808:808', '::ffff:0:7f00:1'], outside: ['::fffe:0:808:808'] },
  { inside: ['64:ff9b::808:808', '64:ff9b:1::1'], outside: ['64:ff9a::1', '64:ff9b:2::1'] },
  { inside: ['100::', '100::ffff:ffff:ffff:ffff'], outside: ['100:0:0:1::'] },
  { inside: ['2001::', '2001:1ff::1'], outside: ['2001:200::1', '2001:4860:4860::8888'] },
  { inside: ['2001:db8::1', '2001:db8:ffff::1'], outside: ['2001:db7::1', '2001:db9::1'] },
  { inside: ['2002::1', '2002:ffff::1'], outside: ['2003::1'] },
  { inside: ['3fff::1', '3fff:fff::1'], outside: ['3ffe::1', '3fff:1000::1'] },
  { inside: ['5f00::1', '5f00:ffff::1'], outside: ['5eff::1', '5f01::1'] },
  { inside: ['fc00::1', 'fdff::1'], outside: ['fbff::1'] },
  { inside: ['fe80::1', 'febf::1', 'fec0::1', 'feff::1', 'ff02::1', 'ffff::1'], outside: ['fe00::1'] },
];

describe('the guard for given addresses', () => {
  const pairs = EDGES.map(({ inside, outside }) => [inside, outside] as const);
  it.each(pairs)('closes %j and leaves %j open', (inside, outside) => {
    for (const address of inside) expect([address, closed.refuses(address, 443)]).toEqual([address, true]);
    for (const address of outside) expect([address, closed.refuses(address, 443)]).toEqual([address, false]);
    expect(inside.every(isPrivateAddress)).toBe(true);
    expect(outside.some(isPrivateAddress)).toBe(false);
  });

  it('takes nothing for an address that is not spelt as one', () => {
    for (const text of ['', 'example.com', '127.1', '0x7f.1', '2130706433', '010.0.0.1', 'fe80::1%eth0', '[::1]'])
      expect([text, open.refuses(text, 443)]).toEqual([text, true]);
  });

  it('opens the listed ranges and no others', () => {
    const guard = makeGuard(['10.1.0.0/16', 'fd12::/16', '169.254.0.0/16', 'fd00::/8'], () => undefined);
    for (const address of ['10.1.2.3', 'fd12::7', '8.8.8.8']) expect(guard.refuses(address, 80)).toBe(false);
    for (const address of ['10.2.0.1', '127.0.0.1', '::ffff:10.1.2.3', '192.168.1.1'])
      expect([address, guard.refuses(address, 80)]).toEqual([address, true]);
    expect(guard.refuses('169.254.169.254', 80)).toBe(true);
    expect(guard.refuses('fd00:ec2::254', 80)).toBe(true);
    expect(guard.refuses('fd00:ec2::255', 80)).toBe(false);
  });

  it('never opens the metadata addresses, however they are wrapped', () => {
    for (const address of [
      '169.254.169.254',
      '169.254.0.1',
      'fd00:ec2::254',
      'fd20:ce::254',
      '100.100.100.200',
      '192.0.0.192',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '::169.254.169.254',
    ])
      expect([address, open.refuses(address, 80)]).toEqual([address, true]);
    for (const address of ['10.0.0.1', '127.0.0.1', '::1', 'fd00::1']) expect(open.refuses(address, 80)).toBe(false);
  });

  it('keeps the own port closed on every address of this machine', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const address of ['127.0.0.1', '127.8.8.8', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', ...own])
      expect([address, open.refuses(address, 8080)]).toEqual([address, true]);
    expect(open.refuses('127.0.0.1', 8081)).toBe(false);
    expect(open.refuses('10.99.99.99', 8080)).toBe(false);
  });

  it('refuses literal hosts and loopback names of a URL without DNS', () => {
    const refused = [
      'http://127.0.0.1',
      'https://[::1]/',
      'http://0x7f.1/',
      'http://localhost:1/',
      'http://a.localhost./',
    ];
    for (const url of refused) expect([url, isGivenHostRefused(new URL(url), closed)]).toEqual([url, true]);
    const passed = ['https://8.8.8.8/', 'https://example.com/', 'https://localhost.example.com/'];
    for (const url of passed) expect([url, isGivenHostRefused(new URL(url), closed)]).toEqual([url, false]);
    expect(isGivenHostRefused(new URL('http://localhost:8080/'), open)).toBe(true);
    expect(isGivenHostRefused(new URL('http://localhost:8081/'), open)).toBe(false);
  });

  it('knows a range from other text', () => {
    for (const text of ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32']) expect(isCidr(text)).toBe(true);
    for (const text of ['10.0.0.0', '10.0.0.0/33', '10/8', 'on', 'fd00::/129', '/8', ''])
      expect(isCidr(text)).toBe(false);
  });
});
