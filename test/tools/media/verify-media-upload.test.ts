import { describe, expect } from 'vitest';
import { fakeClock } from '../../harness/clock.ts';
import { startS3 } from '../../harness/s3.ts';
import { it, makeWorld } from '../../harness/world.ts';
import { gif, png } from '../../harness/media-samples.ts';
import { call, expectInvalid, expectRefusal, onFreePlan } from '../../harness/calls/operations.ts';
import { put } from './samples.ts';

const ask = { media_type: 'image/png', filename: 'a.png' };

describe('verify_media_upload', () => {
  it('makes what was uploaded ready, once and again', async ({ world }) => {
    const { media_id, upload_url } = (await call(world, 'get_media_upload_url', ask)).body;
    await put(upload_url, png());
    for (const _ of [1, 2]) {
      const { status, body } = await call(world, 'verify_media_upload', { media_id });
      expect([status, body]).toMatchObject([200, { success: true, media_id, id: media_id, status: 'ready', width: 3 }]);
    }
    expect((await call(world, 'get_storage_usage')).body).toMatchObject({ count: 1, used_bytes: png().byteLength });
  });

  it('says that the bytes have not come', async ({ world }) => {
    const { media_id } = (await call(world, 'get_media_upload_url', ask)).body;
    const early = await call(world, 'verify_media_upload', { media_id });
    expect([early.status, early.code, early.meta]).toEqual([400, 'media.not_ready', { id: media_id }]);
  });

  it('fails what is not what was announced', async ({ world }) => {
    const { media_id, upload_url } = (await call(world, 'get_media_upload_url', { ...ask, media_type: 'image/gif' }))
      .body;
    await put(upload_url, gif());
    // An older version took such bytes.
    await world.product.store.write(({ db }) => db.updateTable('media').set({ content_type: 'image/png' }).execute());
    for (const _ of [1, 2]) await expectInvalid(call(world, 'verify_media_upload', { media_id }), 'media_id');
    expect((await call(world, 'list_media')).body.count).toBe(0);
  });

  it('stops at the storage of the plan', async ({ world }) => {
    await onFreePlan(world);
    const { media_id, upload_url } = (await call(world, 'get_media_upload_url', ask)).body;
    await put(upload_url, png());
    await world.product.store.write(({ db }) =>
      db.updateTable('workspaces').set({ storage_bytes: 104_857_600 }).execute(),
    );
    await expectRefusal(call(world, 'verify_media_upload', { media_id }), 'billing.storage_quota', { plan: 'free' });
  });

  it('says that the storage does not answer, and goes on when it does', async () => {
    const s3 = await startS3({ now: () => fakeClock().now() });
    const world = await makeWorld({ env: s3.env });
    const { media_id, upload_url } = (await call(world, 'get_media_upload_url', ask)).body;
    s3.down({ status: 403, code: 'AccessDenied' });
    expect(await put(upload_url, png())).toBe(503);
    s3.down(undefined);
    expect(await put(upload_url, png())).toBe(200);
    s3.down({ status: 403, code: 'AccessDenied' });
    await expectRefusal(call(world, 'verify_media_upload', { media_id }), 'http.503');
    s3.down(undefined);
    expect((await call(world, 'verify_media_upload', { media_id })).body.status).toBe('ready');
  });
});
