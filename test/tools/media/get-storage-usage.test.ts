import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, onFreePlan } from '../../harness/calls/operations.ts';
import { uploaded } from './samples.ts';

describe('get_storage_usage', () => {
  it('counts ready items and their bytes, until they are deleted', async ({ world }) => {
    expect((await call(world, 'get_storage_usage')).body).toEqual({ used_bytes: 0, limit_bytes: -1, count: 0 });
    const media_id = await uploaded(world);
    const [{ size_bytes }] = (await call(world, 'list_media')).body.data;
    await call(world, 'get_media_upload_url', { media_type: 'image/png', filename: 'waiting.png' });
    const usage = { used_bytes: size_bytes, limit_bytes: -1, count: 1 };
    expect((await call(world, 'get_storage_usage')).body).toEqual(usage);
    await call(world, 'delete_media', { media_id });
    expect((await call(world, 'get_storage_usage')).body).toEqual({ used_bytes: 0, limit_bytes: -1, count: 0 });
  });

  it('names the limit of the plan', async ({ world }) => {
    await onFreePlan(world);
    expect((await call(world, 'get_storage_usage')).body.limit_bytes).toBe(104_857_600);
  });
});

it('get_storage_usage answers the storage in headers, too, where the plan limits it', async ({ world }) => {
  const unlimited = await world.rest('GET /v1/media/storage');
  expect([unlimited.headers.has('x-storage-used'), unlimited.headers.has('x-storage-limit')]).toEqual([false, false]);
  await onFreePlan(world);
  await uploaded(world);
  const { headers, body } = await world.rest('GET /v1/media/storage');
  expect(headers.get('x-storage-used')).toEqual(String(body.used_bytes));
  expect(headers.get('x-storage-limit')).toBe('104857600');
});
