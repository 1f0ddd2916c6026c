import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { it, makeWorld } from '../harness/world.ts';
import { exchange } from '../harness/sockets.ts';

const send = (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const { host, port, pathname, search } = new URL(url);
  return exchange({ port, path: pathname + search, method, headers: { Host: host, ...headers } });
};

const PATHS = [
  '/openapi.json',
  '/.well-known/mcp/server-card.json',
  '/mcp/server-card',
  '/assets/rostra.css',
  '/assets/choose-file.js',
  '/reference',
  '/reference/create_post',
  '/reference/errors',
  '/llms.txt',
  '/skills/rostra/SKILL.md',
  '/.well-known/ai-catalog.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
];
/** Those that are worth compressing. */
const LARGE = PATHS.slice(0, 10);

it.for(PATHS)('%s has an ETag, and 304 for those who have it', async (path, { world: { root } }) => {
  const url = `${root}${path}`;
  const first = await send(url);
  expect(first.status).toBe(200);
  expect(first.headers['content-encoding']).toBe(undefined);
  expect(first.headers.vary).toBe('Accept-Encoding');
  expect(first.bytes.length).toBe(Number(first.headers['content-length']));
  const known = first.headers.etag!;
  for (const tag of [known, `W/${known}`, `"other", ${known}`, '*']) {
    const again = await send(url, { 'If-None-Match': tag });
    expect([tag, again.status, again.bytes.length, again.headers.etag]).toEqual([tag, 304, 0, known]);
    expect(again.headers['cache-control']).toBe(first.headers['cache-control']);
  }
  expect((await send(url, { 'If-None-Match': '"other"' })).status).toBe(200);
  const head = await send(url, {}, 'HEAD');
  const headers = { 'content-length': String(first.bytes.length), etag: known };
  expect(head).toMatchObject({ status: 200, text: '', headers });
});

it.each(LARGE)('%s is compressed for those who take it', async (path) => {
  const { root } = await makeWorld();
  const url = `${root}${path}`;
  const plain = await send(url);
  const ways: [string, string | undefined, (bytes: Buffer) => Buffer][] = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['gzip;q=1, br;q=0.001', 'gzip', gunzipSync],
    ['*;q=0.1, gzip', 'gzip', gunzipSync],
    ['gzip;q=0.5, BR ; q=0.5', 'br', brotliDecompressSync],
    ['gzip;q=0.5, identity', undefined, (bytes) => bytes],
    ['*;q=0', undefined, (bytes) => bytes],
    ['identity', undefined, (bytes) => bytes],
    ['deflate', undefined, (bytes) => bytes],
  ];
  for (const [accepted, encoding, unpack] of ways) {
    const answer = await send(url, { 'Accept-Encoding': accepted });
    expect([accepted, answer.headers['content-encoding']]).toEqual([accepted, encoding]);
    expect(unpack(answer.bytes).equals(plain.bytes)).toBe(true);
    expect(answer.bytes.length).toBe(Number(answer.headers['content-length']));
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
    if (encoding !== undefined) expect(answer.bytes.length).toBeLessThan(plain.bytes.length * 0.75);
    // Each encoding is a representation of its own.
    expect(answer.headers.etag === plain.headers.etag).toBe(encoding === undefined);
    const again = { 'Accept-Encoding': accepted, 'If-None-Match': answer.headers.etag! };
    expect((await send(url, again)).status).toBe(304);
    const other = encoding === undefined ? `"${answer.headers.etag!.slice(1, -1)}-br"` : plain.headers.etag!;
    expect((await send(url, { ...again, 'If-None-Match': other })).status).toBe(200);
  }
});
