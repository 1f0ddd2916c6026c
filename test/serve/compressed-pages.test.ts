import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { setUp, type Browser } from '../harness/calls/browser.ts';
import { exchange } from '../harness/sockets.ts';
import { it as test, type World } from '../harness/world.ts';

const it = test.extend('owner', async ({ world }) => setUp(world));

async function open(world: World, browser: Browser, headers: Record<string, string>, method = 'GET') {
  const { port, host } = new URL(world.root);
  const Cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return exchange({ port, method, path: '/dashboard', headers: { Host: host, Cookie, ...headers } });
}

/** A page without its tokens, of which no two are alike. */
const same = (text: string) => text.replaceAll(/[0-9a-f]{64}/g, 'token');

describe('a page', () => {
  it('is compressed for those who take it', async ({ world, owner }) => {
    const plain = await open(world, owner, {});
    expect(plain.headers['content-encoding']).toBe(undefined);
    expect(plain.headers.vary).toContain('Accept-Encoding');
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await open(world, owner, { 'Accept-Encoding': encoding, 'Sec-Fetch-Site': 'same-origin' });
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(same(unpack(answer.bytes).toString())).toBe(same(plain.text));
      expect(answer.bytes.length).toBe(Number(answer.headers['content-length']));
      expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect((await open(world, owner, { 'Accept-Encoding': encoding }, 'HEAD')).bytes.length).toBe(0);
    }
  });

  it('that another site opened is not, so that its size says nothing about its text', async ({ world, owner }) => {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await open(world, owner, { 'Accept-Encoding': 'br', 'Sec-Fetch-Site': site });
      expect([site, answer.status, answer.headers['content-encoding']]).toEqual([site, 200, undefined]);
    }
  });

  it('has other tokens each time, which are all good', async ({ world, owner }) => {
    const tokens = new Set<string>();
    for (let time = 0; time < 3; time += 1) {
      const { text } = await open(world, owner, {});
      for (const [token] of text.matchAll(/[0-9a-f]{64}/g)) tokens.add(token);
      const token = /data-token="([0-9a-f]{64})"/.exec(text)![1]!;
      const { port, host } = new URL(world.root);
      const Cookie = [...owner.jar].map(([name, { value }]) => `${name}=${value}`).join('; ');
      const headers = { Host: host, Cookie, 'Rostra-Page': token };
      const answer = await exchange({ port, method: 'GET', path: '/dashboard/v1/accounts', headers });
      expect(answer.status).toBe(200);
      const changed = { ...headers, 'Rostra-Page': token.slice(1) + token[0] };
      const refused = await exchange({ port, method: 'GET', path: '/dashboard/v1/accounts', headers: changed });
      expect(refused.status).toBe(403);
    }
    expect(tokens.size).toBe(6);
  });
});
