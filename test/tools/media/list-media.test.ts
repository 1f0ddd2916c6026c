import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';
import { uploaded } from './samples.ts';

describe('list_media', () => {
  it('lists what is ready, newest first, and counts all of it', async ({ world }) => {
    const ids: string[] = [];
    for (const name of ['a.png', 'b.png', 'c.png']) {
      ids.unshift(await uploaded(world, name));
      world.clock.move(1);
    }
    await call(world, 'get_media_upload_url', { media_type: 'image/png', filename: 'waiting.png' });
    const whole = (await call(world, 'list_media')).body;
    expect(whole).toMatchObject({
      count: 3,
      next_cursor: '',
      pagination: { has_more: false, next_cursor: '', limit: 50 },
    });
    expect(whole.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(whole.data[0]).toEqual({
      id: ids[0],
      filename: 'c.png',
      content_type: 'image/png',
      size_bytes: expect.any(Number),
      status: 'ready',
      url: expect.stringContaining(`${world.root}/media/`),
      thumbnail_url: expect.stringMatching(/\/media\/.+\/thumbnail\.webp$/),
      created_at: '2026-01-15T09:00:00.002Z',
      width: 3,
      height: 2,
      duration_ms: null,
    });
    const first = (await call(world, 'list_media', { limit: 2 })).body;
    const last = (await call(world, 'list_media', { limit: 2, cursor: first.next_cursor })).body;
    expect([first.count, last.count, last.next_cursor]).toEqual([3, 3, '']);
    expect([...first.data, ...last.data].map(({ id }) => id)).toEqual(ids);

    const [, second, third] = ids;
    const some = (await call(world, 'list_media', { media_ids: [third, second, 'med_gone'] })).body;
    expect([some.count, some.data.map(({ id }: { id: string }) => id)]).toEqual([3, [second, third]]);
    const one = (await call(world, 'list_media', { media_ids: [third, second], limit: 1 })).body;
    const other = (await call(world, 'list_media', { limit: 1, cursor: one.next_cursor })).body;
    expect([...one.data, ...other.data].map(({ id }) => id)).toEqual([second, third]);
  });

  it('signs addresses that work without a token, for an hour', async ({ world }) => {
    await uploaded(world);
    const [{ url }] = (await call(world, 'list_media')).body.data;
    expect((await fetch(url)).status).toBe(200);
    world.clock.move(3_600_000);
    expect((await fetch(url)).status).toBe(403);
  });

  it('takes a limit above 100 for 100', async ({ world }) => {
    expect((await call(world, 'list_media', { limit: 1000 })).body.pagination.limit).toBe(100);
  });

  it.for([
    [{ limit: 0 }, 'limit'],
    [{ limit: 'x' }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
  ] as const)('refuses %j', async ([input, field], { shared: world }) => {
    await expectInvalid(call(world, 'list_media', input), field);
  });

  it('refuses the cursor of another list', async ({ world }) => {
    await world.receive(['dm.sent']);
    await world.receive(['dm.sent']);
    const { next_cursor: cursor } = (await call(world, 'list_webhooks', { limit: 1 })).body;
    expect(cursor).not.toBe('');
    await expectInvalid(call(world, 'list_media', { cursor }), 'cursor');
  });
});
