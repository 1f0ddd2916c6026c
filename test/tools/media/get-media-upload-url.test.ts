import { describe, expect } from 'vitest';
import { it, makeWorld } from '../../harness/world.ts';
import { gif, png } from '../../harness/media-samples.ts';
import { call, expectRefusal, INVALID, onFreePlan, REQUIRED } from '../../harness/calls/operations.ts';
import { put } from './samples.ts';

const ask = { media_type: 'image/png', filename: 'a.png' };

describe('get_media_upload_url', () => {
  it.each(['media_type', 'content_type'])('gives an address that takes one PUT, asked for with %s', async (name) => {
    const world = await makeWorld();
    const { status, body } = await call(world, 'get_media_upload_url', { [name]: 'image/png', filename: 'a.png' });
    expect(status).toBe(200);
    expect(body).toEqual({
      media_id: expect.stringMatching(/^med_/),
      upload_url: expect.stringContaining(`${world.root}/upload/`),
      upload_page: body.upload_url,
      expires_at: '2026-01-15T09:15:00.000Z',
    });
    expect(await put(body.upload_url, png())).toBe(200);
    expect(await put(body.upload_url, png())).toBe(409);
  });

  it('refuses a PUT of another type with what differs, and takes the right one then', async ({ world }) => {
    const { body } = await call(world, 'get_media_upload_url', ask);
    for (const [bytes, headers, why] of [
      [gif(), {}, 'The bytes are image/gif.'],
      [png(), { 'Content-Type': 'image/jpeg' }, 'The Content-Type is image/jpeg.'],
    ] as const) {
      const answer = await fetch(body.upload_url, { method: 'PUT', body: bytes, headers });
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect([answer.status, error]).toEqual([
        400,
        {
          code: INVALID,
          message:
            `This upload address is for image/png. ${why} ` +
            'Send such a file, or ask get_media_upload_url for an address that takes the type of yours.',
          meta: { field: 'media_type' },
        },
      ]);
    }
    expect(await put(body.upload_url, png())).toBe(200);
    expect((await call(world, 'verify_media_upload', { media_id: body.media_id })).ok).toBe(true);
  });

  it('ends after 15 minutes', async ({ world }) => {
    const { body } = await call(world, 'get_media_upload_url', ask);
    world.clock.move(15 * 60_000);
    expect(await put(body.upload_url, png())).toBe(403);
  });

  it('holds the upload to the size that was said', async ({ world }) => {
    const { body } = await call(world, 'get_media_upload_url', { ...ask, size_bytes: 10 });
    expect(await put(body.upload_url, png())).toBe(413);
  });

  it.for([
    [{ filename: 'a.png' }, REQUIRED, 'media_type'],
    [{ media_type: 'image/png' }, REQUIRED, 'filename'],
    [{ media_type: 'text/html', filename: 'a.html' }, INVALID, 'media_type'],
    [{ media_type: 'image/png', filename: 'x'.repeat(256) }, INVALID, 'filename'],
    [{ ...ask, size_bytes: 0 }, INVALID, 'size_bytes'],
    [{ ...ask, size_bytes: 'big' }, INVALID, 'size_bytes'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    await expectRefusal(call(world, 'get_media_upload_url', input), code, { field });
  });

  it('refuses what is too large for a file, or for the plan', async ({ world }) => {
    await expectRefusal(call(world, 'get_media_upload_url', { ...ask, size_bytes: 1_073_741_825 }), 'http.413');
    await onFreePlan(world);
    await world.product.store.write(({ db }) =>
      db.updateTable('workspaces').set({ storage_bytes: 104_857_000 }).execute(),
    );
    const full = call(world, 'get_media_upload_url', { ...ask, size_bytes: 601 });
    await expectRefusal(full, 'billing.storage_quota', { plan: 'free', max: 104_857_600 });
    expect((await call(world, 'get_media_upload_url', { ...ask, size_bytes: 600 })).ok).toBe(true);
  });
});
