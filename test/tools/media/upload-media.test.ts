import { createServer } from 'node:http';
import { describe, expect } from 'vitest';
import { fakeClock } from '../../harness/clock.ts';
import { startS3 } from '../../harness/s3.ts';
import { it, makeWorld } from '../../harness/world.ts';
import { png } from '../../harness/media-samples.ts';
import {
  callThrough,
  DOORS,
  expectInvalid,
  expectRefusal,
  INVALID,
  onFreePlan,
} from '../../harness/calls/operations.ts';
import { refusalOf } from '../../harness/calls/rest.ts';
import { serveTest } from '../../harness/sockets.ts';

const picture = png().toString('base64');

describe.each(DOORS)('upload_media through %s', (via) => {
  it('takes a file, typed by what it holds, ready at once', async ({ world }) => {
    const input = { base64: picture, filename: 'pic.txt', content_type: 'text/plain' };
    const { status, body } = await callThrough(world, via, 'upload_media', input);
    expect(status ?? 201).toBe(201);
    expect(body).toMatchObject({ status: 'ready', content_type: 'image/png', width: 3, height: 2 });
    expect(body.media_id).toBe(body.id);
    const answer = await fetch(body.url);
    expect(Buffer.from(await answer.arrayBuffer()).equals(png())).toBe(true);
    expect(answer.headers.get('content-type')).toBe('image/png');
  });

  it('fetches an address', async () => {
    const world = await makeWorld({ env: { ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128' } });
    // The server's own port is never fetched from, so the picture is offered on another one.
    const server = createServer((_, res) => res.writeHead(200, { 'Content-Type': 'image/png' }).end(png()));
    const { body } = await callThrough(world, via, 'upload_media', { url: `${await serveTest(server)}/there.png` });
    expect(body).toMatchObject({ status: 'ready', filename: 'there.png', content_type: 'image/png' });
  });

  it('never fetches from itself', async ({ world }) => {
    await expectInvalid(callThrough(world, via, 'upload_media', { url: `${world.root}/healthz` }), 'url');
  });

  it.for([
    [{}, 'validation.field_required', 'file'],
    [{ base64: picture, url: 'https://example.org/a.png' }, INVALID, 'file'],
    [{ base64: Buffer.from('just words').toString('base64') }, INVALID, 'file'],
    [{ url: 'ftp://example.org/a.png' }, INVALID, 'url'],
    [{ base64: picture, filename: 'x'.repeat(256) }, INVALID, 'filename'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    await expectRefusal(callThrough(world, via, 'upload_media', input), code, { field });
    expect((await callThrough(world, via, 'get_storage_usage')).body).toMatchObject({ count: 0, used_bytes: 0 });
  });

  it('stops at the storage of the plan', async ({ world }) => {
    await onFreePlan(world);
    await world.product.store.write(({ db }) =>
      db.updateTable('workspaces').set({ storage_bytes: 104_857_599 }).execute(),
    );
    const full = await callThrough(world, via, 'upload_media', { base64: picture });
    expect(full).toMatchObject({ code: 'billing.storage_quota', meta: { plan: 'free', max: 104_857_600 } });
    expect(full.status ?? 413).toBe(413);
  });
});

it.each(DOORS)('upload_media through %s says that the storage does not answer', async (via) => {
  const s3 = await startS3({ now: () => fakeClock().now() });
  const world = await makeWorld({ env: s3.env });
  s3.down({ status: 403, code: 'AccessDenied' });
  await expectRefusal(callThrough(world, via, 'upload_media', { base64: picture }), 'http.503');
  expect((await callThrough(world, via, 'get_storage_usage')).body).toMatchObject({ count: 0, used_bytes: 0 });
  s3.down(undefined);
  const { body } = await callThrough(world, via, 'upload_media', { base64: picture });
  expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(png())).toBe(true);
  expect([...s3.objects.keys()]).toContainEqual(expect.stringContaining(body.id));
  // Why it failed is for the log; neither keys nor signatures are for anyone.
  const log = world.log.join('\n');
  expect(log).toContain('AccessDenied');
  expect(log).not.toMatch(/AWS4-HMAC|wJalrXUtnFEMI/);
});

it('upload_media takes up to 50 MB of a form and up to 2 MiB of base64, but no JSON', async ({ world }) => {
  expect(await refusalOf(world.rest('POST /v1/media/upload', { base64: picture }))).toEqual([
    400,
    'validation.body_invalid',
  ]);

  const form = new FormData();
  form.set('file', new Blob([png(3, 2, 52_428_800)]), 'big.png');
  const { status, body } = await world.rest('POST /v1/media/upload', form);
  expect([status, body.error]).toMatchObject([
    413,
    {
      code: 'http.413',
      message: expect.stringMatching(/^The file is larger than the 52428800 bytes .* \(GET \/v1\/media\/upload-url\)/),
      meta: { max_bytes: 52_428_800 },
    },
  ]);

  const tooMuch = await world.mcp('upload_media', { base64: png(3, 2, 2_097_152).toString('base64') });
  expect(tooMuch).toMatchObject({ isError: true });
  expect(JSON.stringify(tooMuch.body)).toContain('get_media_upload_url');
  expect((await world.rest('GET /v1/media/storage')).body.count).toBe(0);
});
